// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// maxBody is how much of a body is read to be changed; a longer one ends the connection.
const maxBody = 32 << 20

// A question is a request that has passed, as far as its answer depends on it.
type question struct {
	method, path, template string
	circumstance
	tidies bool        // it may take back what a test has made: of a plain A2A server the run asks for nothing then, and names no media type
	body   chan []byte // its first bytes, once it has passed
}

// cursor matches the query of a request for a later page.
var cursor = regexp.MustCompile(`(?i)(cursor|page_?token|page_id|after)=[^&]`)

// pass relays one connection of the run. What the run sends passes untouched; a parser reads along.
func (f *Front) pass(client net.Conn) {
	defer f.keep(client)()
	f.mu.Lock()
	upstream := f.upstream
	f.mu.Unlock()
	server, err := net.DialTimeout("tcp", upstream, 5*time.Second)
	if err != nil {
		return
	}
	defer f.keep(server)()
	asked := make(chan *question, 64)
	go func() {
		defer close(asked)
		f.listen(client, server, asked)
		server.(*net.TCPConn).CloseWrite()
	}()
	f.answers(client, bufio.NewReader(server), asked)
}

// listen passes on what the run sends, and tells which requests it holds.
func (f *Front) listen(client, server net.Conn, asked chan<- *question) {
	along := io.TeeReader(client, server)
	r := bufio.NewReader(along)
	for {
		request, err := http.ReadRequest(r)
		if err != nil {
			break
		}
		q := &question{method: request.Method, path: request.URL.Path, template: Template(request.URL.EscapedPath()), body: make(chan []byte, 1)}
		if request.URL.Opaque != "" {
			q.path, q.template = request.URL.Opaque, Template(request.URL.Opaque)
		}
		q.later = cursor.MatchString(request.URL.RawQuery)
		plain := strings.HasPrefix(q.path, "/a2a/") || q.path == "/rpc"
		q.tidies = plain && request.Header.Get("Accept") == ""
		q.second = f.traffic.credential(cmp.Or(request.Header.Get("Authorization"), request.Header.Get("Cookie")))
		asked <- q
		var body bytes.Buffer
		_, err = io.Copy(&body, io.LimitReader(request.Body, 256<<10))
		q.body <- body.Bytes()
		if _, more := io.Copy(io.Discard, request.Body); err != nil || more != nil || request.Header.Get("Upgrade") != "" {
			break
		}
	}
	io.Copy(io.Discard, r)
}

// answers reads what the server says and passes it on, changed.
func (f *Front) answers(client net.Conn, server *bufio.Reader, asked <-chan *question) {
	for {
		if _, err := server.Peek(1); err != nil {
			return
		}
		q := next(asked)
		h, err := readHead(server)
		if err != nil {
			return
		}
		for h.status < 200 && h.status != http.StatusSwitchingProtocols {
			if _, err := client.Write(h.bytes()); err != nil {
				return
			}
			if h, err = readHead(server); err != nil {
				return
			}
		}
		if !f.answer(client, server, q, h) {
			return
		}
	}
}

// next is the request that an answer is to; one that could not be read is "?".
func next(asked <-chan *question) *question {
	select {
	case q := <-asked:
		if q != nil {
			return q
		}
	case <-time.After(time.Second):
	}
	return &question{method: "?", template: "?", body: make(chan []byte, 1)}
}

// sent is the body of the request, as far as it has come within a moment.
func (q *question) sent() []byte {
	select {
	case body := <-q.body:
		q.body <- body
		return body
	case <-time.After(100 * time.Millisecond):
		return nil
	}
}

// name is the kind of the exchange but for its status.
func (q *question) name() string {
	name := q.method + " " + q.template
	if q.method == http.MethodPost {
		if sent := q.sent(); len(sent) > 0 {
			if method := rpcMethod(sent); method != "" {
				name += " " + method
			}
			if bytes.Contains(sent, []byte(`"pageToken":"`)) {
				q.later = true
			}
		}
	}
	return name
}

// answer passes one answer on, and says whether another can follow on the connection.
func (f *Front) answer(client net.Conn, server *bufio.Reader, q *question, h *head) bool {
	name := q.name()
	switch {
	case h.status == http.StatusSwitchingProtocols:
		f.upgraded(client, server, q, h, name)
		return false
	case strings.HasPrefix(h.get("Content-Type"), "text/event-stream") && !h.bodiless(q.method):
		return f.stream(client, server, q, h, name)
	}
	body, err := io.ReadAll(io.LimitReader(h.body(server, q.method), maxBody))
	cut := err != nil
	kind := exchangeKind(name, h, body)
	q.large = len(body) >= largeBody
	if !q.tidies || !tidies.MatchString(kind) {
		f.traffic.Recording.exchange(kind, q.circumstance, h, body)
	}
	if f.traffic.meant(kind) {
		body, cut = f.change(kind, q, h, body)
	}
	if f.traffic.Variation != "" {
		f.traffic.varyHead(h)
		if h.get("Content-Encoding") == "" {
			body = f.traffic.varyBody(body)
		}
	}
	if !h.bodiless(q.method) {
		if h.chunked() {
			h.del("Transfer-Encoding")
		}
		switch {
		case cut:
		case f.traffic.rechunked():
			h.del("Content-Length")
			h.set("Transfer-Encoding", "chunked")
			body = inChunks(body)
		default:
			h.set("Content-Length", itoa(len(body)))
		}
	}
	out := h.bytes()
	if !h.bodiless(q.method) {
		out = append(out, body...)
	}
	if err := f.traffic.write(client, out); err != nil || cut {
		return false
	}
	return !strings.EqualFold(h.get("Connection"), "close")
}

// exchangeKind names the kind of an exchange: "POST /rpc GetTask 200 error".
func exchangeKind(name string, h *head, body []byte) string {
	kind := name + " " + itoa(h.status)
	if strings.HasPrefix(name, "POST ") && bytes.Contains(body, []byte(`"jsonrpc"`)) {
		if v, ok := decode(body); ok {
			if envelope, is := v.(map[string]any); is && envelope["error"] != nil {
				kind += " error"
			}
		}
	}
	return kind
}
