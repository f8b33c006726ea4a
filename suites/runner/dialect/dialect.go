// SPDX-License-Identifier: Apache-2.0

// Package dialect knows the dialects of terminals beside pty-ws/v1: by which greeting they are met, what they keep from being judged,
// and what a diagnostic run judges of the one that it reads.
package dialect

import (
	"fmt"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/ptyws"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// Compact is the dialect that a diagnostic run can read.
const Compact = "compact"

// Met is what a run has met of dialects. A greeting in another one than pty-ws/v1 (ruling A56) makes every later frame look
// broken. So it is one finding, of the one test that names dialects, and blocks whatever else would be judged by frames. What
// the handshakes alone have shown stays: a dialect changes nothing about them.
type Met struct {
	mu     sync.Mutex
	met    string          // what the target speaks instead, in words; empty: nothing foreign was met
	judged map[string]bool // tests that have judged a conversation, by id; true: the dialect was met there
}

// A Greeting is one that is none of the binding's.
type Greeting struct {
	Name  string // of the dialect
	Marks string // by which it is known, in words
}

// Foreign recognises a greeting in another dialect; nil for every other message.
func Foreign(members map[string]any) *Greeting {
	if members["type"] == "server_hello" && members["op"] == nil {
		return &Greeting{"v1 session", "it greets with type server_hello"}
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
	return &Greeting{Compact, strings.Join(marks, ", and ")}
}

// Cause is what everything that is blocked by the dialect shares.
func (g *Greeting) Cause() string {
	return fmt.Sprintf("the executor speaks the %s dialect on its terminals, not pty-ws/v1 (ruling A56)", g.Name)
}

// Conversed notes that a test has judged a conversation, and the dialect when one was met there.
func (d *Met) Conversed(id, cause string) {
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

// Fold blocks what was judged of a conversation whose greeting came too late to be seen: it was in the dialect as well.
func (d *Met) Fold(results []report.Result) {
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

// Blocked says in the verdict what the dialect has kept from being judged; "" when none was met.
func (d *Met) Blocked(results []report.Result) string {
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
	return fmt.Sprintf("%s, which blocks %s", d.met, show.Plural(n, "requirement", "requirements"))
}
