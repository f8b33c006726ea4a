// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// An upgrade is a handshake to be sent, written to the wire exactly as it stands here.
type upgrade struct {
	method  string
	address *url.URL // scheme http or https
	header  []suites.Header
	limit   time.Duration // from the first packet to the end of the answer
	bare    bool          // no client certificate is shown
}

// A handshake is what came of an upgrade.
type handshake struct {
	status  int    // 0: no answer
	line    string // "HTTP/1.1 101 Switching Protocols"
	header  http.Header
	body    []byte // the first KiB of what a refusal says
	problem string // why there is no answer
	ours    bool   // the problem is the harness's own machine
	late    bool   // a refusal whose body did not come to its end in time
}

// mostRefusal is how much of a refusal's body is kept, and refusalTime how long we wait for it.
const (
	mostRefusal = 1 << 10
	refusalTime = 2 * time.Second
)

// shake does the handshake. The tap is nil unless the answer was 101, whatever else that answer says: that it is a
// proper one is for the suites to judge, and must not cost them every other requirement.
func (r *run) shake(ctx context.Context, u upgrade) (handshake, *tap) {
	ctx, cancel := context.WithTimeout(ctx, u.limit)
	defer cancel()
	line, bare, err := r.connect(ctx, u.address, u.bare)
	if err != nil {
		return handshake{problem: why(err, u.limit), ours: isOurs(err)}, nil
	}
	stop := context.AfterFunc(ctx, func() { _ = line.SetDeadline(time.Unix(1, 0)) })
	result, early, err := exchangeHead(line, u)
	inTime := stop()
	if err == nil && result.status == http.StatusSwitchingProtocols && inTime {
		return result, &tap{line: line, bare: bare, early: early}
	}
	_ = bare.Close()
	switch {
	case err == nil && result.status != http.StatusSwitchingProtocols:
		return result, nil
	case err == nil || ctx.Err() != nil:
		err = ctx.Err() // also when the limit ran out with the last byte: the deadline set then would stay
	}
	return handshake{problem: why(err, u.limit), ours: isOurs(err)}, nil
}

// exchangeHead sends the upgrade and reads the answer: its head, and of a refusal the beginning of its body. What the
// executor has said behind the head is still in the reader.
func exchangeHead(line net.Conn, u upgrade) (handshake, *bufio.Reader, error) {
	if _, err := io.WriteString(line, u.text()); err != nil {
		return handshake{}, nil, err
	}
	bounded := &io.LimitedReader{R: line, N: mostHeader}
	early := bufio.NewReader(bounded)
	if _, err := early.Peek(1); err != nil {
		return handshake{}, nil, err // net/http would call the end of a silent connection unexpected
	}
	answer, err := http.ReadResponse(early, &http.Request{Method: u.method})
	for i := 0; err == nil && answer.StatusCode < 200 && answer.StatusCode != http.StatusSwitchingProtocols && i < 5; i++ {
		answer, err = http.ReadResponse(early, &http.Request{Method: u.method})
	}
	if err != nil {
		return handshake{}, nil, err
	}
	defer answer.Body.Close()
	result := handshake{status: answer.StatusCode, line: answer.Proto + " " + answer.Status, header: answer.Header}
	bounded.N = math.MaxInt64
	if answer.StatusCode == http.StatusSwitchingProtocols {
		return result, early, nil
	}
	// A body that does not come, or not to its end, leaves the refusal what it is.
	_ = line.SetReadDeadline(time.Now().Add(refusalTime))
	result.body, err = io.ReadAll(io.LimitReader(answer.Body, mostRefusal))
	result.late = errors.Is(err, os.ErrDeadlineExceeded)
	return result, early, nil
}

// text is the request as it goes out.
func (u upgrade) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", u.method, u.address.RequestURI())
	for _, h := range u.header {
		fmt.Fprintf(&b, "%s: %s\r\n", h.Name, h.Value)
	}
	b.WriteString("\r\n")
	return b.String()
}

// connect opens the connection below a handshake, through the proxy that the environment names, if it names one.
func (r *run) connect(ctx context.Context, to *url.URL, withoutCertificate bool) (line, bare net.Conn, err error) {
	if bare, err = r.lineTo(ctx, to); err != nil || to.Scheme != "https" {
		return bare, bare, err
	}
	config := &tls.Config{}
	if r.target.TLS != nil {
		config = r.target.TLS.Clone()
	}
	if withoutCertificate {
		config.Certificates, config.GetClientCertificate = nil, nil
	}
	config.NextProtos = []string{"http/1.1"} // RFC 8441 over HTTP/2 is another handshake
	if config.ServerName == "" {
		config.ServerName = to.Hostname()
	}
	secured := tls.Client(bare, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = bare.Close()
		return nil, nil, err
	}
	return secured, bare, nil
}

// lineTo opens the connection on which TLS, if it is to be, begins.
func (r *run) lineTo(ctx context.Context, to *url.URL) (net.Conn, error) {
	host := net.JoinHostPort(to.Hostname(), port(to))
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: to})
	if err != nil {
		return nil, fmt.Errorf("proxy of the environment: %w", err)
	}
	if proxy == nil {
		return r.client.dial(ctx, "tcp", host)
	}
	return r.tunnel(ctx, proxy, host)
}

// tunnel asks an HTTP proxy for a connection to the host.
func (r *run) tunnel(ctx context.Context, proxy *url.URL, host string) (net.Conn, error) {
	if proxy.Scheme != "http" {
		return nil, fmt.Errorf("a proxy with scheme %q is not supported for WebSocket connections", proxy.Scheme)
	}
	conn, err := r.client.dial(ctx, "tcp", net.JoinHostPort(proxy.Hostname(), port(proxy)))
	if err != nil {
		return nil, err
	}
	request := "CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n"
	if proxy.User != nil {
		password, _ := proxy.User.Password()
		basic := base64.StdEncoding.EncodeToString([]byte(proxy.User.Username() + ":" + password))
		request += "Proxy-Authorization: Basic " + basic + "\r\n"
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err = io.WriteString(conn, request+"\r\n"); err == nil {
		var answer *http.Response
		// Behind the proxy's answer nobody speaks before we do, so the buffer takes nothing away.
		answer, err = http.ReadResponse(bufio.NewReader(&io.LimitedReader{R: conn, N: mostHeader}),
			&http.Request{Method: http.MethodConnect})
		if err == nil && answer.StatusCode != http.StatusOK {
			err = fmt.Errorf("the proxy answered %s", answer.Status)
		}
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// newKey is a Sec-WebSocket-Key: 16 random bytes.
func newKey() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return base64.StdEncoding.EncodeToString(b)
}

// acceptFor is the Sec-WebSocket-Accept that proves that a server has read the key (RFC 6455 section 4.2.2).
func acceptFor(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// converse puts coder/websocket on a connection whose handshake is done. The library begins every connection with a
// handshake of its own and refuses what a strict client refuses, a subprotocol that was not offered for one; so it is
// given an answer that pleases it, and the real one is judged elsewhere.
func converse(t *tap, answerPing func() bool) (*websocket.Conn, error) {
	pleasing := roundTripper(func(q *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: http.StatusSwitchingProtocols, ProtoMajor: 1, ProtoMinor: 1, Request: q, Body: t,
			Header: http.Header{
				"Connection":           {"Upgrade"},
				"Upgrade":              {"websocket"},
				"Sec-Websocket-Accept": {acceptFor(q.Header.Get("Sec-WebSocket-Key"))},
			},
		}, nil
	})
	conn, _, err := websocket.Dial(context.Background(), "ws://connection.invalid/", &websocket.DialOptions{
		HTTPClient:     &http.Client{Transport: pleasing},
		OnPingReceived: func(context.Context, []byte) bool { return answerPing() },
	})
	if err != nil {
		return nil, fmt.Errorf("bug: %w", err)
	}
	conn.SetReadLimit(-1)
	return conn, nil
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTripper) RoundTrip(q *http.Request) (*http.Response, error) { return f(q) }
