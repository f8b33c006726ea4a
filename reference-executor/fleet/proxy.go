// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/port"
)

// The proxies, by what stands behind them.
const (
	nativeProxy = "agent-proxy"          // an agent of the listener
	deadProxy   = "dead-upstream-proxy"  // nothing
	dirtyProxy  = "dirty-upstream-proxy" // somebody whose card has what is gone, and what is foreign
)

// bootLimit is how long the upstream may take to show its card.
const bootLimit = 5 * time.Second

// A proxy is an AgentProxy: a small server of its own in front of one agent, with a card of its own.
type proxy struct {
	s        *Server
	name     string
	upstream string // URL of the agent, below which its card is
	trust    string
	listener *port.Port
	client   *http.Client

	card    object // of the upstream, as it was when the proxy came up; nil: it could not be read
	trouble string // why
}

// openProxies brings up the listeners of the proxies. Each reads the card of its upstream when it is served.
func (s *Server) openProxies() error {
	behind := s.main.Root + "/agents/"
	if len(s.members) > 0 {
		behind += url.PathEscape(s.members[0].name)
	}
	nobody, err := closedPort()
	if err != nil {
		return err
	}
	for _, p := range []*proxy{
		{name: "front", upstream: behind},
		{name: "front-of-nobody", upstream: "http://" + nobody + "/agents/nobody"},
		{name: "front-of-old", upstream: s.main.Root + strings.TrimSuffix(dirtyUpstream, fleetCardPath)},
	} {
		p.s, p.trust, p.client = s, "untrusted", s.clientOfProxies()
		if p.listener, err = s.open("", p); err != nil {
			return err
		}
		s.proxies[[]string{nativeProxy, deadProxy, dirtyProxy}[len(s.proxies)]] = p
	}
	return nil
}

// closedPort is an address at which nobody listens.
func closedPort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// clientOfProxies trusts the certificate of the listener, which may be its own authority.
func (s *Server) clientOfProxies() *http.Client {
	transport := &http.Transport{DialContext: (&net.Dialer{Timeout: bootLimit}).DialContext, ResponseHeaderTimeout: writeLimit}
	if s.config.Certificate != nil {
		roots := x509.NewCertPool()
		for _, der := range s.config.Certificate.Certificate {
			if one, err := x509.ParseCertificate(der); err == nil {
				roots.AddCert(one)
			}
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// boot reads the card of the upstream.
func (p *proxy) boot() {
	card, err := p.readCard()
	if err != nil {
		p.trouble = err.Error()
		p.s.log.Info("the card of an upstream was not read", "proxy", p.name, "error", err)
		return
	}
	p.card = card
}

func (p *proxy) readCard() (object, error) {
	request, err := http.NewRequestWithContext(p.s.stopping, http.MethodGet, p.upstream+fleetCardPath, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", mediaJSON)
	p.authorize(request)
	client := *p.client
	client.Timeout = bootLimit
	response, err := client.Do(request)
	if err != nil {
		return nil, errors.New("the upstream was not reached")
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return nil, errors.New("the card of the upstream ends too early")
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the upstream answered %d when it was asked for its card", response.StatusCode)
	}
	var card object
	if json.Unmarshal(text, &card) != nil || card == nil {
		return nil, errors.New("the card of the upstream is no JSON object")
	}
	return card, nil
}

// authorize shows an upstream, which is behind the same front end, the token of that and nothing of the client's.
func (p *proxy) authorize(request *http.Request) {
	request.Header.Del("Authorization")
	request.Header.Del("Cookie")
	if p.s.config.Token != "" {
		request.Header.Set("Authorization", "Bearer "+p.s.config.Token)
	}
}

// ServeHTTP answers one request: with the card, or with what the upstream answers.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{s: p.s, r: r, proxy: p}
	if !c.admitted() {
		p.s.send(w, c.text(http.StatusUnauthorized, "a bearer token is needed"))
		return
	}
	path := r.URL.EscapedPath()
	own := "/agents/" + url.PathEscape(p.name)
	switch {
	case path == fleetCardPath || path == own+fleetCardPath:
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			p.s.send(w, p.s.b.routes.otherMethod(c, []string{http.MethodGet}))
			return
		}
		p.s.send(w, p.s.b.proxy.card(c))
		return
	case !p.s.b.proxy.routed(c):
		p.s.send(w, p.s.b.proxy.unknown(c))
		return
	}
	p.forward(w, r, strings.TrimPrefix(path, own))
}

// forward has the upstream answer.
func (p *proxy) forward(w http.ResponseWriter, r *http.Request, tail string) {
	to, err := url.Parse(p.upstream + tail)
	if err != nil {
		p.s.send(w, (&call{s: p.s, r: r}).text(http.StatusBadRequest, "the path cannot be read"))
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyLimit))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		p.s.send(w, (&call{s: p.s, r: r}).text(http.StatusRequestEntityTooLarge, "the request has more than a megabyte, or ends too early"))
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	body = p.renamed(body)
	(&httputil.ReverseProxy{
		Transport: p.client.Transport, FlushInterval: -1,
		Rewrite: func(out *httputil.ProxyRequest) {
			query := out.In.URL.RawQuery
			out.Out.URL, out.Out.Host = to, to.Host
			out.Out.URL.RawQuery = query
			out.Out.Body, out.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			p.authorize(out.Out)
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, _ error) {
			p.s.send(w, (&call{s: p.s, r: r}).text(http.StatusBadGateway, "the upstream was not reached"))
		},
		ErrorLog: slog.NewLogLogger(p.s.log.Handler(), slog.LevelDebug),
	}).ServeHTTP(w, r)
}

// renamed takes out the name of the proxy as the tenant, which the upstream does not know itself by.
func (p *proxy) renamed(body []byte) []byte {
	var request map[string]json.RawMessage
	var tenant string
	if json.Unmarshal(body, &request) != nil || json.Unmarshal(request["tenant"], &tenant) != nil || tenant != p.name {
		return body
	}
	delete(request, "tenant")
	text, err := json.Marshal(request)
	if err != nil {
		return body
	}
	return text
}
