// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"net/http"
	"time"
)

// surfacesBehaviour is what keeps the surfaces apart.
type surfacesBehaviour struct {
	rewrite  func(e *Executor, method, path string) string  // the escaped path that is really served
	split    func(escaped string) ([]string, bool)          // its segments
	of       func(segments []string) surface                // the surface they belong to
	instance func(e *Executor, id string) (*instance, bool) // the instance that answers for an id
	before   func(c *call) (answer, bool)                   // answers in place of everything else
	wrong    func(c *call, allow string) answer             // a known route with another method
	unknown  func(c *call) answer                           // no route at all
}

var conformantSurfaces = surfacesBehaviour{
	rewrite:  func(_ *Executor, _, path string) string { return path },
	split:    split,
	of:       surfaceOf,
	instance: func(e *Executor, id string) (*instance, bool) { return e.instances.find(id) },
	before:   func(*call) (answer, bool) { return answer{}, false },
	wrong: func(c *call, allow string) answer {
		return c.refuse(refuse(http.StatusMethodNotAllowed, "request.method_not_allowed", "this resource does not take "+methodName(c.r.Method)).
			headed("Allow", allow))
	},
	unknown: func(c *call) answer {
		return c.refuse(refuse(http.StatusNotFound, "route.not_found", "there is nothing at this path"))
	},
}

// methodName shows a method only when it is a usual one: a refusal does not repeat what it does not know.
func methodName(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return method
	}
	return "that method"
}

// ServeHTTP answers one request: finds its surface and route, looks at the credentials, lets the handler answer, and
// adds what every answer of the surface carries.
func (e *Executor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, began := &call{e: e, r: r}, time.Now()
	e.b.transport.arrives(e, w, r)
	a := e.answer(c)
	e.metrics.latency.observe(time.Since(began))
	if a.raw != nil {
		a.raw(w)
		return
	}
	if a.header == nil {
		a.header = http.Header{}
	}
	e.b.v1.header(c, a.status, a.header)
	c.echo(a)
	e.admin.access(c, a.status)
	c.send(w, a)
}

// echo names the extensions that were applied, unless the answer does so already: a replay names those of its original.
func (c *call) echo(a answer) {
	if _, named := a.header["A2a-Extensions"]; named {
		return
	}
	if lines := c.e.b.extensions.echo(c, a.status); len(lines) > 0 {
		a.header["A2a-Extensions"] = lines
	}
}

func (e *Executor) answer(c *call) (a answer) {
	defer e.rescue(c, &a)
	b := &e.b.surfaces
	segments, plain := b.split(b.rewrite(e, c.r.Method, e.within(c.r.URL.EscapedPath())))
	c.surface = b.of(segments)
	c.route, c.vars, c.rest = e.router.find(segments)
	if c.route != nil {
		c.surface = c.route.surface
	}
	if c.surface == surfaceA2A {
		c.iid = segments[1]
	}
	e.b.v1.count(c)
	if a, done := b.before(c); done {
		return a
	}
	if !plain {
		return c.refuse(refuse(http.StatusBadRequest, "request.malformed", "the path has empty, dotted or encoded segments"))
	}
	return e.b.auth.guard(c, func(c *call) answer { return e.dispatch(c) })
}

// dispatch lets the handler answer a request that is allowed to be made.
func (e *Executor) dispatch(c *call) answer {
	b := &e.b.surfaces
	if c.surface == surfaceA2A {
		in, found := b.instance(e, c.iid)
		if !found {
			return c.refuse(noSuchInstance())
		}
		c.in = in
		if c.route == nil || !c.route.public {
			c.activate()
		}
	}
	if c.route == nil {
		return b.unknown(c)
	}
	handle := c.route.handler(c.r.Method)
	if handle == nil {
		return b.wrong(c, c.route.allow())
	}
	if c.surface == surfaceA2A && !c.route.public {
		if p := e.b.extensions.refuses(c); p != nil {
			return c.refuse(p)
		}
		if p := e.b.extensions.missing(c); p != nil {
			return c.refuse(p)
		}
	}
	return handle(c)
}

func noSuchInstance() *problem {
	return refuse(http.StatusNotFound, "instance.not_found", "there is no instance of that id")
}

// activate reads which extensions the request activates.
func (c *call) activate() {
	b := &c.e.b.extensions
	c.active = b.applied(c.in.extensions(), b.requested(c.r.Header))
	if c.active == nil {
		c.active = activation{}
	}
}

// rescue turns a panic into a 500 that tells nothing.
func (e *Executor) rescue(c *call, a *answer) {
	trouble := recover()
	if trouble == nil {
		return
	}
	if trouble == http.ErrAbortHandler {
		panic(trouble)
	}
	e.log.Error("bug: a handler panicked", "path", c.r.URL.Path, "panic", trouble)
	*a = c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
}

// send writes the answer. How it is cut into chunks is left to chance.
func (c *call) send(w http.ResponseWriter, a answer) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	maps.Copy(h, a.header)
	b := &c.e.b.transport
	b.header(c, a.status, h)
	if a.stream == nil {
		b.write(c, w, a.status, a.body)
		return
	}
	b.stream(c, w, func(w http.ResponseWriter) {
		w.WriteHeader(a.status)
		if c.r.Method != http.MethodHead {
			a.stream(w)
		}
	})
}

// json answers with a JSON value.
func (c *call) json(status int, v any) answer {
	return answer{status: status, header: http.Header{"Content-Type": {"application/json"}}, body: c.e.b.transport.encode(c, v)}
}

// refuse answers with a problem document.
func (c *call) refuse(p *problem) answer {
	d := p.document(c)
	c.e.b.errors.document(c, p, d)
	header := p.header.Clone()
	if header == nil {
		header = http.Header{}
	}
	a := answer{status: p.status, header: header}
	media, body := c.e.b.errors.encode(c, p, d)
	if media != "" {
		header.Set("Content-Type", media)
	}
	a.body = body
	c.e.b.errors.answer(c, p, &a)
	return a
}
