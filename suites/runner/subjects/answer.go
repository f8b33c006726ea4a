// SPDX-License-Identifier: Apache-2.0

package subjects

import (
	"encoding/json"
	"net/http"
	"net/textproto"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// OfAnswer makes the subjects of an exchange known. Nothing is parsed before somebody asks.
func OfAnswer(x *target.Exchange) *Observation {
	o := New()
	o.Value("took", x.Took)
	if x.Problem != "" {
		o.NoAnswer, o.InVain = x.Problem, x.InVain
		o.Value("error", x.Problem)
	}
	if x.Unread {
		o.LeavesUnread(x.Problem)
	}
	if x.Ours {
		o.Blocked = "the machine that runs the harness could not send the request: " + x.Problem
	}
	if x.Problem == "" && strings.Contains(x.Header.Get("Content-Type"), "json") && !utf8.Valid(x.Body) {
		o.NoAnswer = "the body is not UTF-8, so it cannot be read as JSON"
	}
	o.Unsent = x.Unsent
	if x.Status == 0 {
		return o
	}
	o.SetHead(x.Status, x.Header)
	o.Heavy, o.Size = jsontext.IsHeavy(x.Body), jsontext.Weight(x.Body)
	if x.Problem == "" { // what is there of a body that is not whole is evidence, and nothing to judge
		o.SetBody(x.Body, true, x.JSON)
	}
	o.Set("location", func() any { return target.Location(x) })
	return o
}

// SetHead sets the subjects of the head of an answer.
func (o *Observation) SetHead(status int, header http.Header) {
	o.Value("status", assertions.Number(int64(status)))
	o.Set("header", func() any { return HeaderValues(header) })
	o.Set("headers", func() any { return HeaderLines(header) })
	o.Set("echoed", func() any { return Echoed(header) })
}

// SetBody sets the body as bytes, text and JSON, and what the tolerant readers find in it. What has not come to its
// end (RFC 9112, 8) or is no UTF-8 (RFC 8259, 8.1) is no JSON, whatever it looks like. parse is the body taken apart where
// others ask for that as well; nil: nobody else does.
func (o *Observation) SetBody(body []byte, whole bool, parse func() any) {
	parsed := sync.OnceValue(func() any {
		switch {
		case !whole || !utf8.Valid(body):
			return assertions.Missing
		case parse != nil:
			return parse()
		}
		return jsontext.Parse(body)
	})
	o.Value("bytes", body)
	o.Set("text", func() any { return strings.ToValidUTF8(string(body), "\uFFFD") })
	o.Set("json", parsed)
	o.Set("body", func() any { return assertions.Body{Bytes: body, JSON: parsed()} })
	o.Reads(parsed)
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

// HeaderValues are the values of header lines by name, those of several lines in one.
func HeaderValues(header http.Header) map[string]any {
	members := make(map[string]any, len(header)+1)
	for name, lines := range header {
		setHeader(members, name, strings.Join(lines, ", "))
	}
	return members
}

// HeaderLines are the values of header lines by name, in lists.
func HeaderLines(header http.Header) map[string]any {
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

// Echoed lists the extensions that an answer says it applied.
func Echoed(header http.Header) any {
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

// Milliseconds is a duration as suites read it, in milliseconds.
func Milliseconds(d time.Duration) json.Number { return assertions.Number(d.Milliseconds()) }
