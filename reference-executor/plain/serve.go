// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"maps"
	"net"
	"net/http"
	"strings"
)

// httpBehaviour is what is common to everything that is served.
type httpBehaviour struct {
	accepts func(l net.Listener) net.Listener                 // what connections come from
	before  func(s *Server, r *http.Request) (answer, bool)   // answers in place of everything else
	header  func(s *Server, r *http.Request, a answer) answer // the last look at every answer
	secure  func(s *Server, r *http.Request, h http.Header)   // headers of servers that speak TLS
	below   func() string                                     // the path below which everything is served; empty: none
}

var conformantHTTP = httpBehaviour{
	accepts: func(l net.Listener) net.Listener { return l },
	before:  func(*Server, *http.Request) (answer, bool) { return answer{}, false },
	header:  func(_ *Server, _ *http.Request, a answer) answer { return a },
	secure: func(s *Server, _ *http.Request, h http.Header) {
		if strings.HasPrefix(s.public(), "https:") {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
	},
	below: func() string { return "" },
}

// An answer is what is written to a request.
type answer struct {
	status int
	header http.Header
	body   []byte
	stream func(w http.ResponseWriter) // in place of body
}

// The paths of cards, keys and interfaces.
const (
	wellKnown       = "/.well-known/agent-card.json"
	wellKnownLegacy = "/.well-known/agent.json"
	keysPath        = "/.well-known/agent-card-keys.json"
	movedCardPath   = "/cards/plain%20agent.json?of=plain%2Fagent" // of a card that moved
	restPath        = "/a2a"                                       // of the interface urls
	rpcPath         = "/rpc"
)

// connection is the key of the context of a request under which its net.Conn stands.
type connection struct{}

// ServeHTTP answers one request: a card, the keys, or an operation over one of the bindings.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	http.StripPrefix(s.b.http.below(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(s, w, r) })).ServeHTTP(w, r)
}

func serve(s *Server, w http.ResponseWriter, r *http.Request) {
	a := s.answer(r)
	if a.header == nil {
		a.header = http.Header{}
	}
	a.header.Set("X-Content-Type-Options", "nosniff")
	s.b.http.secure(s, r, a.header)
	s.send(w, r, s.b.http.header(s, r, a))
}

func (s *Server) answer(r *http.Request) (a answer) {
	c := &call{s: s, r: r}
	defer s.rescue(c, &a)
	if a, done := s.b.http.before(s, r); done {
		return a
	}
	path := r.URL.EscapedPath()
	switch {
	case s.config.CardMoved != 0 && s.b.card.found(s, path):
		return answer{status: s.config.CardMoved, header: http.Header{"Location": {s.b.http.below() + movedCardPath}}}
	case s.b.card.found(s, path), s.config.CardMoved != 0 && path == strings.SplitN(movedCardPath, "?", 2)[0]:
		return c.publicCard()
	case path == keysPath && s.declares("signatures"):
		return s.keySet()
	}
	if tail, ours := s.b.rest.below(path); ours && s.serves(BindingREST) && !s.config.Only03 {
		c.binding = BindingREST
		return c.serveREST(tail)
	}
	if s.b.rpc.at(path) && s.serves(BindingRPC) {
		c.binding = BindingRPC
		return c.serveRPC()
	}
	c.binding = BindingREST
	return s.b.rest.unknown(c)
}

// panicked is all that a client hears of a bug.
const panicked = "something went wrong here"

// rescue turns a panic into an internal error that tells nothing.
func (s *Server) rescue(c *call, a *answer) {
	trouble := recover()
	if trouble == nil {
		return
	}
	if trouble == http.ErrAbortHandler {
		panic(trouble)
	}
	s.log.Error("bug: a handler panicked", "path", c.r.URL.Path, "panic", trouble)
	*a = c.refuse(fail(internal, panicked))
}

// send writes the answer. How it is cut into chunks is left to chance.
func (s *Server) send(w http.ResponseWriter, r *http.Request, a answer) {
	maps.Copy(w.Header(), a.header)
	if a.stream != nil {
		w.WriteHeader(a.status)
		a.stream(w)
		return
	}
	s.lawful.Write(w, a.status, a.body)
}

// json answers with a JSON value.
func (s *Server) json(status int, media string, v any) answer {
	return answer{status: status, header: http.Header{"Content-Type": {media}}, body: s.lawful.Encode(v)}
}
