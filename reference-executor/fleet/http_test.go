// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/port/porttest"
)

const limit = porttest.Limit

// start serves until the test is over.
func start(t *testing.T, c Config) *Server {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	porttest.Serve(t, s)
	return s
}

// A reply is an answer with its body.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// ask makes a request; header are names and values in turn.
func ask(t *testing.T, method, url, body string, header ...string) reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if strings.HasSuffix(r.URL.Path, "/inbox/stream") && response.StatusCode == http.StatusOK {
		return reply{status: response.StatusCode, header: response.Header} // it does not end
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, text}
}

// object is the JSON object of a body.
func (r reply) object(t *testing.T) object {
	t.Helper()
	var v object
	if err := json.Unmarshal(r.body, &v); err != nil {
		t.Fatalf("status %d, no JSON object: %v\n%s", r.status, err, r.body)
	}
	return v
}

// card is the JSON object at a path.
func card(t *testing.T, url string) object {
	t.Helper()
	got := ask(t, "GET", url, "")
	if got.status != http.StatusOK {
		t.Fatalf("%s: status %d\n%s", url, got.status, got.body)
	}
	return got.object(t)
}

// send posts a message to an agent, with the headers that it needs.
func send(t *testing.T, url, body string) reply {
	t.Helper()
	return ask(t, "POST", url+"/message:send", body, "Content-Type", "application/json", "A2A-Version", "1.0")
}

// saying is a request that sends a text; more is put behind the message.
func saying(text, more string) string {
	return `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"` + text + `"}]}` + more + `}`
}

// A listening is an open inbox.
type listening struct {
	t    *testing.T
	conn net.Conn
	body *bufio.Reader
}

// listen opens an inbox over a connection of its own, and waits until it is open.
func listen(t *testing.T, s *Server, agent string, header ...string) *listening {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	r, err := http.NewRequest("GET", s.URL()+"/agents/"+agent+"/inbox/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	if err := r.Write(conn); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(limit))
	response, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("the inbox answers %d", response.StatusCode)
	}
	l := &listening{t: t, conn: conn, body: bufio.NewReader(response.Body)}
	if line := l.line(); line != ": sac-channel ready" {
		t.Fatalf("the inbox begins with %q", line)
	}
	l.line()
	return l
}

func (l *listening) line() string {
	l.t.Helper()
	_ = l.conn.SetReadDeadline(time.Now().Add(limit))
	line, err := l.body.ReadString('\n')
	if err != nil {
		l.t.Fatalf("the inbox: %v", err)
	}
	return strings.TrimRight(line, "\r\n")
}

// A told is an event as a reader gets it.
type told struct {
	id, name string
	v        object
}

func (e told) content() string {
	text, _ := e.v["content"].(string)
	return text
}

// event reads the next one; comments are passed over.
func (l *listening) event() told {
	l.t.Helper()
	var e told
	var data bytes.Buffer
	for {
		line := l.line()
		if line == "" {
			if data.Len() == 0 {
				continue
			}
			if err := json.Unmarshal(data.Bytes(), &e.v); err != nil {
				l.t.Fatalf("the data of an event: %v\n%s", err, &data)
			}
			return e
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			data.WriteString(value + "\n")
		}
	}
}

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not happen in time", what)
		}
	}
}

// readers is how many streams of an inbox are open.
func (s *Server) readers(agent string) int {
	in := s.agents[agent].inbox
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.readers)
}

// proxyURL is the origin of a proxy.
func (s *Server) proxyURL(hook string) string {
	url, _ := s.Says(hook)["url"].(string)
	return url
}
