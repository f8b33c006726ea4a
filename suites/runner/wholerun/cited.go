// SPDX-License-Identifier: Apache-2.0

package wholerun

import (
	"bytes"
	"encoding/json"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// Cited shows an element of a list of the whole run to whoever reads a finding about it: in one line what was answered and where the element stood in
// that, and the element itself, or the answer, as JSON or as it came. Secrets may be in both. The line is empty of what is no such element.
func Cited(element any) (head string, body []byte) {
	request, test := readers.MemberText(element, "request"), readers.MemberText(element, "test")
	if request == "" {
		return "", nil
	}
	head = request
	if test != "" {
		head = test + " asked " + request
	}
	shown := readers.Member(element, "json")
	status, is := readers.Member(element, "status").(json.Number)
	switch {
	case readers.MemberText(element, "from") == "delivery":
		head = request + " of " + test
	case is:
		head += " and was answered with status " + status.String()
	default:
		head += " and was answered"
	}
	if at, is := readers.Member(element, "at").(string); is {
		if value := readers.Member(element, "value"); !assertions.IsMissing(value) {
			shown = value
		}
		if at != "" {
			head += ", at " + at
		}
	}
	switch text, is := readers.Member(element, "text").(string); {
	case !assertions.IsMissing(shown):
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(shown); err != nil {
			return "", nil
		}
		body = bytes.TrimSpace(b.Bytes())
	case is:
		body = []byte(text)
	}
	return head, body
}
