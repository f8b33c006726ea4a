// SPDX-License-Identifier: Apache-2.0

package wire

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
	"sync/atomic"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

// MaxBody bounds the body of an answer; the rest is not read, and the observation says so.
const MaxBody = 4 << 20

// UserAgent is what targets see in their logs.
const UserAgent = "agentic-sandbox-conformance"

// A Request is what is sent: everything filled in.
type Request struct {
	Method, URL string
	Header      []suites.Header
	Body        []byte         // nil: none
	Raw         bool           // the URL goes out as it is written
	Chunked     bool           // the body goes out in chunks, and its length is not said
	Shares      bool           // may go out on a kept connection although it cannot be sent again
	Limit       time.Duration  // of the whole exchange
	Gate        func()         // waited for before the body goes out; nil: nothing
	GRPC        *GRPCCall      // the call of gRPC that it is; nil: it is none
	Lost        bool           // got no answer on a kept connection, which may have been closed before it came
	Written     bool           // was written whole to a connection, if only to one that ended without an answer
	Room        func(int) bool // whether a body that is heavy may take so many bytes more; nil: as many as MaxBody
}

// A GRPCCall is what goes out in place of a body when a request is a call of gRPC.
type GRPCCall struct {
	Operation string
	Message   []byte // as protobuf writes it
}

// An Exchange is what came back for a request.
type Exchange struct {
	Began   time.Time
	Took    time.Duration
	Status  int    // 0: no answer
	Line    string // "HTTP/1.1 200 OK"
	Header  http.Header
	Body    []byte
	Problem string // why there is no answer, or why the body is not whole
	Late    bool   // the body was not complete in time
	InVain  bool   // the problem is that the time was up
	Cut     bool   // the connection ended before the body did
	Held    int    // bytes of the body that there was room for by Request.Room
	Unread  bool   // there is more of the answer than a bound of ours lets in, or lets be taken apart
	Ours    bool   // the problem is the harness's own machine
}

// Do sends a request, once, and reads the whole answer.
func (c *Client) Do(ctx context.Context, q *Request) *Exchange {
	x := &Exchange{Began: time.Now()}
	if err := c.Wait(ctx); err != nil {
		x.Problem = Why(err, q.Limit)
		return x
	}
	x.Began = time.Now()
	within, cancel := context.WithTimeout(ctx, q.Limit)
	defer cancel()
	answer, at, err := c.Send(within, q)
	if !at.IsZero() {
		x.Began = at
	}
	if err != nil {
		x.Took = time.Since(x.Began)
		x.Problem, x.Ours, x.Unread, x.InVain = Why(err, q.Limit), IsOurs(err), errors.Is(err, ErrTooLong), TimedOut(err)
		return x
	}
	defer answer.Body.Close()
	x.Status, x.Line, x.Header = answer.StatusCode, answer.Proto+" "+answer.Status, answer.Header
	if answer.StatusCode != http.StatusSwitchingProtocols {
		x.Body, err = ReadBounded(answer.Body, answer.ContentLength, MaxBody, func(size int) bool {
			if q.Room == nil {
				return true
			}
			more := size - x.Held
			x.Held = size
			return q.Room(more)
		})
	}
	x.Took = time.Since(x.Began)
	switch {
	case errors.Is(err, ErrTooLong):
		x.Problem, x.Unread = fmt.Sprintf("the body is longer than %d MiB and was cut", MaxBody>>20), true
	case errors.Is(err, errNoRoom):
		x.Problem, x.Unread = "the body is longer than a MiB, and was cut because there was no room for it: other long answers are held too", true
	case errors.Is(err, context.DeadlineExceeded):
		x.Problem, x.Late, x.InVain = "the body was not complete within "+q.Limit.String(), true, true
	case err != nil:
		x.Problem, x.Cut = "the body was cut: "+Why(err, q.Limit), true
	case jsontext.TooMany(x.Body):
		x.Problem, x.Unread = fmt.Sprintf("the body holds more than %d JSON values and was not taken apart", jsontext.MaxValues), true
	}
	return x
}

// Send sends a request and returns when the header of the answer has arrived, with the time at which there was a
// connection to send it on. An answer 101 has no body. Nothing but a GET is ever sent twice, except what cannot have reached anybody because not one
// byte of it was written.
func (c *Client) Send(ctx context.Context, q *Request) (answer *http.Response, at time.Time, err error) {
	if q.GRPC != nil {
		return c.calls.Send(ctx, q)
	}
	for attempt := 0; ; attempt++ {
		sent, err := q.build()
		if err != nil {
			return nil, at, err
		}
		var untouched func() bool
		reused, written := false, new(atomic.Bool)
		trace := &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
			at, reused = time.Now(), got.Reused
			before := WrittenTo(got.Conn)
			untouched = func() bool { return got.Reused && before >= 0 && WrittenTo(got.Conn) == before }
		}, WroteRequest: func(wrote httptrace.WroteRequestInfo) {
			if wrote.Err == nil {
				written.Store(true)
			}
		}}
		answer, err = c.through(q).RoundTrip(sent.WithContext(httptrace.WithClientTrace(ctx, trace)))
		if err == nil {
			withoutUpgrade(answer)
			unzip(answer)
			return answer, at, nil
		}
		q.Written = q.Written || written.Load() // only now: whoever sends a stream has the request as well
		if untouched == nil || !untouched() || attempt > 2 || ctx.Err() != nil {
			q.Lost = reused && ctx.Err() == nil && !q.repeatable()
			return nil, at, err
		}
	}
}

// withoutUpgrade takes the connection out of an answer 101, which no request that is sent here asks for: what net/http gives as its
// body is the bare connection, whose reading no context ends.
func withoutUpgrade(answer *http.Response) {
	if answer.StatusCode == http.StatusSwitchingProtocols {
		answer.Body.Close()
		answer.Body = http.NoBody
	}
}

// repeatable says whether the request may be sent again when a kept connection turns out to be dead.
func (q *Request) repeatable() bool {
	return q.Method == http.MethodGet || q.Method == http.MethodHead || q.Method == http.MethodOptions
}

// build makes the request that net/http sends. Header names go out as they are written.
func (q *Request) build() (*http.Request, error) {
	address, err := q.Address()
	if err != nil {
		return nil, err
	}
	sent := &http.Request{Method: q.Method, URL: address, Host: address.Host, Header: http.Header{},
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	// Nobody sees when the answer to a HEAD ends. A server that treats it like a GET, of a stream say, may answer nothing more on its connection.
	sent.Close = q.Method == http.MethodHead
	sent.Header["User-Agent"] = []string{UserAgent}
	for _, h := range q.Header {
		switch textproto.CanonicalMIMEHeaderKey(h.Name) {
		case "Host":
			sent.Host = h.Value
			continue
		case "User-Agent":
			delete(sent.Header, "User-Agent")
		}
		sent.Header[h.Name] = append(sent.Header[h.Name], h.Value)
	}
	if q.Body != nil {
		// GetBody stays nil: with it, net/http would send a POST again when a kept connection turns out to be dead.
		sent.Body = io.NopCloser(bytes.NewReader(q.Body))
		if sent.ContentLength = int64(len(q.Body)); q.Chunked {
			sent.ContentLength = -1
		}
		switch {
		case len(q.Body) == 0:
			sent.Body, sent.ContentLength = http.NoBody, 0
		case q.Gate != nil:
			sent.Body = &gatedBody{Reader: sent.Body, gate: q.Gate}
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

// Address is the request's URL; a raw one is taken apart no further than its authority.
func (q *Request) Address() (*url.URL, error) {
	if !q.Raw {
		u, err := url.Parse(q.URL)
		if err != nil {
			return nil, fmt.Errorf("not a URL: %w", errors.Unwrap(err))
		}
		if u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return nil, fmt.Errorf("%q is not an http or https URL", q.URL)
		}
		u.User, u.Fragment, u.RawFragment = nil, "", ""
		return u, nil
	}
	scheme, rest, found := strings.Cut(q.URL, "://")
	if !found || (scheme != "http" && scheme != "https") {
		return nil, fmt.Errorf("%q is not an http or https URL", q.URL)
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

// ErrTooLong is why a body was cut.
var ErrTooLong = errors.New("too long")

// ErrAnswerTooLong is ErrTooLong of an answer that cannot be read in part.
var ErrAnswerTooLong error = tooLong(fmt.Sprintf("the answer is longer than %d MiB", MaxBody>>20))

type tooLong string

func (t tooLong) Error() string { return string(t) }

func (t tooLong) Is(other error) bool { return other == ErrTooLong }

// errNoRoom is why a body was cut that is not too long by itself.
var errNoRoom = errors.New("no room")

// askedFor is how many bytes of a heavy body room is asked for at once, where its length is not announced.
const askedFor = 64 << 10

// believed is up to how many bytes the announced length of a body is made room for before anything of it has come.
const believed = 64 << 10

// ReadBounded reads at most that many bytes. What was read until an error is returned with it. Beyond jsontext.Heavy the room is asked
// for (nil: there is room for all of it): at once for a body whose length is announced (in bytes; 0 or less: unknown), which then takes
// that, and not several times as much on the way to it.
func ReadBounded(r io.Reader, announced, most int64, room func(size int) bool) ([]byte, error) {
	b := make([]byte, 0, min(max(512, min(announced, believed)+1), most+1))
	for granted := jsontext.Heavy; ; {
		if len(b) == cap(b) {
			size := 2 * len(b)
			if len(b) == jsontext.Heavy {
				size = jsontext.Heavy + askedFor
			}
			b = grown(b, min(size, int(most)+1))
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if len(b) > granted && room != nil {
			whole := int(min(announced, most)) + 1
			if granted = max(len(b)+askedFor, whole); !room(granted) {
				return b, errNoRoom
			}
			b = grown(b, whole)
		}
		switch {
		case int64(len(b)) > most:
			return b[:most], ErrTooLong
		case err == io.EOF:
			return b, nil
		case err != nil:
			return b, err
		}
	}
}

// grown is b with room for so many bytes.
func grown(b []byte, size int) []byte {
	if size <= cap(b) {
		return b
	}
	g := make([]byte, len(b), size)
	copy(g, b)
	return g
}

// unzip has the body of an answer, or the stream that it is, read as it was before it was compressed, which only a request that takes
// gzip may be given (RFC 9110 section 12.5.3); what cannot be taken apart reads as an error.
func unzip(answer *http.Response) {
	if answer.Request != nil && answer.Request.Header.Get("Accept-Encoding") == "gzip" && strings.EqualFold(answer.Header.Get("Content-Encoding"), "gzip") {
		answer.Body = &zippedBody{ReadCloser: answer.Body}
	}
}

// A zippedBody is opened by its first read.
type zippedBody struct {
	io.ReadCloser
	open *gzip.Reader
}

// Read opens the body with the first read.
func (z *zippedBody) Read(into []byte) (int, error) {
	if z.open == nil {
		var err error
		if z.open, err = gzip.NewReader(z.ReadCloser); err != nil {
			return 0, err
		}
	}
	return z.open.Read(into)
}
