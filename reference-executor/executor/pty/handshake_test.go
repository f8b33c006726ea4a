// SPDX-License-Identifier: Apache-2.0

package pty_test

import (
	"bufio"
	"encoding/base64"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
)

// knock makes a handshake by hand and returns the answer; the connection is closed.
func (d *deployed) knock(method, url string, header http.Header) *http.Response {
	d.t.Helper()
	conn, response := d.knockOpen(method, url, header)
	conn.Close()
	return response
}

func (d *deployed) knockOpen(method, url string, header http.Header) (net.Conn, *http.Response) {
	d.t.Helper()
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header = header
	conn, err := net.Dial("tcp", r.URL.Host)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	if err := r.Write(conn); err != nil {
		d.t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	response, err := http.ReadResponse(in, r)
	if err != nil {
		d.t.Fatal(err)
	}
	return bufferedConn{conn, in}, response
}

type bufferedConn struct {
	net.Conn
	in *bufio.Reader
}

func (c bufferedConn) Read(p []byte) (int, error) { return c.in.Read(p) }

func handshake(change func(h http.Header)) http.Header {
	h := http.Header{
		"Upgrade": {"websocket"}, "Connection": {"Upgrade"}, "Sec-Websocket-Version": {"13"},
		"Sec-Websocket-Key":      {"dGhlIHNhbXBsZSBub25jZQ=="},
		"Sec-Websocket-Protocol": {subprotocolJSON},
		"Authorization":          {"Bearer " + testToken},
	}
	if change != nil {
		change(h)
	}
	return h
}

func embedded(token string) string {
	return embeddedPrefix + base64.RawURLEncoding.EncodeToString([]byte(token))
}

func TestHandshake(t *testing.T) {
	t.Parallel()
	d := deploy(t, nil)
	id := d.session(nil)
	set := func(name string, values ...string) func(http.Header) {
		return func(h http.Header) { h[http.CanonicalHeaderKey(name)] = values }
	}
	for _, row := range []struct {
		name   string
		change func(http.Header)
		status int
		echo   []string
	}{
		{"JSON", nil, 101, []string{subprotocolJSON}},
		{"binary", set("Sec-WebSocket-Protocol", subprotocolBinary), 101, []string{subprotocolBinary}},
		{"both", set("Sec-WebSocket-Protocol", "pty-ws.v1, pty-ws.v1.binary"), 101, []string{subprotocolBinary}},
		{"foreign tokens", set("Sec-WebSocket-Protocol", "chat.v2, pty-ws.v1, mqtt"), 101, []string{subprotocolJSON}},
		{"two lines", set("Sec-WebSocket-Protocol", "chat.v2", "pty-ws.v1"), 101, []string{subprotocolJSON}},
		{"unsupported", set("Sec-WebSocket-Protocol", "chat.v1"), 400, nil},
		{"upper case", set("Sec-WebSocket-Protocol", "PTY-WS.V1"), 400, nil},
		{"longer", set("Sec-WebSocket-Protocol", "pty-ws.v1.binaryx"), 400, nil},
		{"another version", set("Sec-WebSocket-Protocol", "pty-ws.v10"), 400, nil},
		{"no subprotocol", func(h http.Header) { h.Del("Sec-WebSocket-Protocol") }, 400, nil},
		{"bearer only", set("Sec-WebSocket-Protocol", embedded(testToken)), 400, nil},
		{"scheme in lower case", set("Authorization", "bearer "+testToken), 101, []string{subprotocolJSON}},
		{"no credential", func(h http.Header) { h.Del("Authorization") }, 401, nil},
		{"unknown token", set("Authorization", "Bearer nope"), 401, nil},
		{"empty token", set("Authorization", "Bearer"), 401, nil},
		{"basic", set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("u:"+testToken))), 401, nil},
		{"embedded", func(h http.Header) {
			h.Del("Authorization")
			h.Set("Sec-WebSocket-Protocol", "pty-ws.v1, "+embedded(testToken))
		}, 101, []string{subprotocolJSON}},
		{"embedded first", func(h http.Header) {
			h.Del("Authorization")
			h.Set("Sec-WebSocket-Protocol", embedded(testToken)+", pty-ws.v1")
		}, 101, []string{subprotocolJSON}},
		{"embedded unknown", func(h http.Header) {
			h.Del("Authorization")
			h.Set("Sec-WebSocket-Protocol", "pty-ws.v1, "+embedded("nope"))
		}, 401, nil},
		{"embedded malformed", func(h http.Header) {
			h.Del("Authorization")
			h.Set("Sec-WebSocket-Protocol", "pty-ws.v1, bearer.%%%")
		}, 401, nil},
		{"foreign principal", set("Authorization", "Bearer "+testForeign), 403, nil},
		{"observer", set("Authorization", "Bearer "+testObserve), 101, []string{subprotocolJSON}},
		{"operator", set("Authorization", "Bearer "+testOperator), 101, []string{subprotocolJSON}},
		{"version 12", set("Sec-WebSocket-Version", "12"), 426, nil},
		{"no key", func(h http.Header) { h.Del("Sec-WebSocket-Key") }, 400, nil},
		{"short key", set("Sec-WebSocket-Key", "c2hvcnQ="), 400, nil},
		{"no upgrade", func(h http.Header) { h.Del("Upgrade"); h.Del("Connection") }, 426, nil},
		{"keep-alive, Upgrade", set("Connection", "keep-alive, Upgrade"), 101, []string{subprotocolJSON}},
	} {
		t.Run(row.name, func(t *testing.T) {
			response := d.knock("GET", d.attachURL(id), handshake(row.change))
			if response.StatusCode != row.status {
				t.Errorf("status is %d, want %d", response.StatusCode, row.status)
			}
			if diff := cmp.Diff(row.echo, response.Header["Sec-Websocket-Protocol"]); diff != "" {
				t.Errorf("echo (-want +got):\n%s", diff)
			}
			if response.StatusCode == 101 && response.Header.Get("Sec-WebSocket-Accept") != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
				t.Errorf("accept is %q", response.Header.Get("Sec-WebSocket-Accept"))
			}
			if response.StatusCode == 426 && response.Header.Get("Sec-WebSocket-Version") != "13" {
				t.Errorf("version is %q", response.Header.Get("Sec-WebSocket-Version"))
			}
		})
	}
	for _, row := range []struct {
		name, method, url string
		status            int
	}{
		{"unknown session", "GET", d.attachURL(newUUIDv7()), 404},
		{"unknown instance", "GET", d.URL() + "/agents/" + newUUIDv7() + "/sessions/" + id + "/attach", 404},
		{"another instance", "GET", d.InstanceURLs()[1] + "/sessions/" + id + "/attach", 404},
		{"POST", "POST", d.attachURL(id), 405},
		{"HEAD", "HEAD", d.attachURL(id), 405},
	} {
		t.Run(row.name, func(t *testing.T) {
			if response := d.knock(row.method, row.url, handshake(nil)); response.StatusCode != row.status {
				t.Errorf("status is %d, want %d", response.StatusCode, row.status)
			}
		})
	}
	for _, key := range []string{"token", "access_token", "bearer", "auth"} {
		header := handshake(func(h http.Header) { h.Del("Authorization") })
		if response := d.knock("GET", d.attachURL(id)+"?"+key+"="+testToken, header); response.StatusCode != 401 {
			t.Errorf("a token in the query as %s: status is %d, want 401", key, response.StatusCode)
		}
	}
}

func TestHandshakeWithoutAuth(t *testing.T) {
	t.Parallel()
	d := deploy(t, func(c *executor.Config) { *c = executor.Config{Seed: 3} })
	header := handshake(func(h http.Header) { h.Del("Authorization"); h.Del("Sec-WebSocket-Protocol") })
	response := d.knock("GET", d.attachURL(d.session(nil)), header)
	if response.StatusCode != 101 || response.Header.Get("Sec-WebSocket-Protocol") != "" {
		t.Errorf("status is %d, echo %q, want 101 and none", response.StatusCode, response.Header.Get("Sec-WebSocket-Protocol"))
	}
}
