// SPDX-License-Identifier: Apache-2.0

package wholerun

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/consistency"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

const (
	// maxAnswered and maxOfAnswers bound the answers of operations that are kept for the whole run, and their bodies.
	maxAnswered, maxOfAnswers = 20_000, 32 << 20
	// longestAnswered is the longest body of one that is kept: pages of the longest messages that tests send fit.
	longestAnswered = 4 << 20
	// MaxObjects bounds the objects that are taken out of them, of all kinds together. An ordinary run has a third as many, one over
	// three bindings two thirds.
	MaxObjects = 100_000
)

// An operationAnswer is what an operation was answered: the body of a unary one, an item of a stream, or what was
// delivered to a webhook. Nobody reads it before the end of the run.
type operationAnswer struct {
	said      map[string]any
	operation string // empty: it was delivered to a webhook
	by        string // whose credentials were shown
	binding   string
	status    int // 0: an item of a stream, or a delivery
	media     string
	body      []string // in pieces: see [literals]

	params any             // that were sent; nil: none
	stream *observe.Stream // nil: it is no item of one
	asked  time.Time       // zero: of an event or a delivery nobody knows how old it is
	known  time.Time
}

// operation keeps an answer of an operation, unless version 0.3 was asked for: what that is answered has its own form.
func (r *Record) operation(q *observe.Request, stream *observe.Stream, asked time.Time, status int, header http.Header, body []byte) {
	if q.Operation == "" || asksForOldVersion(q.Header) {
		return
	}
	if len(body) > longestAnswered {
		r.leftOut()
		return
	}
	r.beganWrongly(q, body)
	params := q.Params
	if len(q.Body) > longestAnswered {
		params = nil
	}
	r.keepAnswer(operationAnswer{said: about(q), operation: q.Operation, by: q.Identity, binding: q.Binding, status: status, media: header.Get("Content-Type"),
		params: params, asked: asked, stream: stream}, body)
}

// asksForOldVersion says whether a request asks for version 0.3 of the protocol, which none and an empty one mean too.
func asksForOldVersion(header []observe.Field) bool {
	return !slices.ContainsFunc(header, func(h observe.Field) bool {
		return strings.EqualFold(h.Name, "A2A-Version") && h.Value != "" && h.Value != "0.3" && !strings.HasPrefix(h.Value, "0.3.")
	})
}

// delivery keeps what was delivered to a webhook of a plain A2A server.
func (r *Record) delivery(test, request string, body []byte) {
	if len(body) > longestAnswered {
		r.leftOut()
		return
	}
	r.keepAnswer(operationAnswer{said: map[string]any{"test": test, "request": request}}, body)
}

func (r *Record) keepAnswer(a operationAnswer, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a.known = time.Now()
	pack := func() bool {
		if len(r.answers) < maxAnswered {
			a.body = r.literals.pack(body, r.ofAnswers)
		}
		return a.body != nil
	}
	if !pack() && r.thin() {
		pack()
	}
	if a.body == nil {
		r.unkept++
		return
	}
	r.answers = append(r.answers, a)
}

// thin makes room by leaving out what polls were told again and again, and says whether it has tried. The lock must be held.
func (r *Record) thin() bool {
	if len(r.answers) < r.thinFrom {
		return false
	}
	taken := 0
	if r.read != nil {
		taken = r.read.taken
	}
	r.answers = append(r.answers[:taken], thinned(r.answers[taken:], r.ofAnswers)...)
	r.thinFrom = len(r.answers) + leastThinned
	return true
}

// leftOut notes an answer that is too long to be kept.
func (r *Record) leftOut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tooLong++
}

// objects are the protocol's objects that were seen, by kind, and the unary answers they came with.
type objects struct {
	kinds   map[string][]any
	sent    map[string][]any // the texts of the messages that the run has sent, by messageId
	wrong   map[string]bool  // messageIds that the run has sent in messages which no server may take
	begun   map[string]bool  // ids of the tasks that servers have begun with messages which had no messageId
	open    bool             // some of these have not been answered: which tasks they began nobody knows
	answers []any
	serves  map[string]bool // by route: there was an answer that was no error
	told    []any           // the answers with what is known of all of them, for as many as were taken apart then
	toldOf  int
	book    consistency.Book
	// literals are the long strings of what is taken apart.
	literals literals
	taken    int // how many of the answers of the run have been taken apart
	kept     int
	// known are the objects of a kind that are kept, from when there was no room for more for the first time; over is how many
	// different from them came that there was no room for.
	known map[string]map[[sha256.Size]byte]bool
	over  map[string]int
}

// objectKinds are the lists that the hook whole-run shows of a plain A2A server. An element is {value, at (where it stood in
// the body), from (the operation, or delivery), over (the binding), test, request}; of messages also place: direct, status, history, and of those in
// a history, where the run has sent them as nothing but texts, sent_texts and texts: what was sent, and what is shown; and
// sent_wrong, where the run has sent them in a form that no server may take;
// of the parts of messages also message, the messageId.
var objectKinds = strings.Fields("responses items tasks statuses messages parts artifacts status_updates artifact_updates")

// readObjects takes the answers of the run apart that have come since it was last asked. The lock must be held.
func (r *Record) readObjects() *objects {
	if r.read == nil {
		r.read = &objects{literals: literals{}, book: consistency.Book{Settles: r.settles, OrderTells: r.settles}, kinds: map[string][]any{}, answers: []any{}, serves: map[string]bool{},
			over: map[string]int{}}
		for _, kind := range objectKinds {
			r.read.kinds[kind] = []any{}
		}
	}
	r.read.sent, r.read.wrong, r.read.begun, r.read.open = r.sentTexts, r.wrong, r.begunWrongly, r.openWrongly > 0
	for _, a := range r.answers[r.read.taken:] {
		r.read.take(a)
	}
	r.read.taken = len(r.answers)
	return r.read
}

func (o *objects) take(a operationAnswer) {
	text := strings.Join(a.body, "")
	parsed := o.literals.share(jsontext.Parse([]byte(text)))
	seen := map[string]any{"from": "delivery", "test": a.said["test"], "request": a.said["request"]}
	said := consistency.Answer{Test: a.said["test"].(string), Request: a.said["request"].(string), Operation: a.operation, By: a.by, Over: a.binding, Params: a.params,
		Asked: a.asked, Known: a.known}
	if a.operation == "" {
		said.Result, said.Item = parsed, true
		o.book.Add(said)
		o.item(seen, "", parsed)
		return
	}
	seen["from"], seen["over"] = a.operation, a.binding
	at, result := "", parsed
	if a.binding == "JSONRPC" {
		at, result = "/result", readers.Member(parsed, "result")
	}
	said.At, said.Result = at, result
	if a.status == 0 {
		said.Item, said.Stream = true, a.stream
		if !readers.IsErrorItem(parsed) {
			o.serves[route(a.operation, a.binding, said.Request)] = true
		}
		o.book.Add(said)
		o.item(seen, at, result)
		return
	}
	if len(text) > longLiteral && !assertions.IsMissing(parsed) && readers.Failure(a.binding, a.status, parsed) == nil {
		text = strings.ToValidUTF8(text[:longLiteral], "") // of an object that was asked for the value says the rest
	}
	answer := withMembers(seen, map[string]any{"operation": a.operation, "status": assertions.Number(int64(a.status)),
		"media_type": a.media, "text": strings.ToValidUTF8(text, "\uFFFD")})
	if !assertions.IsMissing(parsed) {
		answer["json"] = parsed
	}
	if params, is := a.params.(map[string]any); is && len(params) > 0 {
		names := []any{}
		for _, name := range slices.Sorted(maps.Keys(params)) {
			names = append(names, name)
		}
		answer["asked_with"] = names
	}
	said.Nth = len(o.answers) + 1
	answer["nth"] = assertions.Number(int64(said.Nth))
	if a.operation == "CreateTaskPushNotificationConfig" && a.params != nil && readers.MemberText(a.params, "url") == "" {
		answer["sent_wrong"] = true
	}
	o.answers = append(o.answers, answer)
	if a.status >= http.StatusOK && a.status < http.StatusMultipleChoices {
		o.serves[route(a.operation, a.binding, said.Request)] = true
	}
	if readers.Failure(a.binding, a.status, parsed) != nil {
		return
	}
	o.book.Add(said)
	switch a.operation {
	case "SendMessage":
		o.add("responses", seen, at, result)
		o.wrapped(seen, at, result)
	case "GetTask", "CancelTask":
		if _, inside := readers.Member(result, "task").(map[string]any); inside { // that it is wrapped is one requirement
			at, result = at+"/task", readers.Member(result, "task")
		}
		o.task(seen, at, result)
	case "ListTasks":
		list, _ := readers.Member(result, "tasks").([]any)
		for i, task := range list {
			place := fmt.Sprintf("%s/tasks/%d", at, i)
			if _, is := task.(map[string]any); !is {
				o.add("tasks", seen, place, task)
			}
			o.task(seen, place, task)
		}
	}
}

// unaryAnswers are the unary answers, with their number and, as asked_with, the names of what was asked with. One to a push configuration without the url that each must have has the member sent_wrong:
// no server may take it, and what one answers that does is not judged twice. A refusal of an operation that was served elsewhere in the run has the member served: it is
// not that of a route which there is not.
func (o *objects) unaryAnswers() []any {
	if o.told != nil && o.toldOf == o.taken { // many requirements ask at the end of a run
		return slices.Clip(o.told)
	}
	told := make([]any, len(o.answers))
	for i, v := range o.answers {
		answer := v.(map[string]any)
		operation, _ := answer["operation"].(string)
		binding, _ := answer["over"].(string)
		request, _ := answer["request"].(string)
		if status, _ := answer["status"].(json.Number).Int64(); status >= http.StatusBadRequest && o.serves[route(operation, binding, request)] {
			answer = withMembers(answer, map[string]any{"served": true})
		}
		told[i] = answer
	}
	o.told, o.toldOf = told, o.taken
	return slices.Clip(told)
}

// route names what an operation is served by over a binding: a subscription may be served by another method than the one that
// was tried (AMB-01).
func route(operation, binding, request string) string {
	method, _, _ := strings.Cut(request, " ")
	return operation + " " + binding + " " + method
}

func withMembers(members, more map[string]any) map[string]any {
	all := make(map[string]any, len(members)+len(more))
	for _, from := range []map[string]any{members, more} {
		for name, v := range from {
			all[name] = v
		}
	}
	return all
}

// add notes an object; what is none is kept too, as the requirement about its shape may be the one to say so. Where there is
// no room for more, one is kept of those that differ in the place alone: a task is read over and over until it ends, and a long history
// is listed again and again. What there is no room for then is over.
func (o *objects) add(kind string, seen map[string]any, at string, v any) {
	object := withMembers(seen, map[string]any{"value": v, "at": at})
	if o.kept >= MaxObjects && o.known == nil {
		o.thinOut()
	}
	if o.known != nil {
		like := likeness(object)
		switch {
		case o.known[kind][like]:
			return
		case o.kept >= MaxObjects:
			o.over[kind]++
			return
		}
		o.known[kind][like] = true
	}
	o.kinds[kind], o.kept = append(o.kinds[kind], object), o.kept+1
}

// thinOut keeps the first of those objects that differ in the place alone.
func (o *objects) thinOut() {
	o.known, o.kept = map[string]map[[sha256.Size]byte]bool{}, 0
	for kind, all := range o.kinds {
		known, kept := map[[sha256.Size]byte]bool{}, []any{} // whoever has been shown the list goes on with it
		for _, object := range all {
			if like := likeness(object.(map[string]any)); !known[like] {
				known[like], kept = true, append(kept, object)
			}
		}
		o.known[kind], o.kinds[kind] = known, kept
		o.kept += len(kept)
	}
}

// likeness is the same for objects that differ in the place alone where they were seen.
func likeness(object map[string]any) [sha256.Size]byte {
	same := maps.Clone(object)
	for _, place := range []string{"test", "request", "at"} {
		delete(same, place)
	}
	text, _ := json.Marshal(same) // of what was JSON before, with members in their order
	return sha256.Sum256(text)
}
