// SPDX-License-Identifier: Apache-2.0

package traits

import (
	"cmp"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// fewListed is how many tasks of a list are counted.
const fewListed = 5

// OfAnswer are the traits of an answer, beside those of its request. size is that of its body in bytes, and body is nil where it has none that could be read.
func OfAnswer(binding string, status int, media string, size int, body func() any) []Trait {
	var l list
	l.head(status, media)
	for _, kib := range []int{2, 4, 8, 16, 32, 64, 128, 256} {
		if size > kib<<10 {
			l.add(Size, fmt.Sprintf("answers of more than %d KiB", kib))
		}
	}
	if body == nil {
		return l
	}
	parsed := body()
	l.code(binding, status, parsed)
	if tasks, is := readers.Tasks(parsed).([]any); is && status < http.StatusMultipleChoices {
		switch n := len(tasks); {
		case n == 1:
			l.add(Holds, "lists of one task")
		case n <= fewListed:
			l.add(Holds, fmt.Sprintf("lists of %d tasks", n))
		default:
			l.add(Holds, "lists of many tasks")
		}
	}
	return append(l, OfTask(readers.Task(parsed))...)
}

func (l *list) head(status int, media string) {
	if status == 0 {
		return
	}
	l.add(Status, strconv.Itoa(status))
	if status >= http.StatusBadRequest {
		l.add(Success, "error answers")
	} else {
		l.add(Success, "answers without an error")
	}
	if kind, _, err := mime.ParseMediaType(media); err == nil {
		l.add(Media, kind)
	}
}

// code adds which error an answer tells: the name that A2A has for it, or the code as it stands there.
func (l *list) code(binding string, status int, body any) {
	_, isRPC := readers.Member(body, "jsonrpc").(string)
	if status < http.StatusBadRequest && !isRPC {
		return
	}
	name := ""
	if binding != "" {
		name = readers.MemberText(readers.Failure(binding, status, body), "name")
	}
	if code, is := readers.All["errcode"](body).(string); (name == "" || name == suites.Unnamed) && is {
		name = code
	}
	if number, is := readers.Member(readers.Member(body, "error"), "code").(json.Number); isRPC && is && (name == "" || name == suites.Unnamed) {
		name = number.String()
	}
	if name != suites.Unnamed {
		l.add(Code, name)
	}
}

// OfTask are the traits of a task that was shown.
func OfTask(task any) []Trait {
	var l list
	l.state(readers.MemberText(task, "state"))
	if list, is := readers.Member(task, "artifacts").([]any); is && len(list) > 0 {
		l.add(Holds, "tasks with artifacts")
	}
	if list, is := readers.Member(task, "history").([]any); is && len(list) > 0 {
		l.add(Holds, "tasks with a history")
	}
	if _, is := readers.Member(readers.Member(task, "status"), "message").(map[string]any); is {
		l.add(Holds, "tasks with a message in their status")
	}
	return l
}

func (l *list) state(state string) {
	l.add(State, state)
	switch {
	case state == "":
	case readers.IsFinal(strings.ToLower(strings.TrimPrefix(state, "TASK_STATE_"))):
		l.add(Course, "tasks that have ended")
	default:
		l.add(Course, "tasks that have not ended")
	}
}

var number = regexp.MustCompile(`/\d+`)

// placeIn is a JSON pointer without what differs from answer to answer: the result of JSON-RPC, and the places in lists.
func placeIn(pointer string) string {
	return number.ReplaceAllString(strings.TrimPrefix(pointer, "/result"), "/*")
}

// OfDelivery are the traits of what a webhook was sent.
func OfDelivery(body any) []Trait {
	_, task := readers.Push(body)
	return OfTask(task)
}

// NameOfFrame is what a reader calls a frame; empty where its name is none.
func NameOfFrame(name string) string {
	var l list
	if l.add(Frame, name); len(l) == 0 {
		return ""
	}
	return l[0].String()
}

// OfFrame are the traits of a frame of a terminal: what it is, and what is known of its connection.
func OfFrame(name string, replayed bool, c *observe.Connection) []Trait {
	var l list
	l.add(Frame, name)
	l.add(Credentials, c.Identity)
	l.add(Protocol, c.Subprotocol)
	if replayed {
		l.add(Replayed, "replayed frames")
	} else {
		l.add(Replayed, "live frames")
	}
	if c.Role != "" {
		l.add(Query, "role="+c.Role)
	}
	return l
}

// delivered is said of what has come to a webhook.
const delivered = "delivery"

// places are where a message stands, in words.
var places = map[string]string{"direct": "answers that are the message", "status": "statuses", "history": "histories"}

// OfElement are the traits of an element of a list of the whole run, whose request is on that route.
func OfElement(element any, route string) []Trait {
	said := func(name string) string { return readers.MemberText(element, name) }
	var l list
	l.add(Route, route)
	names, _ := readers.Member(element, "asked_with").([]any)
	for _, name := range names {
		if name, is := name.(string); is {
			l.add(Query, name)
		}
	}
	from := said("from") // the operation, of the objects in its answer
	if from == delivered {
		l.add(From, "deliveries")
		from = ""
	}
	l.add(Operation, cmp.Or(said("operation"), from))
	l.add(Binding, said("over"))
	method, address, asked := strings.Cut(said("request"), " ")
	if asked && strings.Contains(address, "/") {
		l.add(Method, method)
		l.query(&observe.Request{Method: method, URL: address})
	}
	l.add(From, places[said("place")])
	status, _ := strconv.Atoi(jsontext.Text(readers.Member(element, "status")))
	l.head(status, said("media_type"))
	if parsed, is := readers.Member(element, "json").(map[string]any); is {
		l.code(said("over"), status, parsed)
		l = append(l, OfTask(readers.Task(parsed))...)
	}
	value := readers.Member(element, "value")
	l.state(readers.MemberText(value, "state"))
	l.state(readers.MemberText(readers.Member(value, "status"), "state"))
	l.add(Place, placeIn(said("at")))
	for _, content := range contents {
		if !assertions.IsMissing(readers.Member(value, content)) {
			l.add(Holds, "parts of "+content)
		}
	}
	return l
}
