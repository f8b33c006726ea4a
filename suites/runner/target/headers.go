// SPDX-License-Identifier: Apache-2.0

package target

import (
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// JSONContent says that a body is JSON.
var JSONContent = suites.Header{Name: "Content-Type", Value: "application/json"}

// HasHeader says whether a header of that name is among them.
func HasHeader(all []suites.Header, name string) bool {
	return slices.ContainsFunc(all, func(h suites.Header) bool { return strings.EqualFold(h.Name, name) })
}

// WithoutHeader is a copy of headers without those of that name.
func WithoutHeader(all []suites.Header, name string) []suites.Header {
	kept := make([]suites.Header, 0, len(all)+1)
	for _, h := range all {
		if !strings.EqualFold(h.Name, name) {
			kept = append(kept, h)
		}
	}
	return kept
}

// HandshakeHeader is the header of a proper upgrade: what RFC 6455 section 4.1 asks for, what the operator wants on every
// request, and the credentials of an identity.
func (t *Target) HandshakeHeader(address *url.URL, offers []string, identity string) []suites.Header {
	header := []suites.Header{
		{Name: "Host", Value: address.Host},
		{Name: "User-Agent", Value: wire.UserAgent},
		{Name: "Upgrade", Value: "websocket"},
		{Name: "Connection", Value: "Upgrade"},
		{Name: "Sec-WebSocket-Key", Value: wire.NewKey()},
		{Name: "Sec-WebSocket-Version", Value: "13"},
	}
	if len(offers) > 0 {
		header = append(header, suites.Header{Name: "Sec-WebSocket-Protocol", Value: strings.Join(offers, ", ")})
	}
	return Override(header, t.OwnHeader(address.String(), identity))
}

// Override puts headers in the place of those with the same names.
func Override(header, with []suites.Header) []suites.Header {
	named := map[string]bool{}
	for _, h := range with {
		named[textproto.CanonicalMIMEHeaderKey(h.Name)] = true
	}
	kept := make([]suites.Header, 0, len(header)+len(with))
	for _, h := range header {
		if !named[textproto.CanonicalMIMEHeaderKey(h.Name)] {
			kept = append(kept, h)
		}
	}
	for _, h := range with {
		if !h.Drop {
			kept = append(kept, h)
		}
	}
	return kept
}
