// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	url := lawfulServer(t, func(ctx context.Context, c *websocket.Conn) {
		c.Write(ctx, websocket.MessageText, []byte(`{"op":"binding_hello","payload":{}}`))
		c.Read(ctx)
	})
	p := testPlayer(t, url, Target{})
	for _, offers := range [][]string{{"pty-ws.v1"}, {"pty-ws.v1.binary"}, {"chat.v2", "pty-ws.v1", "mqtt"}} {
		o := opened(t, p, offers...)
		see(t, o, "subprotocol", offers[len(offers)/2])
		see(t, o, "header.sec-websocket-protocol", offers[len(offers)/2])
		see(t, o, "headers.Sec-WebSocket-Protocol[0]", offers[len(offers)/2])
		o = works(t, p.do(receive("frame.op", "binding_hello")))
		see(t, o, "frame.@opcode", 1)
		see(t, o, "status", 101)
	}
}

func TestOpenSendsWhatTheSuiteWrites(t *testing.T) {
	t.Parallel()
	heads := make(chan string, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			var head strings.Builder
			in := bufio.NewReader(c)
			for {
				line, err := in.ReadString('\n')
				head.WriteString(line)
				if err != nil || line == "\r\n" {
					break
				}
			}
			io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
			c.Close()
			heads <- head.String()
		}
	}()
	host := listener.Addr().String()
	config := Target{Tokens: map[string]string{"instance": "T0ken"}, Header: http.Header{"X-Lab": {"7"}, "X-Plain": {"target"}}}
	const key = "dGhlIHNhbXBsZSBub25jZQ=="
	fixedKey := []suites.Header{{Name: "Sec-WebSocket-Key", Value: key}}
	tests := []struct {
		name string
		open suites.Open
		want []string
	}{
		{"ordinary", suites.Open{URL: "http://" + host + "/a/b?x=%20y", Subprotocol: []string{"pty-ws.v1", "bearer.${secret}"},
			Raw: &suites.RawHandshake{Replace: fixedKey}}, []string{
			"GET /a/b?x=%20y HTTP/1.1", "Host: " + host, "User-Agent: " + wire.UserAgent, "Upgrade: websocket", "Connection: Upgrade",
			"Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: pty-ws.v1, bearer.s3", "X-Lab: 7", "Authorization: Bearer T0ken",
			"X-Plain: suite", "Sec-WebSocket-Key: " + key}},
		{"own headers win", suites.Open{URL: "ws://" + host + "/", Header: []suites.Header{{Name: "authorization", Value: "Basic x"},
			{Name: "X-Plain", Drop: true}, {Name: "Sec-WebSocket-Protocol", Value: "chat.v2"}, {Name: "Sec-WebSocket-Protocol", Value: "pty-ws.v1"}},
			Raw: &suites.RawHandshake{Replace: fixedKey}}, []string{
			"GET / HTTP/1.1", "Host: " + host, "User-Agent: " + wire.UserAgent, "Upgrade: websocket", "Connection: Upgrade",
			"Sec-WebSocket-Version: 13", "X-Lab: 7", "authorization: Basic x", "Sec-WebSocket-Protocol: chat.v2", "Sec-WebSocket-Protocol: pty-ws.v1",
			"Sec-WebSocket-Key: " + key}},
		{"hand-made", suites.Open{URL: "http://" + host, Raw: &suites.RawHandshake{Method: "POST", Omit: []string{"upgrade", "Connection", "Sec-WebSocket-Key"},
			Replace: []suites.Header{{Name: "Sec-WebSocket-Version", Value: "12"}}}}, []string{
			"POST / HTTP/1.1", "Host: " + host, "User-Agent: " + wire.UserAgent, "X-Lab: 7", "Authorization: Bearer T0ken", "X-Plain: suite",
			"Content-Length: 0", "Sec-WebSocket-Version: 12"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := testPlayer(t, "http://"+host, config)
			p.test.Suite.Header = []suites.Header{{Name: "X-Plain", Value: "suite"}}
			p.names.Set("secret", "s3")
			o := p.do(test.open)
			see(t, o, "status", 400)
			got := strings.Split(strings.TrimSuffix(<-heads, "\r\n\r\n"), "\r\n")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("head (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefusedUpgrades(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 401, 403, 404, 426, 429, 503, 301} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Sec-WebSocket-Version", "13")
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(status)
				io.WriteString(w, "refused: "+strings.Repeat("x", 5000))
			}))
			t.Cleanup(server.Close)
			p := testPlayer(t, server.URL, Target{})
			o := p.do(suites.Open{URL: server.URL + "/agents/i/sessions/s/attach"})
			see(t, o, "status", status)
			see(t, o, "header.Sec-WebSocket-Version", "13")
			if got, _ := o.Get("text").(string); !strings.HasPrefix(got, "refused: x") || len(got) != wire.MaxRefusal {
				t.Errorf("text is %d bytes: %.20s", len(got), got)
			}
			// Later steps can accept the refusal, and cannot mistake it for a conversation.
			o = works(t, p.do(receive("exchange", word("members", assertionMembers("status", status)))))
			see(t, o, "status", status)
			works(t, p.do(suites.Silence{For: suites.Duration{Min: time.Minute}}))
			works(t, p.do(suites.Close{Wait: true}))
			breaks(t, p.do(receive("frame.op", "binding_hello")), "frame is missing", fmt.Sprintf("the upgrade was answered with %d", status))
			breaks(t, p.do(suites.Send{JSON: map[string]any{"op": "ping"}}), "socket is not open: the upgrade was answered with")
			if got := p.do(suites.Cut{}).Get("closed"); got != o.Get("closed") {
				t.Errorf("closed is %v on a connection that never was", got)
			}
		})
	}
}

func TestAnswersThatAStrictClientRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, header string
		subject      string
		want         any
	}{
		{"combined subprotocols", "Sec-WebSocket-Protocol: pty-ws.v1, bearer.abc\r\n", "subprotocol", "pty-ws.v1, bearer.abc"},
		{"two subprotocol lines", "Sec-WebSocket-Protocol: pty-ws.v1\r\nSec-WebSocket-Protocol: pty-ws.v1.binary\r\n", "headers.sec-websocket-protocol[1]", "pty-ws.v1.binary"},
		{"subprotocol never offered", "Sec-WebSocket-Protocol: mqtt\r\n", "subprotocol", "mqtt"},
		{"subprotocol in capitals", "Sec-WebSocket-Protocol: PTY-WS.V1\r\n", "subprotocol", "PTY-WS.V1"},
		{"extension never offered", "Sec-WebSocket-Extensions: permessage-deflate\r\n", "header.Sec-WebSocket-Extensions", "permessage-deflate"},
		{"wrong accept", "Sec-WebSocket-Accept: AAAA\r\n", "header.Sec-WebSocket-Accept", "AAAA"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url := answeringServer(t, func(c net.Conn, in *bufio.Reader, q *http.Request) {
				// The greeting comes in one piece with the answer.
				io.WriteString(c, "HTTP/1.1 101 Fine\r\n"+test.header+"\r\n\x81\x0f{\"op\": \"hello\"}")
				untilGone(in)
			})
			p := testPlayer(t, url, Target{})
			o := opened(t, p, "pty-ws.v1")
			see(t, o, test.subject, test.want)
			works(t, p.do(receive("frame.op", "hello")))
		})
	}
}

func TestOpenWithoutAnswer(t *testing.T) {
	t.Parallel()
	silent := answeringServer(t, func(c net.Conn, in *bufio.Reader, q *http.Request) { untilGone(in) })
	gone := answeringServer(t, func(c net.Conn, in *bufio.Reader, q *http.Request) {})
	noise := answeringServer(t, func(c net.Conn, in *bufio.Reader, q *http.Request) { io.WriteString(c, "hello there\r\n\r\n") })
	endless := answeringServer(t, func(c net.Conn, in *bufio.Reader, q *http.Request) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\n")
		for {
			if _, err := io.WriteString(c, "X: "+strings.Repeat("y", 4000)+"\r\n"); err != nil {
				return
			}
		}
	})
	drip := answeringServer(t, func(c net.Conn, in *bufio.Reader, q *http.Request) {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			if _, err := io.WriteString(c, "H"); err != nil {
				return
			}
		}
	})
	tests := []struct{ name, url, why string }{
		{"nobody listens", nobodyListens, "connection refused"},
		{"says nothing", silent, "no answer within 100ms"},
		{"hangs up", gone, "closed without an answer"},
		{"no HTTP", noise, "malformed"},
		{"a head without end", endless, "connection"},
		{"drips", drip, "no answer within 100ms"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := testPlayer(t, test.url, Target{})
			within := 5 * time.Second
			if strings.Contains(test.why, "100ms") {
				within = 100 * time.Millisecond
			}
			o := p.do(suites.Open{URL: test.url}, within)
			if o.Blocked != "" || !strings.Contains(o.NoAnswer, test.why) {
				t.Errorf("no answer is %q (blocked %q), want %q", o.NoAnswer, o.Blocked, test.why)
			}
			breaks(t, p.do(receive("frame.op", "x")), "the upgrade got no answer")
			if o := p.do(suites.Silence{For: suites.Duration{Min: time.Minute}}); o.Blocked == "" {
				t.Error("silence was heard where nobody answered")
			}
		})
	}
}

func TestARefusalWhoseBodyNeverEnds(t *testing.T) {
	t.Parallel()
	url := answeringServer(t, func(c net.Conn, in *bufio.Reader, q *http.Request) {
		io.WriteString(c, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\nno token")
		untilGone(in)
	})
	p := testPlayer(t, url, Target{})
	began := time.Now()
	o := p.do(suites.Open{URL: url}, 300*time.Millisecond)
	see(t, o, "status", 401)
	see(t, o, "text", "no token")
	if took := time.Since(began); took > wire.RefusalTime {
		t.Errorf("took %s", took)
	}
}

func TestOpenOverTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		c.Write(context.Background(), websocket.MessageText, []byte(`{"op":"binding_hello"}`))
		c.Read(context.Background())
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)

	p := testPlayer(t, server.URL, Target{TLS: server.Client().Transport.(*http.Transport).TLSClientConfig})
	opened(t, p)
	works(t, p.do(receive("frame.op", "binding_hello")))
	see(t, p.do(suites.Cut{}), "closed.by", "harness")

	p = testPlayer(t, server.URL, Target{})
	if o := p.do(suites.Open{URL: strings.Replace(server.URL, "https", "wss", 1)}); !strings.Contains(o.NoAnswer, "TLS") {
		t.Errorf("an unknown authority gives %q", o.NoAnswer)
	}
}

func TestTunnelsThroughAProxy(t *testing.T) {
	t.Parallel()
	config := echoing(t, "through")
	var refuse atomic.Bool
	asked := make(chan *http.Request, 2)
	proxy := answeringServer(t, func(c net.Conn, in *bufio.Reader, q *http.Request) {
		asked <- q
		if refuse.Load() {
			io.WriteString(c, "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
			return
		}
		far, err := net.Dial("tcp", q.Host)
		if err != nil {
			return
		}
		defer far.Close()
		io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n")
		go func() { io.Copy(far, in); far.Close() }()
		io.Copy(c, far)
	})
	p := testPlayer(t, config, Target{})
	by, err := url.Parse(strings.Replace(proxy, "http://", "http://me:pass@", 1))
	if err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(config, "http://")
	line, err := p.run.Client.Dialer.Tunnel(context.Background(), by, host)
	if err != nil {
		t.Fatal(err)
	}
	q := <-asked
	if q.Method != "CONNECT" || q.Host != host || q.Header.Get("Proxy-Authorization") != "Basic bWU6cGFzcw==" {
		t.Errorf("the proxy was asked %s %s with %v", q.Method, q.Host, q.Header)
	}
	address, _ := wire.UpgradeURL(config)
	u := wire.Upgrade{Method: "GET", Address: address, Header: p.run.HandshakeHeader(address, nil, target.Anonymous), Limit: time.Second}
	result, early, err := wire.ExchangeHead(line, u)
	if err != nil || result.Status != 101 {
		t.Fatalf("status %d: %v", result.Status, err)
	}
	s := newSocket(result, "", p.rec.Record)
	if err := s.start(&wire.Tap{Line: line, Bare: line, Early: early}); err != nil {
		t.Fatal(err)
	}
	p.actors[""] = &actor{socket: s}
	works(t, p.do(receive("frame.text", "through")))
	p.closeSockets()

	refuse.Store(true)
	if _, err := p.run.Client.Dialer.Tunnel(context.Background(), by, host); err == nil || !strings.Contains(err.Error(), "407") {
		t.Errorf("a proxy that refuses gives %v", err)
	}
	by.Scheme = "socks5"
	if _, err := p.run.Client.Dialer.Tunnel(context.Background(), by, host); err == nil || !strings.Contains(err.Error(), "not supported") {
		t.Errorf("a SOCKS proxy gives %v", err)
	}
}

func TestSuiteErrorsOfOpen(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, "http://127.0.0.1:1", Target{})
	for _, open := range []suites.Open{
		{URL: "${nothing}"},
		{URL: "ftp://127.0.0.1/"},
		{URL: "http:///x"},
		{URL: "http://127.0.0.1:1/%zz?token=secret"},
		{URL: "${url}", Header: []suites.Header{{Name: "X", Value: "a\r\nb"}}},
		{URL: "${url}", Subprotocol: []string{"${nothing}"}},
		{URL: "${url}", Raw: &suites.RawHandshake{Omit: []string{"${nothing}"}}},
	} {
		o := p.do(open)
		if o.Blocked == "" || o.NoAnswer != "" || strings.Contains(o.Blocked, "secret") {
			t.Errorf("%+v: blocked is %q, no answer %q", open, o.Blocked, o.NoAnswer)
		}
	}
	if o := p.do(receive("frame.op", "x")); !strings.Contains(o.Blocked, "no step before it has opened one for the default actor") {
		t.Errorf("blocked is %q", o.Blocked)
	}
}

func TestOpeningAgainEndsTheOldConnection(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 2)
	url := lawfulServer(t, func(ctx context.Context, c *websocket.Conn) {
		_, _, err := c.Read(ctx)
		ended <- err
	})
	p := testPlayer(t, url, Target{})
	opened(t, p)
	opened(t, p)
	if err := <-ended; websocket.CloseStatus(err) != 1000 {
		t.Errorf("the old connection ended with %v", err)
	}
}

// TestOpenWithoutCertificate: a handshake may leave the client certificate of the run out.
func TestOpenWithoutCertificate(t *testing.T) {
	t.Parallel()
	r := newRun(profiles.Of(""), Target{TLS: &tls.Config{Certificates: []tls.Certificate{{}}}}, Options{})
	r.Place.Root = "https://sandbox.example:8443/below"
	if reason := r.Lacks("hook:" + hooks.ClientCert); reason != nil {
		t.Errorf("with a certificate: %+v", reason)
	}
	if got := r.Place.Plain(); got != "http://sandbox.example/below" {
		t.Errorf("the plain root is %q", got)
	}
	r.Place.Root = "http://sandbox.example"
	if reason := r.Lacks("hook:" + hooks.ClientCert); reason == nil || r.Place.Plain() != "" {
		t.Errorf("without TLS: %+v, plain root %q", reason, r.Place.Plain())
	}
}
