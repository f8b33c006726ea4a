// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/ptyws"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// DialectCompact is the PTY dialect that a diagnostic run can read: see [Target.PTYDialect].
const DialectCompact = "compact"

// A greeting in another dialect than pty-ws/v1 (ruling A56) makes every later frame look broken. So it is one finding, of
// the one test that names dialects, and blocks whatever else would be judged by frames. What the handshakes alone have
// shown stays: a dialect changes nothing about them.
type dialects struct {
	mu     sync.Mutex
	met    string          // what the target speaks instead, in words; empty: nothing foreign was met
	judged map[string]bool // tests that have judged a conversation, by id; true: the dialect was met there
}

// A foreignGreeting is a greeting that is none of the binding's.
type foreignGreeting struct{ name, marks string }

// foreignGreetingOf recognises a greeting in another dialect; nil for every other message.
func foreignGreetingOf(members map[string]any) *foreignGreeting {
	if members["type"] == "server_hello" && members["op"] == nil {
		return &foreignGreeting{"v1 session", "it greets with type server_hello"}
	}
	if members["op"] != "binding_hello" {
		return nil
	}
	var marks []string
	_, seq := members["seq"]
	if _, sequence := members["sequence"]; seq && !sequence {
		marks = append(marks, "its greeting carries seq instead of sequence")
	}
	operations, _ := readers.Member(members["payload"], "supported_operations").([]any)
	for _, operation := range operations {
		if name, is := operation.(string); is && (strings.HasPrefix(name, "message/") || strings.HasPrefix(name, "tasks/")) {
			marks = append(marks, "its greeting lists "+ptyws.Short(name)+" among the operations")
			break
		}
	}
	if len(marks) == 0 {
		return nil
	}
	return &foreignGreeting{DialectCompact, strings.Join(marks, ", and ")}
}

// cause is what everything that is blocked by the dialect shares.
func (g *foreignGreeting) cause() string {
	return fmt.Sprintf("the executor speaks the %s dialect on its terminals, not pty-ws/v1 (ruling A56)", g.name)
}

// greeted notes the first greeting that says what the executor speaks. The lock is held.
func (s *socket) greeted(members map[string]any) {
	if s.foreign == nil && !s.ours {
		s.foreign = foreignGreetingOf(members)
		s.ours = s.foreign == nil && members["op"] == "binding_hello"
	}
}

// misunderstands ends the row when the connection of the step is in another dialect than the run speaks. What the row has
// found until then it found of handshakes.
func (t terminal) misunderstands(step *suites.Step) bool {
	s := t.actor(step).socket
	if s == nil || s.tap == nil {
		return false
	}
	s.mu.Lock()
	greeting, ours := s.foreign, s.ours
	s.mu.Unlock()
	wanted := t.run.Config.PTYDialect
	if wanted != "" && !underneath[t.test.ID] {
		t.skip(report.Reason{Code: "pty-dialect", Detail: "judges names or forms of pty-ws/v1, which the " + wanted + " dialect has not; the binding itself is judged without --pty-dialect"})
		return true
	}
	switch {
	case greeting == nil && (wanted == "" || !ours), greeting != nil && greeting.name == wanted:
		t.run.dialects.conversed(t.test.ID, "")
		return false
	case greeting == nil:
		t.blockBy(step.At, step.Do.Verb(), "the executor greets in pty-ws/v1", fmt.Sprintf(
			"the executor greets in pty-ws/v1, not in the %s dialect: run without --pty-dialect", wanted))
		return true
	}
	cause := greeting.cause()
	t.run.dialects.conversed(t.test.ID, cause)
	if !t.test.NamesDialect {
		t.blockBy(step.At, step.Do.Verb(), cause, cause)
		return true
	}
	t.found(step.At, &problem{subject: "greeting", observed: "is in the " + greeting.name + " dialect", expected: "pty-ws/v1", cause: plaintext.Normalised(cause),
		sentence: fmt.Sprintf("%s: %s. What frames would have to show is blocked by this", cause, greeting.marks)}, report.Fail, "A56")
	return true
}

// conversed notes that a test has judged a conversation, and the dialect when one was met there.
func (d *dialects) conversed(id, cause string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.judged == nil {
		d.judged = map[string]bool{}
	}
	d.judged[id] = d.judged[id] || cause != ""
	if d.met == "" {
		d.met = cause
	}
}

// fold blocks what was judged of a conversation whose greeting came too late to be seen: it was in the dialect as well.
func (d *dialects) fold(results []report.Result) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.met == "" {
		return
	}
	for i := range results {
		result := &results[i]
		if met, conversed := d.judged[result.ID]; met || !conversed || result.Outcome == report.Skip || result.Outcome == report.Blocked {
			continue
		}
		result.Outcome, result.Findings = report.Blocked, nil
		result.Reason = &report.Reason{Code: "blocked", Detail: d.met, Cause: d.met}
	}
}

// blocked says in the verdict what the dialect has kept from being judged; "" when none was met.
func (d *dialects) blocked(results []report.Result) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.met == "" {
		return ""
	}
	n := 0
	for i := range results {
		if reason := results[i].Reason; reason != nil && results[i].Outcome == report.Blocked && reason.Cause == plaintext.Normalised(d.met) {
			n++
		}
	}
	return fmt.Sprintf("%s, which blocks %s", d.met, plaintext.Counted(n, "requirement", "requirements"))
}
