// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// object is a JSON object as encoding/json reads it.
type object = map[string]any

const (
	mediaJSON = "application/json"
	mediaHTML = "text/html; charset=utf-8"
)

// What a request may have, and take.
const (
	maxBody   = 1 << 20
	bodyLimit = 30 * time.Second
)

// A call is one request.
type call struct {
	s      *Server
	r      *http.Request
	route  route             // that it matched
	bound  map[string]string // what stands for the names in the path
	user   *user             // who asks; nil: nobody who is known
	body   []byte
	isCut  bool // the body had more than maxBody
	noV1   bool // it was asked where V1 is switched off
	arrive time.Time
	live   map[string]any // execution_status by conversation, as the agent servers have it
}

// An answer is what is written to a request.
type answer struct {
	status int
	header http.Header
	body   []byte
	value  any                         // what body says, where it is JSON; a fault changes it in place of the text
	stream func(w http.ResponseWriter) // in place of body
}

// httpBehaviour is what is common to everything that is served.
type httpBehaviour struct {
	shown   func(c *call, a answer) answer // the last look at every answer
	caching func(c *call) string           // Cache-Control
	trouble func(c *call) answer           // a handler panicked
}

var conformantHTTP = httpBehaviour{
	shown:   func(_ *call, a answer) answer { return a },
	caching: func(*call) string { return "no-cache, no-store, must-revalidate, max-age=0" },
	trouble: func(c *call) answer { return c.refuse(fail(http.StatusInternalServerError, "Internal Server Error")) },
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.serve(w, r, s.config.NoV1) }

// withoutV1 answers one request as a server with V1 switched off does.
func (s *Server) withoutV1(w http.ResponseWriter, r *http.Request) {
	s.serve(w, r, s.b.legacy.v1Off(s))
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, noV1 bool) {
	c := &call{s: s, r: r, noV1: noV1, arrive: time.Now()}
	control := http.NewResponseController(w)
	if r.ContentLength != 0 { // a body may not take for ever to come
		_ = control.SetReadDeadline(time.Now().Add(bodyLimit))
		c.body, _ = io.ReadAll(io.LimitReader(r.Body, maxBody+1))
		c.isCut = len(c.body) > maxBody
		_ = control.SetReadDeadline(time.Time{})
	}
	a := s.b.http.shown(c, c.answer())
	if a.header == nil {
		a.header = http.Header{}
	}
	if policy := s.b.http.caching(c); policy != "" {
		a.header.Set("Cache-Control", policy)
	}
	s.send(w, a)
}

// answer finds the route of a request.
func (c *call) answer() (a answer) {
	defer func() {
		if trouble := recover(); trouble != nil {
			c.s.log.Error("bug: a handler panicked", "path", c.r.URL.Path, "panic", trouble)
			a = c.s.b.http.trouble(c)
		}
	}()
	path := c.r.URL.EscapedPath()
	if door, is := strings.CutPrefix(path, OperatorPath); is {
		return c.operator(door)
	}
	if refused, is := c.tooOften(); is {
		return refused
	}
	if c.isCut {
		return c.refuse(fail(http.StatusRequestEntityTooLarge, "the request has more than a megabyte"))
	}
	routed, allowed, is := c.routed(path)
	if is {
		return routed
	}
	return c.unrouted(path, allowed)
}

// routed answers where something is served; allowed are the other methods of the path.
func (c *call) routed(path string) (a answer, allowed []string, is bool) {
	for _, r := range c.s.routes {
		bound, matches := match(c.s.at(r), path)
		if !matches || c.noV1 && r.isV1() {
			continue
		}
		if c.r.Method != r.method {
			allowed = append(allowed, r.method)
			continue
		}
		handle := c.s.b.routes.table[r.String()]
		if handle == nil {
			break
		}
		c.route, c.bound = r, bound
		if f := c.admit(); f != nil {
			return c.refuse(f), nil, true
		}
		return handle(c), nil, true
	}
	return answer{}, allowed, false
}

// unrouted answers where nothing is served.
func (c *call) unrouted(path string, allowed []string) answer {
	b := &c.s.b.routes
	switch {
	case c.r.Method == http.MethodGet && c.s.config.FrontEnd:
		return answer{status: http.StatusOK, header: http.Header{"Content-Type": {mediaHTML}}, body: []byte(frontPage)}
	case len(allowed) > 0:
		return b.otherMethod(c, allowed)
	case c.s.config.FrontEnd:
		return b.otherMethod(c, []string{http.MethodGet})
	}
	if bare, is := strings.CutSuffix(path, "/"); is && bare != "" {
		return b.slash(c, bare)
	}
	return b.unknown(c)
}

// frontPage stands for the web front end.
const frontPage = "<!doctype html><html lang=en><title>App</title><body><div id=app></div></body></html>\n"

// match says whether a path as it was sent has the form of a pattern, and what stands for its names.
func match(pattern, path string) (bound map[string]string, matches bool) {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	bound = map[string]string{}
	for i, segment := range want {
		text, err := url.PathUnescape(got[i])
		if err != nil {
			return nil, false
		}
		name, is := strings.CutPrefix(segment, "{")
		switch {
		case !is && text != segment, is && text == "":
			return nil, false
		case is:
			bound[strings.TrimSuffix(name, "}")] = text
		}
	}
	return bound, true
}

// send writes the answer.
func (s *Server) send(w http.ResponseWriter, a answer) {
	maps.Copy(w.Header(), a.header)
	if a.stream != nil {
		w.WriteHeader(a.status)
		a.stream(w)
		return
	}
	if a.body == nil && a.value != nil {
		a.body = s.lawful.Encode(a.value)
	}
	s.lawful.Write(w, a.status, a.body)
}

// json answers with a JSON value.
func (c *call) json(status int, v any) answer {
	a := answer{status: status, header: http.Header{"Content-Type": {mediaJSON}}, value: v}
	if v == nil {
		a.body = []byte("null")
	}
	return a
}

// ok answers with a JSON value, and that all went well.
func (c *call) ok(v any) answer { return c.json(http.StatusOK, v) }

// success is what actions answer.
func (c *call) success() answer { return c.ok(object{"success": true}) }

// text answers with a text.
func (c *call) text(status int, media, text string) answer {
	return answer{status: status, header: http.Header{"Content-Type": {media}}, body: []byte(text)}
}
