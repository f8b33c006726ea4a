// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// mostBody bounds the body of an answer; the rest is not read, and the observation says so.
const mostBody = 4 << 20

// userAgent is what targets see in their logs.
const userAgent = "agentic-sandbox-conformance"

// A request is what is sent: everything filled in.
type request struct {
	method, url string
	header      []suites.Header
	body        []byte // nil: none
	raw         bool
	wraps, bare bool // sends a message in the usual form, or as a bare Message (ruling AMB-21)
	redirects   int
	first       *request      // the one that was redirected to this one; nil: none
	upgrades    bool          // asks for a WebSocket
	streamed    bool          // the answer is read as it comes
	shares      bool          // may go out on a kept connection although it cannot be sent again
	lost        bool          // got no answer on a kept connection, which may have been closed before it came
	repeats     bool          // its message had been sent before
	limit       time.Duration // of the whole exchange
	identity    string        // whose credentials it carries, for the reader of a report
	actor       string
	call        *call  // the operation that it is; nil: none
	message     []byte // of a call of gRPC, in place of body
	gate        func() // waited for before the body goes out; nil: nothing
	route       string // method and path without what differs from test to test; "" when it has none
}

// An exchange is a request and what came back.
type exchange struct {
	request *request
	began   time.Time
	took    time.Duration
	status  int    // 0: no answer
	line    string // "HTTP/1.1 200 OK"
	header  http.Header
	body    []byte
	problem string         // why there is no answer, or why the body is not whole
	late    bool           // the body was not complete in time
	cut     bool           // the connection ended before the body did
	ours    bool           // the problem is the harness's own machine
	unsent  *report.Reason // it was not even sent, and why
	json    func() any     // the body taken apart, once for all who ask; nil: nobody but the step asks
}

// do sends a request, once, and reads the whole answer.
func (c *client) do(ctx context.Context, q *request) *exchange {
	x := &exchange{request: q, began: time.Now()}
	if err := c.wait(ctx); err != nil {
		x.problem = wire.Why(err, q.limit)
		return x
	}
	x.began = time.Now()
	within, cancel := context.WithTimeout(ctx, q.limit)
	defer cancel()
	answer, at, err := c.send(within, q)
	if !at.IsZero() {
		x.began = at
	}
	if err != nil {
		x.took = time.Since(x.began)
		x.problem, x.ours = wire.Why(err, q.limit), wire.IsOurs(err)
		return x
	}
	defer answer.Body.Close()
	x.status, x.line, x.header = answer.StatusCode, answer.Proto+" "+answer.Status, answer.Header
	if answer.StatusCode != http.StatusSwitchingProtocols {
		x.body, err = readBounded(unzipped(answer), mostBody)
	}
	x.took = time.Since(x.began)
	switch {
	case errors.Is(err, errTooLong):
		x.problem = fmt.Sprintf("the body is longer than %d MiB and was cut", mostBody>>20)
	case errors.Is(err, context.DeadlineExceeded):
		x.problem, x.late = "the body was not complete within "+q.limit.String(), true
	case err != nil:
		x.problem, x.cut = "the body was cut: "+wire.Why(err, q.limit), true
	case jsontext.TooMany(x.body):
		x.problem = fmt.Sprintf("the body holds more than %d JSON values and was not taken apart", jsontext.MaxValues)
	}
	return x
}

// send sends a request and returns when the header of the answer has arrived, with the time at which there was a
// connection to send it on. Nothing but a GET is ever sent twice, except what cannot have reached anybody because not one
// byte of it was written.
func (c *client) send(ctx context.Context, q *request) (answer *http.Response, at time.Time, err error) {
	if q.isGRPC() {
		return c.calls.send(ctx, q)
	}
	for attempt := 0; ; attempt++ {
		sent, err := q.build()
		if err != nil {
			return nil, at, err
		}
		var untouched func() bool
		reused := false
		trace := &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
			at, reused = time.Now(), got.Reused
			before := wire.WrittenTo(got.Conn)
			untouched = func() bool { return got.Reused && before >= 0 && wire.WrittenTo(got.Conn) == before }
		}}
		answer, err = c.through(q).RoundTrip(sent.WithContext(httptrace.WithClientTrace(ctx, trace)))
		if err == nil {
			return answer, at, nil
		}
		if untouched == nil || !untouched() || attempt > 2 || ctx.Err() != nil {
			q.lost = reused && ctx.Err() == nil && !q.repeatable()
			return nil, at, err
		}
	}
}

// repeatable says whether the request may be sent again when a kept connection turns out to be dead.
func (q *request) repeatable() bool {
	return q.method == http.MethodGet || q.method == http.MethodHead || q.method == http.MethodOptions
}

// build makes the request that net/http sends. Header names go out as they are written.
func (q *request) build() (*http.Request, error) {
	address, err := q.address()
	if err != nil {
		return nil, err
	}
	sent := &http.Request{Method: q.method, URL: address, Host: address.Host, Header: http.Header{},
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	sent.Header["User-Agent"] = []string{userAgent}
	for _, h := range q.header {
		switch textproto.CanonicalMIMEHeaderKey(h.Name) {
		case "Host":
			sent.Host = h.Value
			continue
		case "User-Agent":
			delete(sent.Header, "User-Agent")
		}
		sent.Header[h.Name] = append(sent.Header[h.Name], h.Value)
	}
	if q.body != nil {
		// GetBody stays nil: with it, net/http would send a POST again when a kept connection turns out to be dead.
		sent.Body = io.NopCloser(bytes.NewReader(q.body))
		sent.ContentLength = int64(len(q.body))
		switch {
		case len(q.body) == 0:
			sent.Body = http.NoBody
		case q.gate != nil:
			sent.Body = &gatedBody{Reader: sent.Body, gate: q.gate}
		}
	}
	return sent, nil
}

// A gatedBody waits before its first byte. The header is not sent before, but with it: net/http collects both.
type gatedBody struct {
	io.Reader
	gate func()
}

// Read waits for the gate, once, and reads.
func (g *gatedBody) Read(into []byte) (int, error) {
	g.gate()
	return g.Reader.Read(into)
}

// Close has nothing to close.
func (g *gatedBody) Close() error { return nil }

// address is the request's URL; a raw one is taken apart no further than its authority.
func (q *request) address() (*url.URL, error) {
	if !q.raw {
		u, err := url.Parse(q.url)
		if err != nil {
			return nil, fmt.Errorf("not a URL: %w", errors.Unwrap(err))
		}
		if u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return nil, fmt.Errorf("%q is not an http or https URL", q.url)
		}
		u.User, u.Fragment, u.RawFragment = nil, "", ""
		return u, nil
	}
	scheme, rest, found := strings.Cut(q.url, "://")
	if !found || (scheme != "http" && scheme != "https") {
		return nil, fmt.Errorf("%q is not an http or https URL", q.url)
	}
	host, target := rest, "/"
	if at := strings.IndexAny(rest, "/?"); at >= 0 {
		host, target = rest[:at], rest[at:]
	}
	if strings.HasPrefix(target, "//") {
		return &url.URL{Scheme: scheme, Host: host, Path: target}, nil // an Opaque that begins so would become absolute
	}
	return &url.URL{Scheme: scheme, Host: host, Opaque: target}, nil
}

var errTooLong = errors.New("too long")

// readBounded reads at most that much. What was read until an error is returned with it.
func readBounded(r io.Reader, most int64) ([]byte, error) {
	b := make([]byte, 0, min(512, most+1))
	for {
		if len(b) == cap(b) {
			grown := make([]byte, len(b), min(2*int64(cap(b)), most+1))
			copy(grown, b)
			b = grown
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > most:
			return b[:most], errTooLong
		case err == io.EOF:
			return b, nil
		case err != nil:
			return b, err
		}
	}
}

// unzipped is the body of an answer as it was before it was compressed, which only a request that takes gzip may be given
// (RFC 9110 section 12.5.3); what cannot be taken apart reads as an error.
func unzipped(answer *http.Response) io.Reader {
	if answer.Request == nil || answer.Request.Header.Get("Accept-Encoding") != "gzip" || !strings.EqualFold(answer.Header.Get("Content-Encoding"), "gzip") {
		return answer.Body
	}
	return &zippedBody{from: answer.Body}
}

// A zippedBody is opened by its first read.
type zippedBody struct {
	from io.Reader
	open *gzip.Reader
}

func (z *zippedBody) Read(into []byte) (int, error) {
	if z.open == nil {
		var err error
		if z.open, err = gzip.NewReader(z.from); err != nil {
			return 0, err
		}
	}
	return z.open.Read(into)
}
