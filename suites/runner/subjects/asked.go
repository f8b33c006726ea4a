// SPDX-License-Identifier: Apache-2.0

package subjects

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// longest is how many bytes of JSON a request may have that watches are shown as a value. What is longer was sent to see whether it is
// refused, and nobody needs to know what it said.
const longest = 16 << 20

// asked is the subject request of what is watched. Its members are made when they are asked for: most of what a run sees
// is sorted out by one or two of them.
type asked struct {
	site *target.Target
	of   *observe.Request

	mu    sync.Mutex
	made  map[string]any // what is Missing included
	place *askedPlace    // nil: nobody has asked for it
}

// An askedPlace is where a request went to.
type askedPlace struct{ surface, below string }

func (a *asked) placed() *askedPlace {
	if a.place == nil {
		surface, below := a.site.Place.SurfaceOf(a.of.URL)
		a.place = &askedPlace{surface, below}
	}
	return a.place
}

// askedMembers are the members of the subject, as far as a request has them.
var askedMembers = strings.Fields("below header headers identity json method operation over path query raw route streamed surface task test text url")

// at is what stands at a path below the subject.
func (a *asked) at(path assertions.Path) any {
	v := a.member(path.Head())
	if assertions.IsMissing(v) {
		return v
	}
	return path.Tail().Find(v)
}

// all is the whole subject.
func (a *asked) all() map[string]any {
	all := make(map[string]any, len(askedMembers))
	for _, name := range askedMembers {
		if v := a.member(name); !assertions.IsMissing(v) {
			all[name] = v
		}
	}
	return all
}

func (a *asked) member(name string) any {
	a.mu.Lock()
	defer a.mu.Unlock()
	v, made := a.made[name]
	if !made {
		if a.made == nil {
			a.made = map[string]any{}
		}
		v = a.make(name)
		a.made[name] = v
	}
	return v
}

func (a *asked) make(name string) any {
	q := a.of
	switch name {
	case "method":
		return q.Method
	case "url":
		return q.URL
	case "route":
		return q.Route
	case "test":
		return q.Test
	case "identity":
		return q.Identity
	case "streamed":
		return q.Streamed
	case "raw":
		return q.Raw
	case "text":
		return strings.ToValidUTF8(string(q.Body), "\uFFFD")
	case "header":
		return HeaderValues(sentHeader(q))
	case "headers":
		return HeaderLines(sentHeader(q))
	case "surface":
		return a.placed().surface
	case "below":
		return a.placed().below
	case "task":
		surface := a.placed().surface
		rest, is := strings.CutPrefix(a.placed().below, "tasks/")
		id, _, _ := strings.Cut(rest, "/")
		id, err := url.PathUnescape(id)
		if !is || surface != "a2a" || id == "" || err != nil {
			return assertions.Missing
		}
		return id
	case "path", "query":
		u, err := url.Parse(q.URL)
		switch {
		case err != nil:
			return assertions.Missing
		case name == "path":
			return u.EscapedPath()
		}
		return u.RawQuery
	case "operation", "over":
		switch {
		case q.Operation == "":
			return assertions.Missing
		case name == "operation":
			return q.Operation
		}
		return q.Binding
	case "json":
		if len(q.Body) == 0 || len(q.Body) > longest {
			return assertions.Missing
		}
		return jsontext.Parse(bytes.TrimSpace(q.Body))
	}
	return assertions.Missing
}

func sentHeader(q *observe.Request) http.Header {
	header := http.Header{}
	for _, h := range q.Header {
		header.Add(h.Name, h.Value)
	}
	return header
}
