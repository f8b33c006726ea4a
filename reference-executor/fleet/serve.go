// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"crypto/subtle"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// object is a JSON object as encoding/json reads it.
type object = map[string]any

// The media types of requests and answers.
const (
	mediaA2A  = "application/a2a+json"
	mediaJSON = "application/json"
	mediaSSE  = "text/event-stream"
)

// What a request may have, and take.
const (
	maxBody   = 1 << 20
	bodyLimit = 30 * time.Second
)

// A call is one request.
type call struct {
	s     *Server
	r     *http.Request
	route string // pattern that it matched
	agent *agent // nil: the route is that of the listener
	proxy *proxy // that is asked; nil: the listener is
	task  string // id in the path
}

// An answer is what is written to a request.
type answer struct {
	status int
	header http.Header
	body   []byte
	stream func(w http.ResponseWriter) // in place of body
}

// httpBehaviour is what is common to everything that is served.
type httpBehaviour struct {
	origin func(c *call) string             // of the self-references in an answer
	shown  func(c *call, a answer) answer   // the last look at every answer
	body   func(c *call) ([]byte, *failure) // of a request
}

var conformantHTTP = httpBehaviour{
	origin: func(c *call) string {
		switch {
		case c.s.config.PublicURL != "":
			return c.s.config.PublicURL
		}
		return c.scheme() + "://" + c.r.Host
	},
	shown: func(_ *call, a answer) answer { return a },
	body: func(c *call) ([]byte, *failure) {
		body, err := io.ReadAll(http.MaxBytesReader(nil, c.r.Body, maxBody))
		if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
			return nil, fail(tooLarge, "the request has more than a megabyte")
		}
		if err != nil {
			return nil, fail(malformed, "the request ends too early")
		}
		return body, nil
	},
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{s: s, r: r}
	if r.ContentLength != 0 { // a body may not take for ever to come
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(bodyLimit))
		defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	}
	a := s.b.http.shown(c, c.answer())
	if a.header == nil {
		a.header = http.Header{}
	}
	a.header.Set("X-Content-Type-Options", "nosniff")
	s.send(w, a)
}

// answer finds the route of a request, and the agent that it is about.
func (c *call) answer() (a answer) {
	defer func() {
		if trouble := recover(); trouble != nil {
			c.s.log.Error("bug: a handler panicked", "path", c.r.URL.Path, "panic", trouble)
			a = c.refuse(fail(internal, "something went wrong here"))
		}
	}()
	if !c.admitted() {
		a := c.text(http.StatusUnauthorized, "a bearer token is needed")
		a.header.Set("WWW-Authenticate", "Bearer")
		return a
	}
	b := &c.s.b.routes
	path := c.r.URL.EscapedPath()
	if hook, is := strings.CutPrefix(path, OperatorPath); is {
		return c.operator(hook)
	}
	var allowed []string
	for _, route := range routes {
		bound, matches := match(route.path, path)
		if !matches {
			continue
		}
		method := c.r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if method != route.method {
			allowed = append(allowed, route.method)
			continue
		}
		handle := b.table[route.method+" "+route.path]
		if handle == nil {
			break
		}
		c.route, c.task = route.path, bound["id"]
		if name, has := bound["name"]; has {
			if c.agent = c.s.agents[name]; c.agent == nil {
				return b.ghost(c, name)
			}
		}
		return handle(c)
	}
	if len(allowed) > 0 {
		return b.otherMethod(c, allowed)
	}
	return b.unknown(c)
}

// admitted says whether the request has the token of the front end, if there is one.
func (c *call) admitted() bool {
	if c.s.config.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(c.r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(token), []byte(c.s.config.Token)) == 1
}

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
		name, suffix, isName := strings.Cut(strings.TrimPrefix(segment, "{"), "}")
		switch {
		case !isName:
			if text != segment {
				return nil, false
			}
		case !strings.HasSuffix(text, suffix) || text == suffix:
			return nil, false
		default:
			bound[name] = strings.TrimSuffix(text, suffix)
		}
	}
	return bound, true
}

// send writes the answer. How it is cut into chunks is left to chance.
func (s *Server) send(w http.ResponseWriter, a answer) {
	maps.Copy(w.Header(), a.header)
	if a.stream != nil {
		w.WriteHeader(a.status)
		a.stream(w)
		return
	}
	s.lawful.Write(w, a.status, a.body)
}

// json answers with a JSON value.
func (c *call) json(status int, media string, v any) answer {
	return answer{status: status, header: http.Header{"Content-Type": {media}}, body: c.s.lawful.Encode(v)}
}

// text answers with what the listener itself has to say against a request.
func (c *call) text(status int, why string) answer {
	return c.json(status, mediaJSON, object{"error": why})
}
