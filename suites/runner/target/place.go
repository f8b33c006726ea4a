// SPDX-License-Identifier: Apache-2.0

package target

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// A Place is where everything is found, derived from what the operator gave (ruling AMB-36). None of its URLs ends in a
// slash. URLs are joined, never resolved: a deployment may live below a path of its own.
type Place struct {
	Root  string // scheme, host and the path that a proxy puts in front
	Base  string // of the instance
	API   string
	Admin string
	jwks  string // a URL, or a file
	IID   string

	origins []string // of Root, Admin and Base
}

// Plain is the root without TLS, at the usual port; "" when the target is not asked over TLS anyway.
func (p *Place) Plain() string {
	u, err := url.Parse(p.Root)
	if err != nil || u.Scheme != "https" {
		return ""
	}
	u.Scheme, u.Host = "http", strings.TrimSuffix(u.Host, ":"+u.Port())
	return u.String()
}

// Named is the value of one of the fixed names.
func (p *Place) Named(name string) (string, bool) {
	switch name {
	case "root":
		return p.Root, true
	case "origin":
		return Origin(p.Root), true
	case "base", "executor":
		return p.Base, true
	case "api":
		return p.API, true
	case "admin":
		return p.Admin, true
	case "jwks":
		return p.jwks, true
	case "iid":
		return p.IID, true
	}
	return "", false
}

// SplitInstance takes the URL of an instance apart: what stands before /agents/{id}, and the id.
func SplitInstance(given string) (root, iid string, is bool) {
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

// RootOf is the address of a deployment: what stands before /agents/{id}, if that is there.
func RootOf(address string) string {
	root, _, _ := SplitInstance(strings.TrimRight(address, "/"))
	return root
}

// PlaceOf derives everything from the root and the base of the instance; what the operator gave explicitly wins.
func PlaceOf(config Config, root, base, iid string) Place {
	p := Place{Root: root, Base: base, API: Join(base, "v1"), IID: iid}
	p.Admin = Join(root, "api/v2/admin")
	if config.AdminURL != "" {
		p.Admin = PlainURL(config.AdminURL)
	}
	p.jwks = Join(base, ".well-known/jwks.json")
	if config.JWKS != "" {
		p.jwks = config.JWKS
	}
	p.origins = p.originsOf()
	return p
}

func (p *Place) originsOf() []string {
	return []string{Origin(p.Root), Origin(p.Admin), Origin(p.Base)}
}

// IsTarget says whether a URL leads to the target itself, or to another executor that the operator configured, where
// credentials may be shown. Addresses that the target puts into its answers can lead anywhere.
func (t *Target) IsTarget(address string) bool {
	at := Origin(address)
	if at == "" {
		return false
	}
	if _, configured := t.added.Load(at); configured {
		return true
	}
	origins := t.Place.origins // it is asked several times for each request
	if origins == nil {
		origins = t.Place.originsOf()
	}
	return slices.Contains(origins, at)
}

// AddExecutor notes the executor that a hook's answer leads to.
func (t *Target) AddExecutor(result any) {
	if address, is := readers.Member(result, "url").(string); is && Origin(address) != "" {
		t.added.Store(Origin(address), true)
	}
}

// SurfaceOf says which surface of the executor a URL is one of, and what its path has behind the root of that: a2a and
// "tasks/x" of ${api}/tasks/x and ${base}/tasks/x, whichever the instance is, admin, v1, terminal, or other and "".
func (p *Place) SurfaceOf(address string) (surface, below string) {
	path := SentPath(address)
	for _, s := range []struct{ name, root string }{{"admin", p.Admin}, {"v1", Join(p.Root, "api/v1")}, {"a2a", p.API}} {
		if rest, is := strings.CutPrefix(path, s.root+"/"); is {
			return s.name, rest
		}
	}
	if rest, is := strings.CutPrefix(path, Join(p.Root, "agents")+"/"); is && p.Admin != "" {
		if id, below, has := strings.Cut(rest, "/v1/"); has && id != "" && !strings.Contains(id, "/") { // of another instance
			return "a2a", below
		}
	}
	rest, is := strings.CutPrefix(path, p.Base+"/")
	for _, first := range []string{"tasks", "messages:", "extendedAgentCard"} {
		if is && strings.HasPrefix(rest, first) {
			return "a2a", rest
		}
	}
	if strings.HasPrefix(path, Join(p.Root, "agents")+"/") && AttachPath.MatchString(path) {
		return "terminal", ""
	}
	return "other", ""
}

// Below says whether a URL is one of the instance under test.
func (p *Place) Below(address string) bool { return strings.HasPrefix(SentPath(address), p.Base+"/") }

// OfAnother says whether a URL is one of another instance.
func (p *Place) OfAnother(address string) bool {
	return p.Root != "" && strings.HasPrefix(SentPath(address), Join(p.Root, "agents")+"/") && !p.Below(address)
}

// AttachPath is the path of a terminal.
var AttachPath = regexp.MustCompile(`/sessions/([^/]+)/attach/*$`)

// LeadsElsewhere says whether a hook's answer names an executor other than the target.
func (p *Place) LeadsElsewhere(result any) bool {
	address, is := readers.Member(result, "url").(string)
	return is && Origin(address) != "" && Origin(address) != Origin(p.Root)
}
