// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/url"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// mayFetchKeys says whether a card may send us to an address: it is on the host of the card, or at the origin that the
// operator named with --jwks.
func (a *agent) mayFetchKeys(address string) bool {
	u, err := url.Parse(address)
	own, err2 := url.Parse(a.cardURL)
	if err != nil || err2 != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return strings.EqualFold(u.Hostname(), own.Hostname()) || strings.Contains(a.target.JWKS, "://") && origin(address) == origin(a.target.JWKS)
}

// keySetOf is the key set that the first signature of a card refers to (jku), where that is an address of the target's own.
func (s *site) keySetOf(card []byte) (string, bool) {
	headers, _ := readers.SigningHeaders(jsontext.Parse(card)).([]any)
	if len(headers) == 0 {
		return "", false
	}
	jku, is := readers.Member(headers[0], "jku").(string)
	return jku, is && origin(jku) != "" && origin(jku) == origin(s.place.base)
}
