// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// lineServer hands every connection to a function.
func lineServer(t *testing.T, speak func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				_ = c.SetDeadline(time.Now().Add(10 * time.Second))
				speak(c)
			})
		}
	})
	t.Cleanup(func() { listener.Close(); all.Wait() })
	return "http://" + listener.Addr().String() + "/agents/i"
}

// A server that goes on answering a HEAD on its connection keeps no other request waiting.
func TestAHeadThatIsAnsweredForeverHoldsUpNobody(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	address := lineServer(t, func(c net.Conn) {
		in := bufio.NewReader(c)
		for {
			q, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			if q.Method == http.MethodHead {
				<-over
			}
		}
	})
	defer close(over)
	c := NewClient(ClientOptions{ConnectTimeout: time.Second, Jobs: 1})
	defer c.Close()
	for _, method := range []string{"GET", "HEAD", "GET", "HEAD", "POST"} {
		if x := c.Do(t.Context(), &Request{Method: method, URL: address, Limit: 5 * time.Second}); x.Status != http.StatusOK {
			t.Errorf("%s was answered with status %d: %s", method, x.Status, x.Problem)
		}
	}
}

// An answer 101 that nobody asked for, on a connection that stays open, keeps nobody waiting: its reader is at the end.
func TestAnUnaskedUpgradeHasNoBody(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	address := lineServer(t, func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: nothing\r\n\r\n")
			<-over
		}
	})
	defer close(over)
	c := NewClient(ClientOptions{ConnectTimeout: time.Second, Jobs: 1})
	defer c.Close()
	answer, _, err := c.Send(t.Context(), &Request{Method: "GET", URL: address, Limit: time.Second})
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v, %v", answer, err)
	}
	read := make(chan string)
	go func() {
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			body = []byte(err.Error())
		}
		read <- string(body)
	}()
	select {
	case got := <-read:
		if got != "" {
			t.Error(got)
		}
	case <-time.After(5 * time.Second):
		t.Error("it is still being read")
	}
}

// A server that closes kept connections without an answer sees a POST once, also with an Idempotency-Key.
func TestNothingIsSilentlySentAgain(t *testing.T) {
	t.Parallel()
	var posts, connections atomic.Int32
	address := lineServer(t, func(c net.Conn) {
		connections.Add(1)
		in := bufio.NewReader(c)
		for answered := false; ; answered = true {
			q, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			io.Copy(io.Discard, q.Body)
			if q.Method == "POST" {
				posts.Add(1)
			}
			if answered {
				return // kills the kept connection
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		}
	})
	c := NewClient(ClientOptions{ConnectTimeout: 5 * time.Second, Jobs: 1})
	defer c.Close()
	get := &Request{Method: "GET", URL: address, Limit: 5 * time.Second}
	if x := c.Do(t.Context(), get); x.Status != 200 {
		t.Fatal(x.Problem)
	}
	post := &Request{Method: "POST", URL: address, Body: []byte("{}"), Limit: 5 * time.Second, Header: []suites.Header{{Name: "Idempotency-Key", Value: "1"}}}
	if x := c.Do(t.Context(), post); x.Status != 200 {
		t.Errorf("status is %d, problem %q", x.Status, x.Problem)
	}
	if posts.Load() != 1 {
		t.Errorf("the server saw %d posts", posts.Load())
	}
	connections.Store(0)
	dies := lineServer(t, func(c net.Conn) {
		connections.Add(1)
		_, _ = http.ReadRequest(bufio.NewReader(c))
	})
	post.URL = dies
	if x := c.Do(t.Context(), post); x.Status != 0 || x.Problem != "the connection was closed without an answer" {
		t.Errorf("status is %d, problem %q", x.Status, x.Problem)
	}
	if connections.Load() != 1 {
		t.Errorf("the request was sent %d times", connections.Load())
	}
}

// A connection that the server has closed while it was idle says nothing about the target.
func TestAConnectionThatDiedIdleIsNoFailure(t *testing.T) {
	t.Parallel()
	address := lineServer(t, func(c net.Conn) {
		if q, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			io.Copy(io.Discard, q.Body)
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		}
	})
	c := NewClient(ClientOptions{ConnectTimeout: 5 * time.Second, Jobs: 1})
	defer c.Close()
	for range 200 {
		for _, q := range []Request{{Method: "GET"}, {Method: "POST", Body: []byte("{}")}, {Method: "POST"}} {
			q.URL, q.Limit = address, 5*time.Second
			if x := c.Do(t.Context(), &q); x.Status != 200 {
				t.Fatalf("status of %s is %d: %s", q.Method, x.Status, x.Problem)
			}
		}
	}
}

func TestHeadersGoOutAsWritten(t *testing.T) {
	t.Parallel()
	heads := make(chan string, 1)
	address := lineServer(t, func(c net.Conn) {
		var head strings.Builder
		in := bufio.NewReader(c)
		for line := ""; line != "\r\n"; {
			var err error
			if line, err = in.ReadString('\n'); err != nil {
				return
			}
			head.WriteString(line)
		}
		heads <- head.String()
		io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n")
	})
	c := NewClient(ClientOptions{ConnectTimeout: 5 * time.Second, Jobs: 1})
	defer c.Close()
	c.Do(t.Context(), &Request{Method: "GET", URL: address + "/../%2e%2e//x?a=b c", Raw: true, Limit: 5 * time.Second, Header: []suites.Header{{Name: "a2a-EXTENSIONS", Value: "one"}, {Name: "a2a-EXTENSIONS", Value: "two"}, {Name: "Host", Value: "other.example"}}})
	head := <-heads
	for _, want := range []string{"GET /agents/i/../%2e%2e//x?a=b c HTTP/1.1\r\n", "a2a-EXTENSIONS: one\r\n", "a2a-EXTENSIONS: two\r\n", "Host: other.example\r\n"} {
		if !strings.Contains(head, want) {
			t.Errorf("%q is not in %q", want, head)
		}
	}
	if strings.Contains(head, "Accept-Encoding") {
		t.Errorf("something was added: %q", head)
	}
}

// A body that goes out in chunks says no length, and one that is empty says that it is.
func TestBodiesInChunks(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%d %v %s", r.ContentLength, r.TransferEncoding, body)
	}))
	defer server.Close()
	c := NewClient(ClientOptions{ConnectTimeout: 5 * time.Second, Jobs: 1})
	defer c.Close()
	for body, want := range map[string]string{"a body": "-1 [chunked] a body", "": "0 [] "} {
		x := c.Do(t.Context(), &Request{Method: "POST", URL: server.URL, Body: []byte(body), Chunked: true, Limit: 5 * time.Second})
		if got := string(x.Body); got != want {
			t.Errorf("the target has seen %q, want %q", got, want)
		}
	}
}

// Only who asks for a compressed body is given it as it was before; whatever else a target sends is seen as it came.
func TestCompressedBodies(t *testing.T) {
	t.Parallel()
	var packed, bomb bytes.Buffer
	for into, text := range map[*bytes.Buffer]string{&packed: "as it was", &bomb: strings.Repeat("0", MaxBody+1)} {
		w := gzip.NewWriter(into)
		w.Write([]byte(text))
		w.Close()
	}
	for name, row := range map[string]struct {
		asked, encoding, sent string
		want, problem         string
	}{
		"asked for":               {"gzip", "gzip", packed.String(), "as it was", ""},
		"asked for, and plain":    {"gzip", "", "plain", "plain", ""},
		"not asked for":           {"", "gzip", packed.String(), packed.String(), ""},
		"asked for, and cut":      {"gzip", "gzip", packed.String()[:20], "", "the body was cut"},
		"asked for, and nonsense": {"gzip", "gzip", "nonsense", "", "the body was cut"},
		"a bomb":                  {"gzip", "gzip", bomb.String(), strings.Repeat("0", MaxBody), "the body is longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if row.encoding != "" {
					w.Header().Set("Content-Encoding", row.encoding)
				}
				w.Write([]byte(row.sent))
			}))
			t.Cleanup(server.Close)
			c := NewClient(ClientOptions{ConnectTimeout: time.Second, Jobs: 1})
			q := &Request{Method: "GET", URL: server.URL, Limit: 10 * time.Second}
			if row.asked != "" {
				q.Header = append(q.Header, suites.Header{Name: "Accept-Encoding", Value: row.asked})
			}
			x := c.Do(context.Background(), q)
			if row.problem == "" && x.Problem != "" || !strings.Contains(x.Problem, row.problem) || row.want != "" && string(x.Body) != row.want {
				t.Errorf("%d bytes, %q; want %d, %q", len(x.Body), x.Problem, len(row.want), row.problem)
			}
		})
	}
}

// A header that is longer than its bound is no answer; one that is as long as proxies let through is.
func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		length  int
		problem string
	}{{"long", 128 << 10, ""}, {"too long", 400 << 10, "header"}} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Long", strings.Repeat("x", row.length))
				w.Write([]byte("{}"))
			}))
			t.Cleanup(server.Close)
			c := NewClient(ClientOptions{ConnectTimeout: time.Second, Jobs: 1})
			x := c.Do(context.Background(), &Request{Method: "GET", URL: server.URL, Limit: 10 * time.Second})
			if row.problem == "" && x.Status != http.StatusOK || row.problem != "" && (x.Status != 0 || !strings.Contains(x.Problem, row.problem)) {
				t.Errorf("status %d, problem %q; want a problem that says %q", x.Status, x.Problem, row.problem)
			}
		})
	}
}
