// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// policy is what the operator announces that decides between two right answers: a part of exchange.
func (s *site) policy() any {
	return map[string]any{"shared": s.target.Shared, "protected_metrics": s.target.ProtectedMetrics, "credentials": s.target.hasCredentials()}
}

// hasCredentials says whether the operator gave any for the instance: a token, a header, a certificate.
func (t *Target) hasCredentials() bool {
	return t.Tokens["instance"] != "" || len(t.Header) > 0 || t.TLS != nil && len(t.TLS.Certificates) > 0
}

// do sends a request, or reads the key set that the operator gave as a file.
func (s *site) do(ctx context.Context, q *request) *exchange {
	path, isFile := s.keyFile(q.URL)
	if !isFile {
		return s.send(ctx, q)
	}
	x := &exchange{Exchange: wire.Exchange{Began: time.Now()}, request: q}
	file, err := os.Open(path)
	if err != nil {
		x.Problem, x.Ours = "the key set cannot be read: "+wire.Last(err), true
		return x
	}
	defer file.Close()
	if x.Body, err = wire.ReadBounded(file, wire.MostBody); err != nil {
		x.Problem, x.Ours = "the key set cannot be read: "+wire.Last(err), true
		return x
	}
	x.Status, x.Line, x.Header = 200, "200 (a file of the operator)", http.Header{"Content-Type": {"application/json"}, "Content-Location": {"file:"}}
	x.Took = time.Since(x.Began)
	return x
}

// keyFile is the path of the operator's key set, when the address is that and no URL.
func (s *site) keyFile(address string) (string, bool) {
	if address == "" || address != s.place.jwks || strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") {
		return "", false
	}
	return strings.TrimPrefix(address, "file://"), true
}

var jsonContent = suites.Header{Name: "Content-Type", Value: "application/json"}

func hasHeader(all []suites.Header, name string) bool {
	return slices.ContainsFunc(all, func(h suites.Header) bool { return strings.EqualFold(h.Name, name) })
}

func withoutHeader(all []suites.Header, name string) []suites.Header {
	kept := make([]suites.Header, 0, len(all)+1)
	for _, h := range all {
		if !strings.EqualFold(h.Name, name) {
			kept = append(kept, h)
		}
	}
	return kept
}

// redirected is the request that a redirect asks for; nil when there is none, or when it leads to another host, where
// our credentials have no business.
func (q *request) redirected(x *exchange) *request {
	switch x.Status {
	case 301, 302, 303, 307, 308:
	default:
		return nil
	}
	to, is := location(x).(string)
	if !is || origin(to) != origin(q.URL) {
		return nil
	}
	next := *q
	if next.first == nil {
		next.first = q
	}
	next.URL, next.Raw = to, false
	if x.Status == 303 || (x.Status <= 302 && q.Method == "POST") {
		next.Method, next.Body = "GET", nil
		next.Header = withoutHeader(q.Header, "Content-Type")
	}
	return &next
}

// location is where the Location header leads, as an absolute URL.
func location(x *exchange) any {
	given := x.Header.Get("Location")
	if given == "" {
		return assertions.Missing
	}
	base, err := url.Parse(x.request.URL)
	if err != nil {
		return given
	}
	led, err := base.Parse(given)
	if err != nil {
		return given
	}
	return led.String()
}
