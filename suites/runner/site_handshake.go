// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/textproto"
	"net/url"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// handshakeHeader is the header of a proper upgrade: what RFC 6455 section 4.1 asks for, what the operator wants on every
// request, and the credentials of an identity.
func (s *site) handshakeHeader(address *url.URL, offers []string, identity string) []suites.Header {
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
	return override(header, s.ownHeader(address.String(), identity))
}

// override puts headers in the place of those with the same names.
func override(header, with []suites.Header) []suites.Header {
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
