// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"net/textproto"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// observeAnswer makes the subjects of an exchange known. Nothing is parsed before somebody asks.
func observeAnswer(x *target.Exchange) *observation {
	o := newObservation()
	o.value("took", x.Took)
	if x.Problem != "" {
		o.noAnswer = x.Problem
		o.value("error", x.Problem)
	}
	if x.Ours {
		o.blocked = "the machine that runs the harness could not send the request: " + x.Problem
	}
	if x.Problem == "" && strings.Contains(x.Header.Get("Content-Type"), "json") && !utf8.Valid(x.Body) {
		o.noAnswer = "the body is no UTF-8, and so no JSON"
	}
	o.unsent = x.Unsent
	if x.Status == 0 {
		return o
	}
	observeHead(o, x.Status, x.Header)
	o.heavy, o.size = jsontext.IsHeavy(x.Body), weighs(x.Body)
	if x.Problem == "" { // what is there of a body that is not whole is evidence, and nothing to judge
		observeBody(o, x.Body, true, x.JSON)
	}
	o.set("location", func() any { return target.Location(x) })
	return o
}

func observeHead(o *observation, status int, header http.Header) {
	o.value("status", assertions.Number(int64(status)))
	o.set("header", func() any { return headerValues(header) })
	o.set("headers", func() any { return headerLines(header) })
	o.set("echoed", func() any { return echoed(header) })
}

// observeBody sets the body as bytes, text and JSON, and what the tolerant readers find in it. What has not come to its
// end (RFC 9112, 8) or is no UTF-8 (RFC 8259, 8.1) is no JSON, whatever it looks like. parse is the body taken apart where
// others ask for that as well; nil: nobody else does.
func observeBody(o *observation, body []byte, whole bool, parse func() any) {
	parsed := sync.OnceValue(func() any {
		switch {
		case !whole || !utf8.Valid(body):
			return assertions.Missing
		case parse != nil:
			return parse()
		}
		return jsontext.Parse(body)
	})
	o.value("bytes", body)
	o.set("text", func() any { return strings.ToValidUTF8(string(body), "\uFFFD") })
	o.set("json", parsed)
	o.set("body", func() any { return assertions.Body{Bytes: body, JSON: parsed()} })
	o.reads(parsed)
}

// spellings are header names that people do not write the way Go does. An object of headers has both, so that a suite
// finds them inside lists, where no path of ours leads.
var spellings = map[string]string{
	"A2a-Extensions":         "A2A-Extensions",
	"A2a-Version":            "A2A-Version",
	"Etag":                   "ETag",
	"Sec-Websocket-Protocol": "Sec-WebSocket-Protocol",
	"Www-Authenticate":       "WWW-Authenticate",
	"X-Aiwg-Signature":       "X-AIWG-Signature",
}

func headerValues(header http.Header) map[string]any {
	members := make(map[string]any, len(header)+1)
	for name, lines := range header {
		setHeader(members, name, strings.Join(lines, ", "))
	}
	return members
}

func headerLines(header http.Header) map[string]any {
	members := make(map[string]any, len(header)+1)
	for name, lines := range header {
		list := make([]any, len(lines))
		for i, line := range lines {
			list[i] = line
		}
		setHeader(members, name, list)
	}
	return members
}

func setHeader(members map[string]any, name string, v any) {
	members[name] = v
	if spelled := spellings[name]; spelled != "" {
		members[spelled] = v
	}
}

// headerAt finds a header by name in whatever case the suite writes it: `header.A2A-Extensions`.
func headerAt(members map[string]any, name assertions.Path) any {
	if name.Head() == "" {
		return name.Find(members)
	}
	v, found := members[textproto.CanonicalMIMEHeaderKey(name.Head())]
	if !found {
		return assertions.Missing
	}
	return name.Tail().Find(v)
}

// echoed lists the extensions that an answer says it applied.
func echoed(header http.Header) any {
	list := []any{}
	for _, line := range header.Values("A2A-Extensions") {
		for uri := range strings.SplitSeq(line, ",") {
			if uri = strings.TrimSpace(uri); uri != "" {
				list = append(list, uri)
			}
		}
	}
	return list
}
