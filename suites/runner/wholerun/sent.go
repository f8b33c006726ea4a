// SPDX-License-Identifier: Apache-2.0

package wholerun

import (
	"cmp"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// sends keeps what a message of ours says, if it says it in texts of ASCII alone: other parts, and other letters, are for
// the requirements about those. An id that was sent with different texts tells nothing. It is asked when the message goes
// out: a list may show it before its own answer comes.
func (r *Record) sends(q *observe.Request) {
	message, sends := messageOf(q)
	if !sends {
		return
	}
	id, is := readers.Member(message, "messageId").(string)
	if !isWellFormed(message) {
		r.sentWrongly(id)
		return
	}
	texts := textsOf(message)
	if !is || id == "" || len(texts) == 0 || slices.ContainsFunc(texts, func(text any) bool { return !isASCII(text) }) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sentTexts == nil {
		r.sentTexts = map[string][]any{}
	}
	switch old, known := r.sentTexts[id]; {
	case known && !slices.Equal(old, texts):
		r.sentTexts[id] = nil
	case !known && len(r.sentTexts) < maxAnswered:
		r.sentTexts[id] = texts
	}
}

// sentWrongly remembers the id of a message of ours that no server may take; empty: it had none. A server that takes it
// breaks the requirement which sent it, and what it shows of it breaks no other.
func (r *Record) sentWrongly(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wrong == nil {
		r.wrong, r.begunWrongly = map[string]bool{}, map[string]bool{}
	}
	switch {
	case id == "":
		r.openWrongly++
	case len(r.wrong) < maxAnswered:
		r.wrong[id] = true
	}
}

// beganWrongly remembers the task with which a server answers a message of ours that it may not take and that has no id: in
// its history the message stands without one, or with one that the server has given it.
func (r *Record) beganWrongly(q *observe.Request, answer []byte) {
	if !sendsNameless(q) {
		return
	}
	result := jsontext.Parse(answer)
	if q.Binding == "JSONRPC" {
		result = readers.Member(result, "result")
	}
	id := cmp.Or(readers.MemberText(readers.Member(result, "task"), "id"), readers.MemberText(readers.Member(result, "statusUpdate"), "taskId"))
	r.mu.Lock()
	defer r.mu.Unlock()
	if id != "" && r.begunWrongly != nil && len(r.begunWrongly) < maxAnswered {
		r.begunWrongly[id] = true
	}
}

// answeredWrongly notes that nothing more comes of a message of ours without an id: its task is known now, if it has one.
func (r *Record) answeredWrongly(q *observe.Request) {
	if sendsNameless(q) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.openWrongly--
	}
}

// sendsNameless says whether a request sends a message without an id.
func sendsNameless(q *observe.Request) bool {
	message, sends := messageOf(q)
	return sends && readers.MemberText(message, "messageId") == ""
}

// messageOf is the message that a request sends. A message of which no answer would be kept that repeats it counts as none.
func messageOf(q *observe.Request) (message any, sends bool) {
	if q.Operation != "SendMessage" && q.Operation != "SendStreamingMessage" || len(q.Body) > longestAnswered || asksForOldVersion(q.Header) {
		return nil, false
	}
	request := jsontext.Parse(q.Body)
	if q.Binding == "JSONRPC" {
		request = readers.Member(request, "params")
	}
	return readers.Member(request, "message"), true
}

// isWellFormed says whether a message of ours has what the proto wants of it: an id, the role ROLE_USER, and parts that are
// objects.
func isWellFormed(message any) bool {
	parts, _ := readers.Member(message, "parts").([]any)
	return readers.MemberText(message, "messageId") != "" && readers.MemberText(message, "role") == "ROLE_USER" && len(parts) > 0 &&
		!slices.ContainsFunc(parts, func(part any) bool { members, is := part.(map[string]any); return !is || len(members) == 0 })
}

// textsOf are the texts of the parts of a message, nil in the place of a part that has another content or none.
func textsOf(message any) []any {
	parts, _ := readers.Member(message, "parts").([]any)
	texts := make([]any, len(parts))
	for i, part := range parts {
		if text, is := readers.Member(part, "text").(string); is {
			texts[i] = text
		}
	}
	return texts
}

// isASCII says whether a value is a text of ASCII alone.
func isASCII(v any) bool {
	text, is := v.(string)
	return is && !slices.ContainsFunc([]byte(text), func(b byte) bool { return b > 127 })
}
