// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// anonymous is the identity of who shows no credentials: requests without any, and those with wrong ones that a test makes
// up.
const anonymous = "anonymous"

// shownTo keeps to which origins credentials went.
type shownTo struct {
	mu      sync.Mutex
	origins map[string]bool
}

func (s *shownTo) add(origin string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.origins == nil {
		s.origins = map[string]bool{}
	}
	s.origins[origin] = true
}

// sorted are the origins, such as "https://agent.example:8443".
func (s *shownTo) sorted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.origins))
}

// ownHeader is what the operator wants sent with every request to an address, and the credentials of an identity. Both go
// to the target only (isTarget). Whatever the operator gave may be a credential, whatever its name: who is anonymous shows
// only what the operator said is public, and of that nothing which is a credential by its nature or by the card.
func (s *site) ownHeader(address, identity string) []suites.Header {
	if !s.isTarget(address) {
		return nil
	}
	var all []suites.Header
	for _, name := range slices.Sorted(maps.Keys(s.target.PublicHeader)) {
		if identity == anonymous && s.isCredential(name) {
			continue
		}
		for _, line := range s.target.PublicHeader[name] {
			all = append(all, suites.Header{Name: name, Value: line})
		}
	}
	if identity == anonymous {
		return all
	}
	for _, name := range slices.Sorted(maps.Keys(s.target.Header)) {
		all = withoutHeader(all, name)
		for _, line := range s.target.Header[name] {
			all = append(all, suites.Header{Name: name, Value: line})
		}
	}
	if token := s.token(identity); token != "" {
		all = append(withoutHeader(all, "Authorization"), suites.Header{Name: "Authorization", Value: "Bearer " + token})
	}
	if len(s.target.Header) > 0 || s.token(identity) != "" {
		s.sentTo.add(origin(address))
	}
	return all
}

// isCredential says whether a header carries credentials by its nature, or because the card says so.
func (s *site) isCredential(name string) bool {
	name = textproto.CanonicalMIMEHeaderKey(name)
	return isSecretHeader(name) || s.card != nil && s.card.KeyHeaders[name]
}

// tellCredentials says in the report who was sent credentials, and what anonymous requests went without.
func (s *site) tellCredentials(out *report.Run) {
	out.Target.CredentialsSentTo = s.sentTo.sorted()
	var left []string
	for name := range s.target.Header {
		left = append(left, name)
	}
	for name := range s.target.PublicHeader {
		if s.isCredential(name) {
			left = append(left, name)
		}
	}
	if len(left) > 0 {
		slices.Sort(left)
		note(out, "credentials", strings.Join(left, ", "), fmt.Sprintf("requests without credentials, and with wrong ones, were sent without %s: whatever --header gives may be a credential; "+
			"what is none, such as a route, is given with --public-header", strings.Join(left, ", ")))
	}
}

// lendEndpoint lets requests to an interface of the card carry the credentials, where it is at an origin that the operator
// has named: that of --executor-url, or one that --allow-host names. A card cannot say who is told the operator's token.
func (s *site) lendEndpoint(e *endpoint) {
	if s.isTarget(e.url) {
		return
	}
	led, err := url.Parse(e.url)
	if err != nil {
		return
	}
	for _, allowed := range s.target.AllowHosts {
		if allows(allowed, led, s.place.root) {
			s.lent.Store(origin(e.url), true)
		}
	}
}

// allows says whether an entry of --allow-host names an address: by its host ("agent.example"), by host and port, or by its
// origin ("http://agent.example:8080"). In the clear, when the target itself is asked over TLS, an origin only will do.
func allows(entry string, to *url.URL, root string) bool {
	if strings.Contains(entry, "://") {
		return origin(entry) == origin(to.String())
	}
	if to.Scheme == "http" && strings.HasPrefix(root, "https://") {
		return false
	}
	return origin(to.Scheme+"://"+entry) == origin(to.String()) || lowerASCII(strings.Trim(entry, "[]")) == lowerASCII(to.Hostname())
}

// withhold looks at the interfaces that are sent no credentials though the operator gave some: those that want them are left
// out, since all that they would show is that they do; the others are judged as everybody sees them. The report says both.
func (f *preflight) withhold(ctx context.Context) {
	if !f.target.hasCredentials() {
		return
	}
	for _, e := range f.interfaces {
		if f.isTarget(e.url) {
			continue
		}
		at := origin(e.url)
		if x := f.askForNothing(ctx, e, anonymous); x.Status != http.StatusUnauthorized && x.Status != http.StatusForbidden {
			note(f.out, "credentials", at, fmt.Sprintf("the interface over %s is at another origin, %s, and was judged without credentials: --allow-host names hosts which they may be sent to", e.binding, at))
			continue
		}
		f.withheld = append(f.withheld, e)
		f.out.Partial = append(f.out.Partial, f.withheldFrom(e.binding).Detail)
	}
	f.interfaces = slices.DeleteFunc(f.interfaces, func(e *endpoint) bool { return slices.Contains(f.withheld, e) })
	f.endpoints = firsts(numbered(f.interfaces))
}

// withheldFrom is the reason not to judge what would be sent over a binding ("": over any) to an interface that wants
// credentials at an origin where they are not sent; nil when there is no such interface.
func (a *agent) withheldFrom(binding string) *report.Reason {
	for _, e := range a.withheld {
		if binding == "" || e.binding == binding {
			return &report.Reason{Code: "other-origin", Detail: fmt.Sprintf("the interface over %s is at %s, another origin than the target's, and wants credentials, which are sent there only with --allow-host %s",
				e.binding, origin(e.url), a.allowing(e.url))}
		}
	}
	return nil
}

// allowing is what --allow-host has to name so that credentials go to an address.
func (a *agent) allowing(address string) string {
	at := origin(address)
	if strings.HasPrefix(a.place.root, "https://") {
		return strings.TrimPrefix(at, "https://") // in the clear only by its scheme
	}
	return strings.TrimPrefix(strings.TrimPrefix(at, "https://"), "http://")
}

// onlyElsewhere is the verdict when every interface wants credentials at an origin where they are not sent; nil when there
// is none at all.
func (f *preflight) onlyElsewhere() *report.Reason {
	why := f.withheldFrom("")
	if why == nil {
		return nil
	}
	f.out.Verdict, f.out.Because = report.Unauthorized, why.Detail
	f.out.Preflight = append(f.out.Preflight, report.Finding{At: "PREFLIGHT", Subject: "credentials", Observed: "withheld",
		Expected: "sent", Problem: why.Detail, Severity: report.Fail})
	return &report.Reason{Code: "unauthorized", Detail: "not measured: " + why.Detail}
}
