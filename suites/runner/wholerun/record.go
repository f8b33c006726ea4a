// SPDX-License-Identifier: Apache-2.0

// Package wholerun keeps a record of what no single test is about: the errors, refusals and tokens in all answers of a run, and
// the objects of A2A in them. A test of the whole run judges the record, which gives no verdict itself. Package observe reports
// to it what passes between a run and its target.
package wholerun

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

const (
	// leastToken is how long a token must be to be looked for in every answer: a shorter one could stand there by chance.
	leastToken = 16
	// maxPerKind bounds what is kept of each kind: the first ones say it.
	maxPerKind = 20
	// maxOfKinds bounds the elements of a list whose kinds are told apart.
	maxOfKinds = 1000
	// maxErrors and MaxOfErrors bound the error answers that are kept, and their bodies taken together.
	maxErrors, MaxOfErrors = 4000, 8 << 20
	// LongestError is the longest body of an error answer that is kept.
	LongestError = 64 << 10
)

// A Record holds what no single test is about.
type Record struct {
	mu       sync.Mutex
	tokens   map[string]string // identity by token
	refusals []any             // answers with status 429
	shown    []any             // answers that hold a token
	errors   []errorAnswer     // answers with a status of 400 and above
	held     *budget.Part      // bytes of their bodies

	kinds     map[string]int    // how many of each kind of these two
	nameless  []any             // errors that had to say which A2A error they are, and did not
	wanted    []any             // refusals that had to be ones, whichever
	answers   []operationAnswer // of operations of A2A, and what was delivered to webhooks
	ofAnswers *budget.Part      // bytes of their bodies
	thinFrom  int               // how many answers there must be before some are left out to make room
	literals  literals
	sentTexts map[string][]any // what messages of ours say, by messageId; nil: they said different things
	wrong     map[string]bool  // messageIds of ours that no server may take
	// begunWrongly are the tasks of messages of ours that no server may take and that had no messageId.
	begunWrongly map[string]bool
	openWrongly  int // such messages that have not been answered
	unkept       int // answers for which there was no room any more
	tooLong      int // answers that were too long to be kept

	settles    time.Duration // how long after its end a task may be listed as it was before, and how far apart tasks are whose order tells
	readErrors []any         // the errors that have been read already, each once
	read       *objects      // what has been taken out of the answers already, each of which is taken apart once
}

// An errorAnswer is an answer that says that something went wrong. Nobody reads it before the end of the run.
type errorAnswer struct {
	said   map[string]any
	media  string
	status int
	body   []byte
}

// New makes a record that looks for tokens, by identity, and keeps what it may of a budget. A task may be listed as it was
// before for as long as settles says, and in any order beside one whose time is that near.
func New(tokens map[string]string, held *budget.Budget, settles time.Duration) *Record {
	r := &Record{settles: settles, tokens: map[string]string{}, kinds: map[string]int{}, held: held.Part(MaxOfErrors), ofAnswers: held.Part(maxOfAnswers), literals: literals{}}
	for _, identity := range slices.Sorted(maps.Keys(tokens)) {
		if token := tokens[identity]; len(token) >= leastToken {
			r.tokens[token] = identity
		}
	}
	return r
}

// Observer is what fills the record. Deliveries are kept of plain A2A servers alone, whose objects they hold.
func (r *Record) Observer(plain bool) observe.Observer {
	o := observe.Observer{
		Asked: r.sends,
		Exchange: func(x *observe.Exchange) {
			defer r.answeredWrongly(&x.Request)
			if x.Status == 0 {
				return
			}
			r.answer(&x.Request, x.Status, x.Header, x.Body)
			if plain && x.Status == http.StatusTooManyRequests {
				return // which says nothing of what was asked
			}
			// What we have cut is no answer of an operation, nor is one in the place of a stream that came to no end, unless the target cut it.
			switch {
			case x.Unread:
				r.leftOut()
			case x.Problem == "" || !x.Ours && (x.Cut || !x.Streamed):
				r.operation(&x.Request, nil, x.Began, x.Status, x.Header, x.Body)
			}
		},
		StreamOpened: func(s *observe.Stream) { r.answer(&s.Request, s.Status, s.Header, nil) },
		StreamEvent: func(s *observe.Stream, e *observe.Event) {
			r.operation(&s.Request, s, time.Time{}, 0, nil, []byte(e.Data))
		},
		StreamEnded: func(s *observe.Stream, end *observe.StreamEnd) {
			defer r.answeredWrongly(&s.Request)
			r.answer(&s.Request, 0, nil, end.Raw)
		},
	}
	if plain {
		o.Delivery = func(d *observe.Delivery) { r.delivery(d.Test, "delivery to a webhook", d.Body) }
	}
	return o
}

// answer looks at an answer, or at a part of one: a stream's body comes without its header.
func (r *Record) answer(q *observe.Request, status int, header http.Header, body []byte) {
	if status == http.StatusTooManyRequests {
		refusal := about(q)
		if lines := header.Values("Retry-After"); len(lines) > 0 {
			refusal["retry_after"] = strings.Join(lines, ", ")
		}
		r.keep(&r.refusals, refusal)
	}
	if status >= http.StatusBadRequest && q.Binding != readers.BindingGRPC {
		r.keepError(errorAnswer{about(q), header.Get("Content-Type"), status, body})
	}
	for token, identity := range r.tokens {
		place := ""
		for name, lines := range header {
			if slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, token) }) {
				place = "header " + name
			}
		}
		if place == "" && bytes.Contains(body, []byte(token)) {
			place = "body"
		}
		if place != "" {
			leak := about(q)
			leak["token"], leak["place"], leak["status"] = identity, place, assertions.Number(int64(status))
			_, leak["error"] = readers.Member(jsontext.Parse(body), "error").(map[string]any) // as JSON-RPC tells errors, whatever the status
			r.keep(&r.shown, leak)
		}
	}
}

func about(q *observe.Request) map[string]any {
	return map[string]any{"test": q.Test, "request": q.Method + " " + q.URL}
}

func (r *Record) keep(list *[]any, v any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(*list) < maxPerKind {
		*list = append(*list, v)
	}
}

func (r *Record) keepError(e errorAnswer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case len(e.body) > LongestError:
		r.tooLong++
	case len(r.errors) < maxErrors && r.held.Take(int64(len(e.body))):
		r.errors = append(r.errors, e)
	default:
		r.unkept++
	}
}

// read is what a suite judges of an error answer. Of a problem document whose member status is a number, it says whether
// that repeats the status of the answer.
func (e errorAnswer) read() map[string]any {
	read := maps.Clone(e.said)
	read["status"], read["media_type"] = assertions.Number(int64(e.status)), e.media
	read["text"] = strings.ToValidUTF8(string(e.body), "\uFFFD")
	parsed := jsontext.Parse(e.body)
	if assertions.IsMissing(parsed) {
		return read
	}
	read["json"] = parsed
	media, _, _ := mime.ParseMediaType(e.media)
	if said, is := readers.Member(parsed, "status").(json.Number); is && media == "application/problem+json" {
		n, err := said.Float64()
		read["status_repeated"] = err == nil && n == float64(e.status)
	}
	return read
}

// Seen is what a test of the whole run may judge.
type Seen struct {
	Result map[string]any // what the hook whole-run answers
	Note   string         // of the lists that are judged, what was too long to be kept; empty: nothing was
	Partly string         // why what holds of these lists is not known to hold of everything that came; empty: it is
	At     int            // the same as long as nothing more has been seen
}

// lookedAt are the lists of what was looked at when it came. The others are read out of answers that are kept.
var lookedAt = []string{"shown_tokens", "too_many_requests", "tokens_looked_for", "unnamed_errors", "wanted_refusals"}

// Seen is what there is to see by now for a test that judges lists of the result.
func (r *Record) Seen(lists []string) Seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Seen{Result: r.result(), At: len(r.answers) + len(r.errors) + len(r.nameless) + len(r.wanted) + len(r.refusals) + len(r.shown)}
	kept := slices.DeleteFunc(slices.Clone(lists), func(list string) bool { return slices.Contains(lookedAt, list) })
	if len(kept) == 0 {
		return s
	}
	if r.tooLong > 0 {
		s.Note = fmt.Sprintf("answers that are too long to be kept were not checked: %d", r.tooLong)
	}
	for _, kind := range kept {
		if over := r.read.over[kind]; over > 0 {
			s.Partly = fmt.Sprintf("the run saw more different %s than it keeps for requirements about all of them: %d were not judged",
				strings.ReplaceAll(kind, "_", " "), over)
		}
	}
	if r.unkept > 0 {
		s.Partly = fmt.Sprintf("the run saw more answers of the target than it keeps for requirements about all of them: %d were not judged", r.unkept)
	}
	return s
}

// result is what the hook answers. The lock must be held.
func (r *Record) result() map[string]any {
	for _, e := range r.errors[len(r.readErrors):] {
		r.readErrors = append(r.readErrors, e.read())
	}
	seen := r.readObjects()
	result := map[string]any{
		"answers":           seen.unaryAnswers(),
		"errors":            slices.Clip(append([]any{}, r.readErrors...)),
		"unnamed_errors":    append([]any{}, r.nameless...),
		"wanted_refusals":   append([]any{}, r.wanted...),
		"too_many_requests": append([]any{}, r.refusals...),
		"tokens_looked_for": assertions.Number(int64(len(r.tokens))),
		"shown_tokens":      append([]any{}, r.shown...),
		"slips":             seen.book.Slips(),
	}
	for kind, list := range seen.kinds {
		result[kind] = slices.Clip(list) // what is seen later goes into another array, or behind its end
	}
	return result
}
