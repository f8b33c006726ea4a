// SPDX-License-Identifier: Apache-2.0

package target

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

// Anonymous is the identity of who shows no credentials: requests without any, and those with wrong ones that a test makes
// up.
const Anonymous = "anonymous"

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

// OwnHeader is what the operator wants sent with every request to an address, and the credentials of an identity. Both go
// to the target only (IsTarget). Whatever the operator gave may be a credential, whatever its name: who is anonymous shows
// only what the operator said is public, and of that nothing which is a credential by its nature or by the card.
func (t *Target) OwnHeader(address, identity string) []suites.Header {
	if !t.IsTarget(address) {
		return nil
	}
	var all []suites.Header
	for _, name := range slices.Sorted(maps.Keys(t.Config.PublicHeader)) {
		if identity == Anonymous && t.isCredential(name) {
			continue
		}
		for _, line := range t.Config.PublicHeader[name] {
			all = append(all, suites.Header{Name: name, Value: line})
		}
	}
	if identity == Anonymous {
		return all
	}
	for _, name := range slices.Sorted(maps.Keys(t.Config.Header)) {
		all = WithoutHeader(all, name)
		for _, line := range t.Config.Header[name] {
			all = append(all, suites.Header{Name: name, Value: line})
		}
	}
	if token := t.Token(identity); token != "" {
		login := t.login(token)
		if login.Name == cookieHeader { // beside those that the operator has given
			for _, h := range all {
				if h.Name == cookieHeader {
					login.Value = h.Value + "; " + login.Value
				}
			}
		}
		all = append(WithoutHeader(all, login.Name), login)
	}
	if len(t.Config.Header) > 0 || t.Token(identity) != "" {
		t.sentTo.add(Origin(address))
	}
	return all
}

// LoginHeader stands in a suite for the header by which users of the target log in: its value is the token alone.
const LoginHeader = "Login"

const cookieHeader = "Cookie"

// login is the header by which a token is shown: a bearer token, or the cookie that the operator names.
func (t *Target) login(token string) suites.Header {
	if cookie := t.Config.LoginCookie(); cookie != "" {
		return suites.Header{Name: cookieHeader, Value: cookie + "=" + token}
	}
	return suites.Header{Name: "Authorization", Value: "Bearer " + token}
}

// WithLogin puts the header that this target knows in the place of [LoginHeader].
func (t *Target) WithLogin(all []suites.Header) []suites.Header {
	shown := make([]suites.Header, len(all))
	for i, h := range all {
		if shown[i] = h; h.Name == LoginHeader {
			shown[i] = t.login(h.Value)
		}
	}
	return shown
}

// secretHeaders carry credentials by their nature.
var secretHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key",
	"X-Session-Api-Key", "X-Access-Token", "X-Auth-Token"}

// IsSecretHeader says whether a header is one of them.
func IsSecretHeader(name string) bool {
	return slices.Contains(secretHeaders, name)
}

// isCredential says whether a header carries credentials by its nature, or because the card says so.
func (t *Target) isCredential(name string) bool {
	name = textproto.CanonicalMIMEHeaderKey(name)
	return IsSecretHeader(name) || t.Card != nil && t.Card.KeyHeaders[name]
}

// TellCredentials says in the report who was sent credentials, and what anonymous requests went without.
func (t *Target) TellCredentials(out *report.Run) {
	out.Target.CredentialsSentTo = t.sentTo.sorted()
	var left []string
	for name := range t.Config.Header {
		left = append(left, name)
	}
	for name := range t.Config.PublicHeader {
		if t.isCredential(name) {
			left = append(left, name)
		}
	}
	if len(left) > 0 {
		slices.Sort(left)
		note(out, "credentials", strings.Join(left, ", "), fmt.Sprintf("requests without credentials, and with wrong ones, were sent without %s: whatever --header gives may be a credential; "+
			"give a header that is not a credential, such as a route, with --public-header", strings.Join(left, ", ")))
	}
}

// lendEndpoint lets requests to an interface of the card carry the credentials, where it is at an origin that the operator
// has named: that of --executor-url, or one that --allow-host names. A card cannot say who is told the operator's token.
func (t *Target) lendEndpoint(e *Endpoint) {
	if t.IsTarget(e.URL) {
		return
	}
	led, err := url.Parse(e.URL)
	if err != nil {
		return
	}
	for _, allowed := range t.Config.AllowHosts {
		if allows(allowed, led, t.Place.Root) {
			t.added.Store(Origin(e.URL), true)
		}
	}
}

// allows says whether an entry of --allow-host names an address: by its host ("agent.example"), by host and port, or by its
// origin ("http://agent.example:8080"). In the clear, when the target itself is asked over TLS, an origin only will do.
func allows(entry string, to *url.URL, root string) bool {
	if strings.Contains(entry, "://") {
		return Origin(entry) == Origin(to.String())
	}
	if to.Scheme == "http" && strings.HasPrefix(root, "https://") {
		return false
	}
	return Origin(to.Scheme+"://"+entry) == Origin(to.String()) || lowerASCII(strings.Trim(entry, "[]")) == lowerASCII(to.Hostname())
}

// withhold looks at the interfaces that are sent no credentials though the operator gave some: those that want them are left
// out, since all that they would show is that they do; the others are judged as everybody sees them. The report says both.
func (f *Preflight) withhold(ctx context.Context) {
	if !f.Config.hasCredentials() {
		return
	}
	for _, e := range f.Interfaces {
		if f.IsTarget(e.URL) {
			continue
		}
		at := Origin(e.URL)
		if x := f.askForNothing(ctx, e, Anonymous); x.Status != http.StatusUnauthorized && x.Status != http.StatusForbidden {
			note(f.Out, "credentials", at, fmt.Sprintf("the interface over %s is at another origin, %s, and was judged without credentials: --allow-host names hosts which they may be sent to", e.Binding, at))
			continue
		}
		f.withheld = append(f.withheld, e)
		f.Out.Partial = append(f.Out.Partial, f.WithheldFrom(e.Binding).Detail)
	}
	f.Interfaces = slices.DeleteFunc(f.Interfaces, func(e *Endpoint) bool { return slices.Contains(f.withheld, e) })
	f.Endpoints = firsts(numbered(f.Interfaces))
}

// WithheldFrom is the reason not to judge what would be sent over a binding ("": over any) to an interface that wants
// credentials at an origin where they are not sent; nil when there is no such interface.
func (a *Agent) WithheldFrom(binding string) *report.Reason {
	for _, e := range a.withheld {
		if binding == "" || e.Binding == binding {
			return &report.Reason{Code: "other-origin", Detail: fmt.Sprintf("the interface over %s is at %s, another origin than the target's, and wants credentials, which are sent there only with --allow-host %s",
				e.Binding, Origin(e.URL), a.Allowing(e.URL))}
		}
	}
	return nil
}

// WithheldHosts are what --allow-host has to name so that no interface of the card is left out, each once.
func (a *Agent) WithheldHosts() []string {
	var hosts []string
	for _, e := range a.withheld {
		if host := a.Allowing(e.URL); !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// Allowing is what --allow-host has to name so that credentials go to an address.
func (a *Agent) Allowing(address string) string {
	at := Origin(address)
	if strings.HasPrefix(a.Place.Root, "https://") {
		return strings.TrimPrefix(at, "https://") // in the clear only by its scheme
	}
	return strings.TrimPrefix(strings.TrimPrefix(at, "https://"), "http://")
}

// onlyElsewhere is the verdict when every interface wants credentials at an origin where they are not sent; nil when there
// is none at all.
func (f *Preflight) onlyElsewhere() *report.Reason {
	why := f.WithheldFrom("")
	if why == nil {
		return nil
	}
	f.Facts.Unasked = report.Unasked{Verdict: report.Unauthorized, Because: why.Detail}
	f.Out.Preflight = append(f.Out.Preflight, report.Finding{At: "PREFLIGHT", Subject: "credentials", Observed: "withheld",
		Expected: "sent", Problem: why.Detail, Severity: report.Fail})
	return &report.Reason{Code: "unauthorized", Detail: "not measured: " + why.Detail}
}
