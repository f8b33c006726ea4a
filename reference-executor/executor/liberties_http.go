// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// httpLiberties are what HTTP and JSON leave free.
var httpLiberties = map[string]func(*behaviour){
	// RFC 9110, 8.3.1: type and subtype are case-insensitive and may have parameters.
	"media-types-have-a-charset": func(b *behaviour) {
		changeHeader(b, func(c *call, _ int, h http.Header) {
			switch h.Get("Content-Type") {
			case "application/json":
				h.Set("Content-Type", "Application/JSON; charset=UTF-8")
			case "application/problem+json":
				h.Set("Content-Type", `application/Problem+JSON;charset="utf-8"`)
			}
		})
	},
	// RFC 9110, 5.1: fields that a recipient does not know are ignored. V1-008 forbids one relation of Link, no other.
	"answers-have-headers-of-a-proxy": func(b *behaviour) {
		changeHeader(b, func(c *call, _ int, h http.Header) {
			h.Set("Server", "envoy")
			h.Set("Via", "1.1 edge-7")
			h.Set("X-Request-Id", newID())
			h.Add("Vary", "Accept-Encoding, Origin")
			h.Set("Server-Timing", `app;dur=1.2, db;desc="sqlite, local"`)
			h.Add("Set-Cookie", "lb="+newTrace()+"; Path=/; HttpOnly")
			h.Add("Set-Cookie", "region=eu; Path=/")
			h.Add("Link", `</docs>; rel="service-doc"; title="a, b", </schema>; rel=describedby`)
		})
	},
	// RFC 9112, 9.6: a server may close a connection after any answer.
	"connections-end-with-the-answer": func(b *behaviour) {
		changeHeader(b, func(_ *call, _ int, h http.Header) { h.Set("Connection", "close") })
	},
	// RFC 9112, 7.1: how a body is cut into chunks says nothing.
	"bodies-come-in-small-chunks": func(b *behaviour) {
		b.transport.write = func(_ *call, w http.ResponseWriter, status int, body []byte) {
			w.WriteHeader(status)
			for piece := range slices.Chunk(body, 37) {
				_, _ = w.Write(piece)
				_ = http.NewResponseController(w).Flush()
			}
		}
	},
	// RFC 9110, 8.4 and 12.5.3: what the client accepts may be encoded; SSE-002: if a stream still flows event by event.
	"answers-are-compressed": func(b *behaviour) {
		write, stream := b.transport.write, b.transport.stream
		b.transport.write = func(c *call, w http.ResponseWriter, status int, body []byte) {
			if !acceptsGzip(c.r) || len(body) == 0 {
				write(c, w, status, body)
				return
			}
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			_, _ = z.Write(body)
			_ = z.Close()
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Add("Vary", "Accept-Encoding")
			write(c, w, status, packed.Bytes())
		}
		b.transport.stream = func(c *call, w http.ResponseWriter, follow func(http.ResponseWriter)) {
			if !acceptsGzip(c.r) {
				stream(c, w, follow)
				return
			}
			w.Header().Set("Content-Encoding", "gzip")
			z := &packing{ResponseWriter: w, z: gzip.NewWriter(w)}
			stream(c, z, follow)
			_ = z.z.Close()
		}
	},
	// RFC 9110, 9.3.2: no sentence says when a HEAD is answered; who writes nothing before a body ends answers that of a stream then.
	"heads-of-streams-come-at-their-end": func(b *behaviour) {
		stream := b.transport.stream
		b.transport.stream = func(c *call, w http.ResponseWriter, follow func(http.ResponseWriter)) {
			if c.r.Method == http.MethodHead {
				<-c.r.Context().Done()
				return
			}
			stream(c, w, follow)
		}
	},
	// RFC 9112, 6.3: a body without length and chunks ends with the connection.
	"bodies-end-with-the-connection": func(b *behaviour) {
		changeHeader(b, func(_ *call, _ int, h http.Header) { h.Set("Transfer-Encoding", "identity") })
		b.transport.write = func(_ *call, w http.ResponseWriter, status int, body []byte) {
			w.WriteHeader(status)
			_, _ = w.Write(body)
		}
	},
	// RFC 6585, 4: a client that asks too often is told when to come again; wire 15 names the error.
	"too-many-requests-are-put-off": func(b *behaviour) {
		var last atomic.Int64 // when somebody was put off, in milliseconds
		before := b.surfaces.before
		b.surfaces.before = func(c *call) (answer, bool) {
			now, then := time.Now().UnixMilli(), last.Load()
			if c.r.Header.Get("Upgrade") != "" || now < then+2500 || !last.CompareAndSwap(then, now) {
				return before(c)
			}
			return c.refuse(refuse(http.StatusTooManyRequests, "rate_limit.exceeded", "come again in a second").headed("Retry-After", "1")), true
		}
	},
	// Wire shapes, 1: the deployment root is a URL, which may have a path, behind a gateway above all.
	"everything-is-below-a-path": func(b *behaviour) {
		b.transport.below = func() string { return "/sandbox/one" }
	},
	// RFC 9110, 15.2: a client must be able to parse 1xx answers before the final one.
	"early-hints-come-first": func(b *behaviour) {
		b.transport.arrives = func(_ *Executor, w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Upgrade") != "" {
				return
			}
			w.Header().Set("Link", "</style.css>; rel=preload")
			w.WriteHeader(http.StatusEarlyHints)
			w.Header().Del("Link")
		}
	},
	// No sentence: the bounds are seconds.
	"answers-come-from-far-away": func(b *behaviour) {
		b.transport.arrives = func(*Executor, http.ResponseWriter, *http.Request) { time.Sleep(150 * time.Millisecond) }
	},
	// TASK-004: the answer to a message comes within 10 s; a container may have to wake up.
	"messages-wait-for-a-container": func(b *behaviour) {
		admits := b.tasks.admits
		b.tasks.admits = func(m message, opts sendOptions) *problem {
			time.Sleep(700 * time.Millisecond)
			return admits(m, opts)
		}
	},
	// RFC 8259, 2 and 7: white space between tokens, and escapes of any character.
	"json-is-escaped": func(b *behaviour) {
		encode := b.transport.encode
		b.transport.encode = func(c *call, v any) []byte {
			text := encode(c, v)
			text = bytes.ReplaceAll(text, []byte("_"), []byte(`\u005f`))
			text = bytes.ReplaceAll(text, []byte("/"), []byte(`\/`))
			return slices.Concat([]byte("\r\n\t "), text, []byte(" \n\n"))
		}
	},
	// RFC 9110, 6.5: trailers may follow a chunked body.
	"answers-have-trailers": func(b *behaviour) {
		b.transport.write = func(_ *call, w http.ResponseWriter, status int, body []byte) {
			w.Header().Set("Trailer", "Server-Timing")
			w.WriteHeader(status)
			_, _ = w.Write(body)
			_ = http.NewResponseController(w).Flush()
			w.Header().Set("Server-Timing", "total;dur=3")
		}
	},
	// AMB-53: for paths that belong to no resource the body is not judged.
	"unknown-paths-answer-a-page": func(b *behaviour) {
		b.surfaces.unknown = func(*call) answer {
			return answer{
				status: http.StatusNotFound, header: http.Header{"Content-Type": {"text/html"}},
				body: []byte("<html><head><title>404 Not Found</title></head><body><hr>nginx</body></html>\r\n"),
			}
		}
	},
	// AMB-20: the form without /v1 need not be served; a gateway that lets through what it knows says so with 403 (AMB-53: not judged).
	"the-root-form-is-forbidden": func(b *behaviour) {
		before := b.surfaces.before
		b.surfaces.before = func(c *call) (answer, bool) {
			if c.route == nil || len(c.route.pattern) < 3 || !slices.Contains([]string{"tasks", "messages:send", "messages:stream", "extendedAgentCard"}, c.route.pattern[2]) {
				return before(c)
			}
			return c.refuse(refuse(http.StatusForbidden, "auth.forbidden", "the gateway knows no such path")), true
		}
	},
	// No sentence: a filter in front of the application refuses paths with empty segments, as those of frameworks do.
	"a-filter-refuses-empty-segments": func(b *behaviour) {
		before := b.surfaces.before
		b.surfaces.before = func(c *call) (answer, bool) {
			if !strings.Contains(c.r.URL.EscapedPath(), "//") {
				return before(c)
			}
			return answer{raw: func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadRequest) }}, true
		}
	},
	// V1-012: that a weekday contradicts its date makes no other grammar; who reads the date may write it anew.
	"sunset-overrides-are-written-anew": func(b *behaviour) {
		b.v1.sunset = func(override string) string {
			t, err := time.Parse(http.TimeFormat, override)
			if err != nil {
				return defaultSunset
			}
			return t.Format(http.TimeFormat)
		}
	},
	// No sentence: what a list of v1 does with parameters that it never had.
	"v1-refuses-unknown-parameters": func(b *behaviour) {
		before := b.surfaces.before
		b.surfaces.before = func(c *call) (answer, bool) {
			if c.surface != surfaceV1 || c.r.URL.RawQuery == "" || strings.HasSuffix(c.r.URL.Path, "/chat") {
				return before(c)
			}
			return c.refuse(refuse(http.StatusBadRequest, "request.invalid_params", "there is no such parameter")), true
		}
	},
	// RFC 9110, 5.3: a list may stand on several lines; 10.2.1: Allow names whatever the resource takes.
	"allow-stands-on-several-lines": func(b *behaviour) {
		wrong := b.surfaces.wrong
		b.surfaces.wrong = func(c *call, allow string) answer {
			a := wrong(c, allow)
			a.header["Allow"] = append(strings.Split(allow, ", "), "OPTIONS")
			return a
		}
	},
	// ERR-009: a wrong method may answer 404.
	"wrong-methods-are-not-found": func(b *behaviour) {
		b.surfaces.wrong = func(c *call, _ string) answer { return c.e.b.surfaces.unknown(c) }
	},
	// A2A 13.4 and ERR-011: a limit on the size of messages; which is free.
	"bodies-are-at-most-64-kib": func(b *behaviour) { b.transport.most = func() int { return 64 << 10 } },
	// RFC 9110, 11.6.1: a challenge for each scheme, on one line or several; 11.1: names of schemes are case-insensitive.
	"challenges-name-several-schemes": func(b *behaviour) {
		b.auth.challenge = func(h http.Header) {
			h["Www-Authenticate"] = []string{`Negotiate, Basic realm="a, b", bearer realm="sandbox", error="invalid_token"`, `DPoP algs="ES256 EdDSA"`}
		}
	},
	// AUTH-002: malformed credentials answer 401 or 400.
	"malformed-credentials-are-bad-requests": func(b *behaviour) {
		guard := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			_, given := bearer(c.r)
			if c.r.Header.Get("Authorization") != "" && !given && c.e.b.auth.needs(c) {
				return c.refuse(refuse(http.StatusBadRequest, "request.malformed", "Authorization is not Bearer and a token"))
			}
			return guard(c, next)
		}
	},
	// No sentence: whether a body or credentials are looked at first. AUTH-001 and AUTH-006 ask without credentials for what is well-formed.
	"bodies-are-read-before-credentials": func(b *behaviour) {
		guard := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			if p := c.looksAtTheBody(); p != nil {
				return c.refuse(p)
			}
			return guard(c, next)
		}
	},
	// RFC 9110, 12.5.1 and 15.5.7: who cannot send what is accepted may say so with 406, before anything else is looked at.
	"nobody-gets-what-he-does-not-accept": func(b *behaviour) {
		guard := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			if c.sendsJSON() && !acceptsJSON(c.r.Header.Values("Accept")) {
				return c.refuse(refuse(http.StatusNotAcceptable, "request.not_acceptable", "this is JSON"))
			}
			return guard(c, next)
		}
	},
	// TASK-006, PUSH-017: a clock may differ by 5 minutes.
	"the-clock-is-ahead": func(b *behaviour) { shiftClock(b, 4*time.Minute) },
	// TASK-006, PUSH-017: a clock may differ by 5 minutes.
	"the-clock-is-behind": func(b *behaviour) { shiftClock(b, -4*time.Minute) },
}

// sendsJSON says whether the route answers with JSON alone.
func (c *call) sendsJSON() bool {
	path := c.r.URL.Path
	return c.route != nil && !c.route.public && (c.surface == surfaceA2A || c.surface == surfaceAdmin) && c.route.handler(c.r.Method) != nil &&
		!strings.HasSuffix(path, "/subscribe") && !strings.HasSuffix(path, "/messages:stream") && !strings.HasSuffix(path, "/attach") &&
		c.r.URL.Query().Get("follow") == ""
}

func acceptsJSON(lines []string) bool {
	accepted := strings.Join(lines, ",")
	return accepted == "" || strings.Contains(accepted, "json") || strings.Contains(accepted, "*/*") || strings.Contains(accepted, "application/*")
}

// looksAtTheBody refuses what cannot be read as what the route takes, and leaves the body where it was.
func (c *call) looksAtTheBody() *problem {
	if c.route == nil || c.r.ContentLength == 0 || c.surface != surfaceA2A && c.surface != surfaceAdmin || c.route.handler(c.r.Method) == nil {
		return nil
	}
	body := c.peek()
	if len(body) == 0 {
		return nil
	}
	object, _, p := c.readJSON()
	c.r.Body = io.NopCloser(bytes.NewReader(body))
	if p != nil || !c.sends() {
		return p
	}
	if _, is := object["message"].(map[string]any); !is {
		return invalid("message", "is not an object")
	}
	return nil
}

// changeHeader gives a liberty the last word on headers.
func changeHeader(b *behaviour, change func(c *call, status int, h http.Header)) {
	was := b.transport.header
	b.transport.header = func(c *call, status int, h http.Header) {
		was(c, status, h)
		change(c, status, h)
	}
}

func acceptsGzip(r *http.Request) bool {
	return strings.Contains(strings.Join(r.Header.Values("Accept-Encoding"), ","), "gzip")
}

// packing compresses what is written, and flushes both.
type packing struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (p *packing) Write(text []byte) (int, error) { return p.z.Write(text) }

func (p *packing) FlushError() error {
	if err := p.z.Flush(); err != nil {
		return err
	}
	return http.NewResponseController(p.ResponseWriter).Flush()
}

// shiftClock sets the clock of answers and deliveries.
func shiftClock(b *behaviour, by time.Duration) {
	timestamp, endedAt, header := b.tasks.timestamp, b.tasks.endedAt, b.push.header
	b.tasks.timestamp = func(t task, at time.Time) any { return timestamp(t, at.Add(by)) }
	b.tasks.endedAt = func(t task) any {
		t.Ended = t.Ended.Add(by)
		return endedAt(t)
	}
	b.push.header = func(p pushConfig, body []byte, now time.Time, h http.Header) { header(p, body, now.Add(by), h) }
	changeHeader(b, func(_ *call, _ int, h http.Header) { h.Set("Date", time.Now().Add(by).UTC().Format(http.TimeFormat)) })
}

// refusalLiberties are about how refusals look.
var refusalLiberties = map[string]func(*behaviour){
	// Wire shapes, 15.1: only type, title, status and code are needed; type is a URI reference (RFC 9457, 3.1.1).
	"problems-say-little": func(b *behaviour) {
		document := b.errors.document
		b.errors.document = func(c *call, p *problem, d map[string]any) {
			document(c, p, d)
			for _, name := range []string{"detail", "instance", "trace_id", "instance_id"} {
				delete(d, name)
			}
			d["type"] = "about:blank"
		}
	},
	// RFC 9457, 3.1: type and instance are URI references, relative ones and URNs too.
	"problems-are-named-by-references": func(b *behaviour) {
		document := b.errors.document
		b.errors.document = func(c *call, p *problem, d map[string]any) {
			document(c, p, d)
			d["type"], d["instance"] = "problems/"+p.code+"#about", "urn:uuid:"+newID()
		}
	},
	// TASK-027, ERR-008, PUSH-010, ADM-008: a malformed body answers 400 or 422.
	"malformed-bodies-are-unprocessable": func(b *behaviour) {
		parse := b.errors.parse
		b.errors.parse = func(body []byte) (any, *problem) {
			v, p := parse(body)
			if p != nil {
				refused := *p
				refused.status, p = http.StatusUnprocessableEntity, &refused
			}
			return v, p
		}
	},
	// TASK-022: any 4xx; TASK-025: 404, 400 or 409.
	"ended-and-unknown-tasks-refuse-messages-otherwise": func(b *behaviour) {
		b.tasks.continueEnded = func(*instance, task, message, sendOptions) (task, *problem) {
			return task{}, refuse(http.StatusUnprocessableEntity, "UNSUPPORTED_OPERATION", "the task has ended")
		}
		b.tasks.unknownContinued = func(*instance, message, sendOptions) (task, *problem) {
			return task{}, refuse(http.StatusConflict, "task.not_found", "taskId names no task")
		}
	},
	// AMB-12: 409 or 400.
	"ended-tasks-cannot-be-canceled-with-400": func(b *behaviour) {
		cancel := b.tasks.cancel
		b.tasks.cancel = func(in *instance, t task) (task, *problem) {
			t, p := cancel(in, t)
			if p != nil && p.status == http.StatusConflict {
				p = refuse(http.StatusBadRequest, p.code, p.detail)
			}
			return t, p
		}
	},
	// AMB-29: a missing runtime/v1 may be refused with 400, on mutating and on all push config routes.
	"runtime-is-required": func(b *behaviour) {
		b.extensions.missing = func(c *call) *problem {
			gated := c.r.Method != http.MethodGet && c.r.Method != http.MethodHead || strings.Contains(c.r.URL.Path, "/pushNotificationConfigs")
			if !gated || c.active.has(uriRuntime) {
				return nil
			}
			return refuse(http.StatusBadRequest, "EXTENSION_REQUIRED", "activate "+uriRuntime)
		}
	},
	// AMB-29 and IDEM-022: a message without idempotency/v1 may be refused.
	"idempotency-is-required": func(b *behaviour) {
		b.extensions.missing = func(c *call) *problem {
			if !c.sends() || c.active.has(uriIdempotency) {
				return nil
			}
			return refuse(http.StatusBadRequest, "IDEMPOTENCY_EXTENSION_NOT_ACTIVATED", "activate "+uriIdempotency)
		}
	},
	// HITL-016: 400 or 422; HITL-020: 400, 409 or 422.
	"answers-without-form-are-unprocessable": func(b *behaviour) {
		rules := conformantRules
		rules.answer = func(v any) (*promptAnswer, *problem) {
			a, p := conformantRules.answer(v)
			if p != nil {
				p = refuse(http.StatusUnprocessableEntity, p.code, p.detail)
			}
			return a, p
		}
		b.tasks.parse = rules.parse
		b.hitl.taskless = func(*instance, message, sendOptions) *problem {
			return refuse(http.StatusConflict, "hitl_already_answered_or_unknown", "the answer names no task")
		}
	},
}
