// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// severityOf is what a broken requirement of a test means.
func severityOf(t *suites.Test) report.Outcome {
	if t.Applies.Since != "" {
		return report.Pass
	}
	switch t.Level {
	case suites.Should, suites.ShouldNot:
		return report.Warn
	case suites.May:
		return report.Pass
	}
	return report.Fail
}

func (v *rowVerdict) found(at suites.Position, problem *problem, severity report.Outcome, ruling string) {
	if v.isFirst(severity) {
		v.decided, v.cited = problem.request, problem.cited
	}
	v.findings = append(v.findings, v.finding(at, problem, severity, ruling))
}

// isFirst says whether a finding of that severity would decide the outcome: there is none yet that weighs as much.
func (v *rowVerdict) isFirst(severity report.Outcome) bool {
	return (severity == report.Fail || severity == report.Warn) && !slices.ContainsFunc(v.findings, func(f report.Finding) bool {
		return f.Severity == severity || f.Severity == report.Fail
	})
}

// finding is a problem as a report has it.
func (v *rowVerdict) finding(at suites.Position, problem *problem, severity report.Outcome, ruling string) report.Finding {
	found := report.Finding{At: at.String(), Case: v.row, Part: v.part, Subject: problem.subject, Observed: problem.observed,
		Expected: problem.expected, Problem: problem.sentence, InWords: problem.inWords, Severity: severity, Ruling: ruling,
		Cause: problem.cause, Says: problem.says, Nearest: problem.nearest, After: problem.after, Where: problem.where, SeenAt: problem.seenAt, Common: problem.common, Late: problem.inVain}
	if problem.request != nil {
		found.Route, found.Status, found.Curl, found.Actor = problem.request.Route, problem.status, v.repro.Curl(problem.request), problem.request.Actor
		if v.tells != nil {
			found.As = v.tells(problem.request)
		}
	} else {
		found.Route, found.Actor = problem.seenOn, problem.seenBy
	}
	return found
}

// A problem is what is not as wanted, in the three parts of a finding and as a sentence.
type problem struct {
	subject, observed, expected, sentence string

	request *target.Request // whose answer was judged; nil: it was none
	status  int             // of that answer; 0: there was none
	seenOn  string          // what it was seen on, if that is no answer; empty: it is not known
	seenBy  string          // whose connection that was, or which webhook it was delivered to; empty: it has one client, or it is not known
	after   string          // what was asked before that it may come of; empty: nothing of the kind
	inWords string          // what it means for a reader who does not know the condition; empty where the suite does not say
	nearest string          // what is not as wanted by the alternatives that its binding can fit; empty where the sentence says no more
	where   string          // of what is about all answers of the run: which one it is about
	cited   any             // of what is about the whole run: the first element that is not as wanted; nil: it is about another list, or about all of it
	seenAt  string          // of what is about the whole run: the routes that it was seen at, with how often
	common  string          // what all that was not as wanted has in common, and nothing else that was looked at; empty: nothing tells it apart
	says    string          // of an error that is not what was wanted: what the answer says of it; of no JSON where a member of it was wanted: its beginning
	inVain  bool            // it was waited for until the time was up
	cause   string          // what findings and blocks of other tests share with it, where that is known
}

// everything begins the subject of a finding about one place of the whole exchange, which says nothing to a reader.
const everything = "exchange."

func problemOf(subject string, err error, o *subjects.Observation) *problem {
	found := &problem{subject: subject, observed: err.Error(), request: o.Request, status: statusOf(o), seenOn: o.SeenOn, seenBy: o.SeenBy, inVain: !o.CameInTime(subject)}
	var p *assertions.Problem
	if errors.As(err, &p) {
		path := p.Path
		if path != "" && !strings.HasPrefix(path, ".") && !strings.HasPrefix(path, "[") {
			path = "." + path
		}
		found.subject, found.observed, found.expected = strings.TrimPrefix(subject+path, everything), p.Seen, p.Wanted
		if p.Nearest != "" {
			found.nearest = strings.TrimPrefix(subject+p.Nearest, everything)
		}
		if outcome, is := o.Get("outcome").(string); is && isNoFailure(subject, p.Seen) {
			found.subject, found.observed = "outcome", fmt.Sprintf("is %q", outcome)
		} else if is && subject == "failure.told" && p.Seen == "is missing" {
			found.observed += fmt.Sprintf(" (the outcome is %q)", outcome)
		}
	}
	if one := o.In(found.subject); one != o {
		found.request, found.status = one.Request, statusOf(one)
	}
	after := o.Because() + o.PlaceOf(found.subject)
	found.sentence = sentenceOf(found) + after
	if to := cmp.Or(leadsTo(subject, o), kindOfFrame(found.subject, o)); to != "" && found.nearest == "" {
		told := *found
		told.observed += to
		found.nearest = sentenceOf(&told)
	}
	if found.nearest != "" {
		found.nearest += after
	}
	if found.status >= http.StatusBadRequest && strings.Contains(found.sentence, "status is ") || subject == "outcome" {
		found.says = errorText(o.Get("json"))
	}
	if found.says == "" && strings.HasPrefix(found.subject, "json") && found.observed == "is missing" && o.Get("json") == assertions.Missing {
		found.says = otherText(o.Get("text"))
	}
	return found
}

// otherText is the beginning of a body that is no JSON, where a member of it was wanted.
func otherText(body any) string {
	text, _ := body.(string)
	return said(text)
}

// said is the beginning of what somebody else says, on one line.
func said(text string) string {
	if text = strings.TrimSpace(text); len(text) > maxSaid {
		text = strings.ToValidUTF8(text[:maxSaid], "") + "…"
	}
	return plaintext.OneLine(text)
}

// maxSaid is how much of what an error says is told, in bytes.
const maxSaid = 200

// errorText is what the body of an error says in words: a problem document (RFC 9457), a google.rpc.Status, a JSON-RPC error, or what others make
// of these. It is empty where there is nothing of the kind.
func errorText(body any) string {
	inner := readers.Member(body, "error")
	for _, text := range []string{readers.MemberText(body, "detail"), readers.MemberText(inner, "message"), readers.MemberText(body, "message"),
		readers.MemberText(body, "error_description"), readers.MemberText(body, "error"), readers.MemberText(body, "title")} {
		if text = said(text); text != "" {
			return text
		}
	}
	return ""
}

// kindOfFrame says of the operation of a frame of a terminal's stream what the frame is, which that leaves open; empty of all others.
func kindOfFrame(subject string, o *subjects.Observation) string {
	if subject != "frame.op" {
		return ""
	}
	if kind := readers.MemberText(readers.Member(o.Get("frame"), "payload"), "kind"); kind != "" {
		return fmt.Sprintf(" of the kind %q", kind)
	}
	return ""
}

// leadsTo says of a status that is a redirect's where that leads, and that another was followed before; empty where it is none.
func leadsTo(subject string, o *subjects.Observation) string {
	to, is := o.Get("location").(string)
	if subject != "status" || !is || o.Request == nil || statusOf(o) < http.StatusMultipleChoices || statusOf(o) >= http.StatusBadRequest {
		return ""
	}
	if o.Request.First != nil {
		return " (a second redirect, to " + to + "; the first was followed)"
	}
	return " (a redirect to " + to + ")"
}

// route is what was asked where an answer was judged; empty: it was none.
func (p *problem) route() string {
	if p.request == nil {
		return ""
	}
	return p.request.Route
}

// told is what was seen, without what was wanted instead.
func (p *problem) told() string { return p.subject + " " + p.observed }

func sentenceOf(found *problem) string {
	sentence := strings.TrimSpace(found.subject + " " + found.observed)
	if found.expected != "" {
		sentence += ", want " + found.expected
	}
	return sentence
}

// isNoFailure says whether a finding is that an operation did not fail as it had to: then its outcome says more than what
// its failure lacks.
func isNoFailure(subject, seen string) bool {
	return seen == "is missing" && (subject == "failure.name" || subject == "failure.class")
}

// notYet tells in a note of a requirement that the contract makes later that the target does not keep it yet; it is empty for
// every other requirement.
func notYet(t *suites.Test) string {
	if t.Applies.Since == "" {
		return ""
	}
	return fmt.Sprintf("not required before %s of the contract, and not kept yet: %s %s", t.Applies.Since, t.Level, t.Says)
}

// lengthened is a problem with more to say about what was seen.
func lengthened(err error, more string) error {
	var p *assertions.Problem
	if !errors.As(err, &p) {
		return fmt.Errorf("%w%s", err, more)
	}
	longer := *p
	longer.Seen += more
	if longer.Nearest != "" {
		longer.Nearest += more
	}
	return &longer
}

// A change is a request of a row that asked for one: what a later look at the same thing may come of.
type change struct {
	request *target.Request // nil: there was none
	status  int
}

// noteChange remembers what a step has asked for, if that is a change and the target did not refuse it.
func (v *rowVerdict) noteChange(o *subjects.Observation) {
	if q := o.Request; q != nil && !looksOnly(q) && statusOf(o) < http.StatusBadRequest && (q.Call == nil || o.Get("outcome") == "processed") {
		v.changed = change{q, statusOf(o)}
	}
}

// before says what was asked for of the thing that a request looks at; empty where that is not known.
func (c change) before(q *target.Request) string {
	if c.request == nil || q == nil || q == c.request || !looksOnly(q) {
		return ""
	}
	switch {
	case c.request.Call != nil && q.Call != nil:
		if !slices.Contains([]string{"CancelTask", "CreateTaskPushNotificationConfig", "DeleteTaskPushNotificationConfig"}, c.request.Call.Operation) {
			return ""
		}
		return c.request.Call.Operation
	case c.request.Call != nil || q.Call != nil || !isWithin(q.URL, c.request.URL) && !isWithin(c.request.URL, q.URL):
		return ""
	}
	if c.status == 0 {
		return c.request.Route
	}
	return fmt.Sprintf("%s, answered with %d", c.request.Route, c.status)
}

// looksOnly says whether a request asks for no change.
func looksOnly(q *target.Request) bool {
	if q.Call != nil {
		return strings.HasPrefix(q.Call.Operation, "Get") || strings.HasPrefix(q.Call.Operation, "List") || q.Call.Operation == "SubscribeToTask"
	}
	return slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions}, q.Method)
}

// isWithin says whether an address is another one or below it.
func isWithin(address, other string) bool {
	a, err := url.Parse(address)
	b, wrong := url.Parse(other)
	if err != nil || wrong != nil || a.Host != b.Host {
		return false
	}
	return a.Path == b.Path || strings.HasPrefix(a.Path, strings.TrimRight(b.Path, "/")+"/")
}
