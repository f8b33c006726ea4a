// SPDX-License-Identifier: Apache-2.0

package sights

import (
	"net/http"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// maxKinds bounds how many kinds of errors are kept; a target can make up as many codes as it likes.
const maxKinds = 1000

// longestKind bounds what is kept of one kind: what is longer is no name of a kind.
const longestKind = 1 << 10

// titles are those that the first problem document of each kind had: what it is about does not change its title (RFC 7807, 3.1).
type titles struct {
	mu    sync.Mutex
	first map[kind]string
}

// A kind of errors is what has one code and one type, under one status, on one surface.
type kind struct {
	surface, typ, code string
	status             int
}

// before is the title of the first document of the kind that an answer has, which may be this one. It is false of what is no problem
// document, has no code or no title, or too long ones.
func (t *titles) before(p *target.Place, x *observe.Exchange) (string, bool) {
	if x.Status < http.StatusBadRequest {
		return "", false
	}
	document := x.JSON()
	code, coded := readers.Member(document, "code").(string)
	title, titled := readers.Member(document, "title").(string)
	if !coded || !titled {
		return "", false
	}
	typ, _ := readers.Member(document, "type").(string)
	if len(typ)+len(code)+len(title) > longestKind {
		return "", false
	}
	surface, _ := p.SurfaceOf(x.URL)
	of := kind{surface: surface, typ: typ, code: code, status: x.Status}
	t.mu.Lock()
	defer t.mu.Unlock()
	first, had := t.first[of]
	switch {
	case had:
		return first, true
	case len(t.first) >= maxKinds:
		return "", false
	case t.first == nil:
		t.first = map[kind]string{}
	}
	t.first[of] = title
	return title, true
}
