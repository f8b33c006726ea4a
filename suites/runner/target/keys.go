// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// MayFetchKeys says whether a card may send us to an address: it is on the host of the card, or at the origin that the
// operator named with --jwks.
func (a *Agent) MayFetchKeys(address string) bool {
	u, err := url.Parse(address)
	own, err2 := url.Parse(a.CardURL)
	if err != nil || err2 != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return strings.EqualFold(u.Hostname(), own.Hostname()) || strings.Contains(a.Config.JWKS, "://") && Origin(address) == Origin(a.Config.JWKS)
}

// keySetOf is the key set that the first signature of a card refers to (jku), where that is an address of the target's own.
func (p *Place) keySetOf(card []byte) (string, bool) {
	headers, _ := readers.SigningHeaders(jsontext.Parse(card)).([]any)
	if len(headers) == 0 {
		return "", false
	}
	jku, is := readers.Member(headers[0], "jku").(string)
	return jku, is && Origin(jku) != "" && Origin(jku) == Origin(p.Base)
}

// Do sends a request, or reads the key set that the operator gave as a file.
func (t *Target) Do(ctx context.Context, q *Request) *Exchange {
	path, isFile := t.Place.KeyFile(q.URL)
	if !isFile {
		return t.Send(ctx, q)
	}
	x := &Exchange{Exchange: wire.Exchange{Began: time.Now()}, Request: q}
	file, err := os.Open(path)
	if err != nil {
		x.Problem, x.Ours = "the key set cannot be read: "+wire.Last(err), true
		return x
	}
	defer file.Close()
	if x.Body, err = wire.ReadBounded(file, 0, wire.MaxBody, nil); err != nil {
		x.Problem, x.Ours = "the key set cannot be read: "+wire.Last(err), true
		return x
	}
	x.Status, x.Line, x.Header = 200, "200 (a file of the operator)", http.Header{"Content-Type": {"application/json"}, "Content-Location": {"file:"}}
	x.Took = time.Since(x.Began)
	return x
}

// KeyFile is the path of the operator's key set, when the address is that and no URL.
func (p *Place) KeyFile(address string) (string, bool) {
	if address == "" || address != p.jwks || strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") {
		return "", false
	}
	return strings.TrimPrefix(address, "file://"), true
}
