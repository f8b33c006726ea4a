// SPDX-License-Identifier: Apache-2.0

package wire

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

// An Upgrade is a handshake to be sent, written to the wire exactly as it stands here.
type Upgrade struct {
	Method  string
	Address *url.URL // scheme http or https
	Header  []suites.Header
	Limit   time.Duration // from the first packet to the end of the answer

	Certificate string // that is shown; empty: that of the run
}

// A Handshake is what came of an upgrade.
type Handshake struct {
	Status  int    // 0: no answer
	Line    string // "HTTP/1.1 101 Switching Protocols"
	Header  http.Header
	Body    []byte // the first KiB of what a refusal says
	Problem string // why there is no answer
	Ours    bool   // the problem is the harness's own machine
	Late    bool   // a refusal whose body did not come to its end in time
	InVain  bool   // the problem is that the time was up
}

// MaxRefusal is how much of a refusal's body is kept, and refusalTime how long we wait for it.
const (
	MaxRefusal  = 1 << 10
	RefusalTime = 2 * time.Second
)

// Shake does the handshake. The tap is nil unless the answer was 101, whatever else that answer says: that it is a
// proper one is for the suites to judge, and must not cost them every other requirement.
func (d *Dialer) Shake(ctx context.Context, u Upgrade) (Handshake, *Tap) {
	ctx, cancel := context.WithTimeout(ctx, u.Limit)
	defer cancel()
	line, bare, err := d.connect(ctx, u.Address, u.Certificate)
	if err != nil {
		return Handshake{Problem: Why(err, u.Limit), Ours: IsOurs(err), InVain: TimedOut(err)}, nil
	}
	stop := context.AfterFunc(ctx, func() { _ = line.SetDeadline(time.Unix(1, 0)) })
	result, early, err := ExchangeHead(line, u)
	inTime := stop()
	if err == nil && result.Status == http.StatusSwitchingProtocols && inTime {
		return result, &Tap{Line: line, Bare: bare, Early: early}
	}
	_ = bare.Close()
	switch {
	case err == nil && result.Status != http.StatusSwitchingProtocols:
		return result, nil
	case err == nil || ctx.Err() != nil:
		err = ctx.Err() // also when the limit ran out with the last byte: the deadline set then would stay
	}
	return Handshake{Problem: Why(err, u.Limit), Ours: IsOurs(err), InVain: TimedOut(err)}, nil
}

// ExchangeHead sends the upgrade and reads the answer: its head, and of a refusal the beginning of its body. What the
// executor has said behind the head is still in the reader.
func ExchangeHead(line net.Conn, u Upgrade) (Handshake, *bufio.Reader, error) {
	if _, err := io.WriteString(line, u.Text()); err != nil {
		return Handshake{}, nil, err
	}
	bounded := &io.LimitedReader{R: line, N: MaxHeader}
	early := bufio.NewReader(bounded)
	if _, err := early.Peek(1); err != nil {
		return Handshake{}, nil, err // net/http would call the end of a silent connection unexpected
	}
	answer, err := http.ReadResponse(early, &http.Request{Method: u.Method})
	for i := 0; err == nil && answer.StatusCode < 200 && answer.StatusCode != http.StatusSwitchingProtocols && i < 5; i++ {
		answer, err = http.ReadResponse(early, &http.Request{Method: u.Method})
	}
	if err != nil {
		return Handshake{}, nil, err
	}
	defer answer.Body.Close()
	result := Handshake{Status: answer.StatusCode, Line: answer.Proto + " " + answer.Status, Header: answer.Header}
	bounded.N = math.MaxInt64
	if answer.StatusCode == http.StatusSwitchingProtocols {
		return result, early, nil
	}
	// A body that does not come, or not to its end, leaves the refusal what it is.
	_ = line.SetReadDeadline(time.Now().Add(RefusalTime))
	result.Body, err = io.ReadAll(io.LimitReader(answer.Body, MaxRefusal))
	result.Late = errors.Is(err, os.ErrDeadlineExceeded)
	return result, early, nil
}

// Text is the request as it goes out.
func (u Upgrade) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", u.Method, u.Address.RequestURI())
	for _, h := range u.Header {
		fmt.Fprintf(&b, "%s: %s\r\n", h.Name, h.Value)
	}
	b.WriteString("\r\n")
	return b.String()
}

// connect opens the connection below a handshake, through the proxy that the environment names, if it names one.
func (d *Dialer) connect(ctx context.Context, to *url.URL, certificate string) (line, bare net.Conn, err error) {
	if bare, err = d.LineTo(ctx, to); err != nil || to.Scheme != "https" {
		return bare, bare, err
	}
	config := &tls.Config{}
	if d.tls != nil {
		config = d.tls.Clone()
	}
	if certificate != "" {
		config.Certificates, config.GetClientCertificate = nil, nil
	}
	if certificate == suites.CertificateUnknown {
		// Shown whichever authorities the server names: what it does not ask for is what it has to refuse.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return unknownCertificate() }
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

// LineTo opens the connection on which TLS, if it is to be, begins.
func (d *Dialer) LineTo(ctx context.Context, to *url.URL) (net.Conn, error) {
	host := net.JoinHostPort(to.Hostname(), Port(to))
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: to})
	if err != nil {
		return nil, fmt.Errorf("proxy of the environment: %w", err)
	}
	if proxy == nil {
		return d.Dial(ctx, "tcp", host)
	}
	return d.Tunnel(ctx, proxy, host)
}

// Tunnel asks an HTTP proxy for a connection to the host.
func (d *Dialer) Tunnel(ctx context.Context, proxy *url.URL, host string) (net.Conn, error) {
	if proxy.Scheme != "http" {
		return nil, fmt.Errorf("a proxy with scheme %q is not supported for WebSocket connections", proxy.Scheme)
	}
	conn, err := d.Dial(ctx, "tcp", net.JoinHostPort(proxy.Hostname(), Port(proxy)))
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
		answer, err = http.ReadResponse(bufio.NewReader(&io.LimitedReader{R: conn, N: MaxHeader}),
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

// Port is the port that a URL leads to.
func Port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// NewKey is a Sec-WebSocket-Key: 16 random bytes.
func NewKey() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return base64.StdEncoding.EncodeToString(b)
}

// AcceptFor is the Sec-WebSocket-Accept that proves that a server has read the key (RFC 6455 section 4.2.2).
func AcceptFor(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Converse puts coder/websocket on a connection whose handshake is done. The library begins every connection with a
// Handshake of its own and refuses what a strict client refuses, a subprotocol that was not offered for one; so it is
// given an answer that pleases it, and the real one is judged elsewhere.
func Converse(t *Tap, answerPing func() bool) (*websocket.Conn, error) {
	pleasing := roundTripper(func(q *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: http.StatusSwitchingProtocols, ProtoMajor: 1, ProtoMinor: 1, Request: q, Body: t,
			Header: http.Header{
				"Connection":           {"Upgrade"},
				"Upgrade":              {"websocket"},
				"Sec-Websocket-Accept": {AcceptFor(q.Header.Get("Sec-WebSocket-Key"))},
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

// UpgradeURL reads the URL of an upgrade; ws and wss are read as http and https. The error does not repeat the URL, which
// may carry a token.
func UpgradeURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err
		}
		return nil, fmt.Errorf("not a URL: %w", err)
	}
	switch u.Scheme {
	case "ws":
		u.Scheme = "http"
	case "wss":
		u.Scheme = "https"
	case "http", "https":
	default:
		return nil, fmt.Errorf("scheme %q is not one of ws, wss, http, https", u.Scheme)
	}
	if u.Hostname() == "" {
		return nil, errors.New("the URL of the upgrade names no host")
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	return u, nil
}
