// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/url"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// A place is where everything is found, derived from what the operator gave (ruling AMB-36). None of its URLs ends in a
// slash. URLs are joined, never resolved: a deployment may live below a path of its own.
type place struct {
	root  string // scheme, host and the path that a proxy puts in front
	base  string // of the instance
	api   string
	admin string
	jwks  string // a URL, or a file
	iid   string
}

// plain is the root without TLS, at the usual port; "" when the target is not asked over TLS anyway.
func (p *place) plain() string {
	u, err := url.Parse(p.root)
	if err != nil || u.Scheme != "https" {
		return ""
	}
	u.Scheme, u.Host = "http", strings.TrimSuffix(u.Host, ":"+u.Port())
	return u.String()
}

// named is the value of one of the fixed names.
func (p *place) named(name string) (string, bool) {
	switch name {
	case "root":
		return p.root, true
	case "origin":
		return origin(p.root), true
	case "base", "executor":
		return p.base, true
	case "api":
		return p.api, true
	case "admin":
		return p.admin, true
	case "jwks":
		return p.jwks, true
	case "iid":
		return p.iid, true
	}
	return "", false
}

// join puts a path behind a URL.
func join(base, path string) string {
	return strings.TrimRight(base, "/") + "/" + strings.TrimLeft(path, "/")
}

// plainURL is a URL as the operator gave it, without user info, query, fragment and trailing slashes. Without a scheme
// it is taken for http.
func plainURL(given string) string {
	given = strings.TrimSpace(given)
	if given != "" && !strings.Contains(given, "://") {
		given = "http://" + given
	}
	u, err := url.Parse(given)
	if err != nil || u.Host == "" {
		return strings.TrimRight(given, "/")
	}
	u.User, u.RawQuery, u.Fragment, u.RawFragment, u.ForceQuery = nil, "", "", "", false
	return strings.TrimRight(u.String(), "/")
}

// splitInstance takes the URL of an instance apart: what stands before /agents/{id}, and the id.
func splitInstance(given string) (root, iid string, is bool) {
	from := 0
	if at := strings.Index(given, "://"); at >= 0 {
		from = at + 3
	}
	at := strings.LastIndex(given[from:], "/agents/")
	if at < 0 {
		return given, "", false
	}
	root, rest := given[:from+at], given[from+at+len("/agents/"):]
	iid, _, _ = strings.Cut(rest, "/")
	return root, iid, iid != ""
}

// placeOf derives everything from the root and the base of the instance; what the operator gave explicitly wins.
func placeOf(config Target, root, base, iid string) place {
	p := place{root: root, base: base, api: join(base, "v1"), iid: iid}
	p.admin = join(root, "api/v2/admin")
	if config.AdminURL != "" {
		p.admin = plainURL(config.AdminURL)
	}
	p.jwks = join(base, ".well-known/jwks.json")
	if config.JWKS != "" {
		p.jwks = config.JWKS
	}
	return p
}

// origin is scheme and authority of a URL, with the default port left out. Of the host only ASCII letters are folded: what other
// letters fold to is not where a connection would lead ("\u0130" to "i", though its name in the DNS is another).
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	host := lowerASCII(u.Host)
	switch u.Scheme {
	case "http", "ws":
		return "http://" + strings.TrimSuffix(host, ":80")
	case "https", "wss":
		return "https://" + strings.TrimSuffix(host, ":443")
	}
	return u.Scheme + "://" + host
}

func lowerASCII(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, s)
}

// isTarget says whether a URL leads to the target itself, or to another executor that the operator lent, where
// credentials may be shown. Addresses that the target puts into its answers can lead anywhere.
func (s *site) isTarget(address string) bool {
	at := origin(address)
	if at == "" {
		return false
	}
	_, lent := s.lent.Load(at)
	return lent || at == origin(s.place.root) || at == origin(s.place.admin) || at == origin(s.place.base)
}

// lend notes the executor that a hook's answer leads to.
func (s *site) lend(result any) {
	if address, is := readers.Member(result, "url").(string); is && origin(address) != "" {
		s.lent.Store(origin(address), true)
	}
}
