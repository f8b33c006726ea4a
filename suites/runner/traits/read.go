// SPDX-License-Identifier: Apache-2.0

package traits

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

const (
	longestValue = 80       // of a trait: what is longer is no name of anything
	longestRead  = 64 << 10 // of a body that is read for its traits
)

// A list gathers traits.
type list []Trait

func (l *list) add(kind Kind, value string) {
	if value != "" && len(value) <= longestValue && !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' }) {
		*l = append(*l, Trait{kind, value})
	}
}

// OfRequest are the traits of what a request has led to.
func OfRequest(q *observe.Request) []Trait {
	var l list
	l.add(Route, q.Route)
	l.add(Operation, q.Operation)
	l.add(Binding, q.Binding)
	l.add(Method, q.Method)
	l.add(Credentials, q.Identity)
	l.query(q)
	l.header(q)
	l.form(q)
	l.message(q)
	return l
}

// query adds the names of the parameters.
func (l *list) query(q *observe.Request) {
	if _, query, asks := strings.Cut(q.URL, "?"); asks {
		values, _ := url.ParseQuery(query) // of what cannot be read the rest
		for name := range values {
			l.add(Query, name)
		}
	}
	if q.Method == http.MethodGet || q.Operation == "" {
		return
	}
	params, _ := q.Params.(map[string]any)
	for name := range params {
		l.add(Query, name)
	}
}

// toldApart are the headers of requests that servers answer by.
var toldApart = []string{"A2A-Version", "A2A-Extensions", "Accept", "Last-Event-ID", "If-None-Match"}

func (l *list) header(q *observe.Request) {
	for _, name := range toldApart {
		at := slices.IndexFunc(q.Header, func(h observe.Field) bool { return strings.EqualFold(h.Name, name) })
		switch {
		case at < 0:
			l.add(Header, "without "+name)
		case name == "A2A-Extensions" || name == "Last-Event-ID" || name == "If-None-Match": // whose values are long, or differ each time
			l.add(Header, "with "+name)
		default:
			l.add(Header, fmt.Sprintf("with %s: %s", name, q.Header[at].Value))
		}
	}
}

// contents are the members of parts that hold what a part is about.
var contents = []string{"text", "data", "file", "url", "raw"}

// form adds what a body is that is no JSON object.
func (l *list) form(q *observe.Request) {
	if q.Method == http.MethodGet || len(q.Body) > longestRead {
		return
	}
	switch body := jsontext.Parse(q.Body); {
	case len(q.Body) == 0:
		l.add(Form, "sent without a body")
	case assertions.IsMissing(body):
		l.add(Form, "sent with a body that is no JSON")
	default:
		if _, is := body.(map[string]any); !is {
			l.add(Form, "sent with JSON that is no object")
		}
	}
}

// message adds of what the message of a request consists.
func (l *list) message(q *observe.Request) {
	var message any
	if params, is := q.Params.(map[string]any); is {
		message = params["message"]
	} else if q.Method == http.MethodPost && len(q.Body) > 0 && len(q.Body) <= longestRead {
		body := jsontext.Parse(q.Body)
		message = readers.Member(body, "message")
		if inner, is := readers.Member(body, "params").(map[string]any); is {
			message = inner["message"]
		}
	}
	members, is := message.(map[string]any)
	if !is {
		return
	}
	for _, name := range []string{"taskId", "contextId", "metadata", "extensions", "referenceTaskIds"} {
		if _, has := members[name]; has {
			l.add(Sent, "with "+name)
		} else {
			l.add(Sent, "without "+name)
		}
	}
	parts, is := members["parts"].([]any)
	switch {
	case !is:
	case len(parts) == 1:
		l.add(Sent, "of one part")
	case len(parts) > 1:
		l.add(Sent, "of several parts")
		l.add(Sent, fmt.Sprintf("of %d parts", len(parts)))
	}
	for _, part := range parts {
		for _, content := range contents {
			if !assertions.IsMissing(readers.Member(part, content)) {
				l.add(Sent, "with a part of "+content)
			}
		}
	}
}
