// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
)

// sends keeps what a message of ours says, if it says it in texts of ASCII alone: other parts, and other letters, are for
// the requirements about those. An id that was sent with different texts tells nothing; nor does a message of which no
// answer would be kept that repeats it.
func (w *witness) sends(q *observe.Request, answer []byte) {
	if q.Operation != "SendMessage" && q.Operation != "SendStreamingMessage" || len(q.Body) > longestAnswered {
		return
	}
	request := parseJSON(q.Body)
	if q.Binding == "JSONRPC" {
		request = member(request, "params")
	}
	message := member(request, "message")
	id, is := member(message, "messageId").(string)
	if !isWellFormed(message) {
		w.sentWrongly(id)
		if id == "" && memberText(message, "taskId") == "" {
			w.beganWrongly(q.Binding, answer)
		}
		return
	}
	texts := textsOf(message)
	if !is || id == "" || len(texts) == 0 || slices.ContainsFunc(texts, func(text any) bool { return !isASCII(text) }) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sentTexts == nil {
		w.sentTexts = map[string][]any{}
	}
	switch old, known := w.sentTexts[id]; {
	case known && !slices.Equal(old, texts):
		w.sentTexts[id] = nil
	case !known && len(w.sentTexts) < mostAnswered:
		w.sentTexts[id] = texts
	}
}

// sentWrongly remembers the id of a message of ours that no server may take; empty: it had none. A server that takes it
// breaks the requirement which sent it, and what it shows of it breaks no other.
func (w *witness) sentWrongly(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wrong == nil {
		w.wrong = map[string]bool{}
	}
	if len(w.wrong) < mostAnswered {
		w.wrong[id] = true
	}
}

// beganWrongly remembers the task with which a server answers a message of ours that it may not take and that has no id: in
// its history the message stands with an id that the server has given it.
func (w *witness) beganWrongly(binding string, answer []byte) {
	result := parseJSON(answer)
	if binding == "JSONRPC" {
		result = member(result, "result")
	}
	id := memberText(member(result, "task"), "id")
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.begunWrongly == nil {
		w.begunWrongly = map[string]bool{}
	}
	if id != "" && len(w.begunWrongly) < mostAnswered {
		w.begunWrongly[id] = true
	}
}

// isWellFormed says whether a message of ours has what the proto wants of it: an id, the role ROLE_USER, and parts that are
// objects.
func isWellFormed(message any) bool {
	parts, _ := member(message, "parts").([]any)
	return memberText(message, "messageId") != "" && memberText(message, "role") == "ROLE_USER" && len(parts) > 0 &&
		!slices.ContainsFunc(parts, func(part any) bool { members, is := part.(map[string]any); return !is || len(members) == 0 })
}

// textsOf are the texts of the parts of a message, nil in the place of a part that has another content or none.
func textsOf(message any) []any {
	parts, _ := member(message, "parts").([]any)
	texts := make([]any, len(parts))
	for i, part := range parts {
		if text, is := member(part, "text").(string); is {
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
