// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// maxHookSaid is how much of what a broken hook said is shown, in characters.
const maxHookSaid = 100

// maxTries is how often a hook is asked that has failed every time: a script that hangs must not be waited for by each of
// a hundred tests in turn.
const maxTries = 3

// blockedByHook begins the cause of all tests that are blocked by a hook of the operator.
const blockedByHook = "a hook of the operator failed: "

// failings are the hooks that have failed.
type failings struct {
	mu     sync.Mutex
	byHook map[string]*failing
}

// A failing is a hook that has failed, and what it said first.
type failing struct {
	said     error
	times    int
	answered bool // it has answered well at some time
}

// note keeps how a hook has been answered.
func (f *failings) note(name string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byHook == nil {
		f.byHook = map[string]*failing{}
	}
	known := f.byHook[name]
	if known == nil {
		known = &failing{}
		f.byHook[name] = known
	}
	if err == nil {
		known.answered = true
		return
	}
	if known.said == nil {
		known.said = err
	}
	known.times++
}

// givenUp is what a hook has said that has failed so often that it is not asked any more; nil: it is.
func (f *failings) givenUp(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known := f.byHook[name]; known != nil && !known.answered && known.times >= maxTries {
		return known.said
	}
	return nil
}

// first is what a hook said when it failed for the first time.
func (f *failings) first(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known := f.byHook[name]; known != nil && known.said != nil {
		return known.said.Error()
	}
	return "it failed"
}

// Broken is the reason why tests are blocked by a hook that is configured and does not do what it has to.
func Broken(name, said string) *report.Reason {
	return &report.Reason{Code: "blocked", Detail: fmt.Sprintf("the hook %s failed: %s", name, said), Cause: blockedByHook + name}
}

// Failed notes that a hook has failed after it was asked, and returns the reason why tests are blocked by it.
func (o *Operator) Failed(name string, err error) *report.Reason {
	o.failings.note(name, err)
	return Broken(name, err.Error())
}

// Warnings says of each hook that failed how many tests it has blocked, one sentence a hook, sorted by name.
func (o *Operator) Warnings(results []report.Result) []string {
	blocked := map[string]int{}
	for i := range results {
		if result := &results[i]; result.Outcome == report.Blocked && result.Reason != nil {
			if name, is := strings.CutPrefix(result.Reason.Cause, blockedByHook); is {
				blocked[name]++
			}
		}
	}
	var lines []string
	for name, n := range blocked {
		lines = append(lines, fmt.Sprintf("the hook %s failed, which blocks %s: %s", name, show.Plural(n, "test", "tests"), o.failings.first(name)))
	}
	slices.Sort(lines)
	return lines
}

// said quotes the beginning of what a hook said, without secrets.
func (o *Operator) said(text string) string {
	text = strings.Join(strings.Fields(plaintext.OneLine(o.secrets.Clean(strings.ToValidUTF8(text, "\uFFFD")))), " ")
	if text == "" {
		return "it said nothing"
	}
	if runes := []rune(text); len(runes) > maxHookSaid {
		text = string(runes[:maxHookSaid]) + "..."
	}
	return fmt.Sprintf("it said %q", text)
}

// commandFailed says how a command has ended that did not end well, and what it said, on standard error if it did there.
func (o *Operator) commandFailed(err error, complaint, out string) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("it cannot be started: %s", plaintext.OneLine(o.secrets.Clean(strings.TrimPrefix(err.Error(), "fork/exec "))))
	}
	if strings.TrimSpace(complaint) == "" {
		complaint = out
	}
	return fmt.Errorf("it ended with %s; %s", exit.ProcessState, o.said(complaint))
}

// sensible returns an error where a hook's answer is not what docs/operators.md asks of it. Members beyond those that are
// read are free.
func (o *Operator) sensible(name string, result any) error {
	wanted := ""
	switch name {
	case target.CreateSessionHook:
		if id := target.SessionID(result); !isWord(id) {
			wanted = "session_id, or id, or the id of a new session as a plain text"
			if id != "" {
				wanted = "a session id of 256 bytes at most without white space, quotes and <>{}"
			}
		}
	case target.RuntimeDownHook:
		if address, is := readers.Member(result, "url").(string); is && !isAddress(address) {
			wanted = "the url of an instance, or none"
		}
	case target.ShortTTLHook:
		seconds, is := result.(json.Number)
		if !is {
			seconds, is = readers.Member(result, "seconds").(json.Number)
		}
		if address, given := readers.Member(result, "url").(string); !is || !isPositive(seconds) || given && !isAddress(address) {
			wanted = "a number of seconds, or JSON with url and seconds"
		}
	case secondInstanceHook:
		if text, is := result.(string); !(is && isWord(text)) && !isWord(readers.MemberText(result, "id")) {
			wanted = "JSON with the id of an instance, or the id as a plain text"
		}
	}
	switch known, _ := o.target.Profile.Hook(name); known.Form {
	case hooks.AnURL:
		if !isAddress(readers.Member(result, "url")) {
			wanted = "JSON with the url of an executor"
		}
	case hooks.AnID:
		if text, is := result.(string); !(is && isWord(text)) && !isWord(readers.MemberText(result, known.Member)) {
			wanted = "JSON with a " + known.Member + ", or the id as a plain text"
		}
	case hooks.Anything:
		members := strings.Fields(known.Has)
		if i := slices.IndexFunc(members, func(member string) bool { return !isGiven(member, result) }); i >= 0 {
			wanted = "JSON with " + show.InWords(members)
			if members[i] == secondsMember {
				wanted += ", a number above 0"
			}
		}
	}
	if wanted == "" {
		return nil
	}
	shown, _ := result.(string)
	if result != nil && shown == "" {
		if b, err := jsontext.Marshal(Shown(result)); err == nil && string(b) != `""` {
			shown = string(b)
		}
	}
	return fmt.Errorf("%s, want %s", o.said(shown), wanted)
}

// secondsMember is a member that says how long something may take, whatever the hook.
const secondsMember = "seconds"

// isGiven says whether a hook's answer has a member that is more than null or an empty text.
func isGiven(member string, result any) bool {
	switch v := readers.Member(result, member).(type) {
	case nil:
		return false
	case json.Number:
		return member != secondsMember || isPositive(v)
	case string:
		return member != secondsMember && v != ""
	default:
		return member != secondsMember && !assertions.IsMissing(v)
	}
}

// isWord says whether a text can be an id: one word, and no markup.
func isWord(text string) bool {
	return text != "" && len(text) <= 256 && !strings.ContainsAny(text, " \t\r\n<>{}\"")
}

// isPositive says whether a number is above 0.
func isPositive(n json.Number) bool {
	v, err := n.Float64()
	return err == nil && v > 0
}

// isAddress says whether a value is an absolute http or https URL.
func isAddress(v any) bool {
	text, _ := v.(string)
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
