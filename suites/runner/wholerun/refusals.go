// SPDX-License-Identifier: Apache-2.0

package wholerun

import (
	"fmt"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// Unnamed notes an answer that had to say which A2A error it is, and did not.
func (r *Record) Unnamed(test string, q *target.Request, status any) {
	refusal := map[string]any{"test": test, "request": q.Method + " " + q.URL}
	refusal["status"] = status
	if q.Call != nil {
		refusal["over"] = q.Call.At.Binding
	}
	r.keepKind(&r.nameless, refusal, fmt.Sprint("unnamed ", refusal["over"], " ", status))
}

// Refused notes the refusal of an operation that had to be refused, whichever error that is.
func (r *Record) Refused(test string, q *target.Request, outcome, failure any) {
	refusal := map[string]any{"test": test, "request": q.Method + " " + q.URL, "operation": q.Call.Operation, "over": q.Call.At.Binding,
		"outcome": outcome, "status": readers.Member(failure, "status")}
	if readers.IsServerFault(q.Call.At.Binding, failure) {
		refusal["blames"] = "server"
	}
	r.keepKind(&r.wanted, refusal, fmt.Sprint("refused ", refusal["over"], " ", outcome, " ", refusal["status"], " ", refusal["blames"]))
}

// keepKind keeps some of each kind: those of one kind must not leave others out, which another requirement is about.
func (r *Record) keepKind(list *[]any, v any, kind string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kinds[kind]++; r.kinds[kind] <= maxPerKind && len(*list) < maxOfKinds {
		*list = append(*list, v)
	}
}
