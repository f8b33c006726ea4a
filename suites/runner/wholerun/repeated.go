// SPDX-License-Identifier: Apache-2.0

package wholerun

import (
	"crypto/sha256"
	"encoding/json"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

// leastThinned is how many answers must have come since answers were last left out before it is tried again.
const leastThinned = maxAnswered / 20

// thinned leaves out, of the answers of one poll that say the same one after the other, all but the first and the last, and
// gives the room of the others back: a slow agent is asked for one task hundreds of times. What the task is like from the
// first of them on the first shows, and what it is like still the last.
func thinned(answers []operationAnswer, room *budget.Part) []operationAnswer {
	type run struct {
		says [sha256.Size]byte
		last int // where the last one stands that says so
		many bool
	}
	runs := map[string]*run{}
	left := make([]bool, len(answers))
	for i := range answers {
		a := &answers[i]
		if !a.asksAgain() {
			continue
		}
		asked, says := a.question(), a.saying()
		switch r := runs[asked]; {
		case r == nil || r.says != says:
			runs[asked] = &run{says: says, last: i}
		case !r.many:
			r.last, r.many = i, true
		default:
			left[r.last] = true
			r.last = i
		}
	}
	kept := answers[:0]
	for i := range answers {
		if left[i] {
			room.Give(answers[i].own())
			continue
		}
		kept = append(kept, answers[i])
	}
	clear(answers[len(kept):])
	return kept
}

// asksAgain says whether an answer is one that polls get: of an operation that reads.
func (a *operationAnswer) asksAgain() bool {
	return a.status != 0 && (a.operation == "GetTask" || a.operation == "ListTasks")
}

// question is what was asked, by whom and in which test.
func (a *operationAnswer) question() string {
	params, _ := json.Marshal(a.params) // of what was read from JSON
	test, _ := a.said["test"].(string)
	request, _ := a.said["request"].(string)
	return strings.Join([]string{a.operation, a.binding, a.by, test, request, string(params)}, "\x00")
}

// saying is a digest of what was answered, without the id of a JSON-RPC request.
func (a *operationAnswer) saying() [sha256.Size]byte {
	body := strings.Join(a.body, "")
	if members, is := jsontext.Parse([]byte(body)).(map[string]any); is && a.binding == "JSONRPC" {
		if _, is := members["id"]; is {
			delete(members, "id")
			if text, err := json.Marshal(members); err == nil {
				body = string(text)
			}
		}
	}
	status, _ := json.Marshal([]any{a.status, a.media})
	return sha256.Sum256(append(status, body...))
}

// own is how many bytes of the room an answer has for itself: the long strings are those of others too.
func (a *operationAnswer) own() (bytes int64) {
	for i := 0; i < len(a.body); i += 2 {
		bytes += int64(len(a.body[i]))
	}
	return bytes
}
