// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

// refusedRequestFaults are about requests that have to be refused, and what becomes of the executor then.
var refusedRequestFaults = map[string]func(*behaviour){
	"problems-with-status-500":                       documentOf("operation.not_found", func(d map[string]any) { d["status"] = 500 }),
	"malformed-json-with-status-422-inside":          documentOf("request.invalid_json", func(d map[string]any) { d["status"] = 422 }),
	"conflicts-with-status-400-inside":               documentOf("task.not_cancelable", func(d map[string]any) { d["status"] = 400 }),
	"unsupported-media-types-with-status-400-inside": documentOf("request.unsupported_media_type", func(d map[string]any) { d["status"] = 400 }),
	"conflicts-show-a-path": documentOf("task.not_cancelable", func(d map[string]any) {
		d["detail"] = "/var/lib/agentic/tasks has no open task of this id"
	}),
	"conflicts-show-the-credentials": func(b *behaviour) {
		b.errors.document = func(c *call, p *problem, d map[string]any) {
			if p.code == "task.not_cancelable" {
				d["detail"] = "refused: " + c.r.Header.Get("Authorization")
			}
		}
	},
	"charset-parameter-refused": func(b *behaviour) {
		b.errors.media = func(header string) *problem {
			if strings.Contains(header, ";") {
				return refuse(http.StatusUnsupportedMediaType, "request.unsupported_media_type", "")
			}
			return acceptMedia(header)
		}
	},
	"any-media-type-accepted": func(b *behaviour) { b.errors.media = func(string) *problem { return nil } },
	"a2a-media-type-refused": func(b *behaviour) {
		b.errors.media = func(header string) *problem {
			if strings.Contains(header, "a2a+json") {
				return refuse(http.StatusUnsupportedMediaType, "request.unsupported_media_type", "")
			}
			return acceptMedia(header)
		}
	},
	"streams-take-any-media-type": mediaOfStreams(func(string) *problem { return nil }),
	"streams-refuse-charsets": mediaOfStreams(func(header string) *problem {
		if strings.Contains(header, ";") {
			return acceptMedia("text/plain")
		}
		return acceptMedia(header)
	}),
	"stopped-runtimes-take-streamed-messages": func(b *behaviour) {
		real := b.tasks.accepts
		b.tasks.accepts = func(in *instance, m message) *problem {
			if strings.Contains(m.Text, "streamed") {
				return nil
			}
			return real(in, m)
		}
		b.tasks.works = func(t task) bool { return t.in.state() == stateRunning }
	},
	"large-bodies-are-server-errors": func(b *behaviour) {
		b.errors.tooLarge = func() *problem { return refuse(http.StatusInternalServerError, "internal.error", "") }
	},
	"large-streamed-messages-are-server-errors": func(b *behaviour) {
		guard := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			a := guard(c, next)
			if a.status == http.StatusRequestEntityTooLarge && strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
				return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
			}
			return a
		}
	},
	"large-bodies-hang": func(b *behaviour) {
		real := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			if c.r.ContentLength > maxBody {
				_, _ = io.Copy(io.Discard, c.r.Body)
				select {
				case <-c.r.Context().Done():
				case <-c.e.stopping.Done():
				}
			}
			return real(c, next)
		}
	},
	"errors-show-the-database": func(b *behaviour) {
		b.errors.document = func(_ *call, p *problem, d map[string]any) {
			if p.status == http.StatusNotFound {
				d["detail"] = "SQLITE error 1: no such row in /var/lib/agentic/executor.db"
			}
		}
	},
	"errors-show-a-stack": func(b *behaviour) {
		b.errors.document = func(_ *call, p *problem, d map[string]any) {
			if p.status == http.StatusBadRequest {
				d["detail"] = "thread 'main' panicked at src/http/tasks.rs:117:9"
			}
		}
	},
	"stopped-runtime-takes-work": func(b *behaviour) {
		b.tasks.accepts = func(*instance, message) *problem { return nil }
		b.tasks.works = func(t task) bool { return t.in.state() == stateRunning }
	},
	"stopped-runtime-is-a-plain-500": func(b *behaviour) {
		real := b.tasks.accepts
		b.tasks.accepts = func(in *instance, m message) *problem {
			if real(in, m) != nil {
				return refuse(http.StatusInternalServerError, "internal.error", "")
			}
			return nil
		}
	},
	"stopped-runtime-under-another-code": func(b *behaviour) {
		b.errors.document = func(_ *call, p *problem, d map[string]any) {
			if p.code == "runtime.not_ready" {
				d["code"] = "instance.busy"
			}
		}
	},
	"stopped-runtime-as-plain-text": func(b *behaviour) {
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			if p.code != "runtime.not_ready" {
				return conformantErrors.encode(c, p, d)
			}
			return "text/plain", []byte("down")
		}
	},
	"stopped-runtime-says-retry-soon": func(b *behaviour) {
		real := b.tasks.accepts
		b.tasks.accepts = func(in *instance, m message) *problem {
			p := real(in, m)
			if p != nil {
				p = p.headed("Retry-After", "soon")
			}
			return p
		}
	},
	"stopped-runtime-keeps-the-task": func(b *behaviour) {
		real := b.tasks.accepts
		b.tasks.accepts = func(in *instance, m message) *problem {
			p := real(in, m)
			if p != nil {
				_, _ = in.createTask(m, sendOptions{})
			}
			return p
		}
		b.tasks.works = func(t task) bool { return t.in.state() == stateRunning }
	},
	"large-bodies-are-taken": func(b *behaviour) {
		b.transport.most = func() int { return 4 * maxBody }
	},
	"large-bodies-end-the-service": func(b *behaviour) {
		var ended atomic.Bool
		real := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			if c.r.ContentLength > maxBody {
				ended.Store(true)
			} else if ended.Load() && strings.HasSuffix(c.r.URL.Path, "/messages:send") {
				return c.refuse(refuse(http.StatusServiceUnavailable, "internal.unavailable", ""))
			}
			return real(c, next)
		}
	},
	"too-many-requests-say-retry-soon": func(b *behaviour) {
		b.errors.answer = func(_ *call, p *problem, a *answer) {
			if p.status == http.StatusTooManyRequests {
				a.header.Set("Retry-After", "soon")
			}
		}
	},
	"too-many-requests-without-retry-after": func(b *behaviour) {
		b.surfaces.before = func(c *call) (answer, bool) {
			if strings.HasSuffix(c.r.URL.Path, "/artifacts") {
				return c.refuse(refuse(http.StatusTooManyRequests, "rate_limit.exceeded", "")), true
			}
			return answer{}, false
		}
	},
	"refusals-with-status-400-inside": documentOf("auth.unauthorized", func(d map[string]any) { d["status"] = 400 }),
	"large-bodies-in-chunks-are-server-errors": func(b *behaviour) {
		guards := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			if c.r.ContentLength >= 0 {
				return guards(c, next)
			}
			body, err := io.ReadAll(io.LimitReader(c.r.Body, maxBody+1))
			if err != nil || len(body) > maxBody {
				_, _ = io.CopyN(io.Discard, c.r.Body, maxWait)
				return c.refuse(refuse(http.StatusInternalServerError, "internal.error", ""))
			}
			c.r.Body = io.NopCloser(bytes.NewReader(body))
			return guards(c, next)
		}
	},
	"quoted-charsets-refused": mediaRefused(func(header string) bool { return strings.Contains(header, `charset="`) }),
	"media-types-in-capitals-refused": mediaRefused(func(header string) bool {
		media, _, _ := strings.Cut(header, ";")
		return media != strings.ToLower(media)
	}),
}

// mediaOfStreams looks at the media type of streamed messages in another way.
func mediaOfStreams(as func(header string) *problem) func(*behaviour) {
	return func(b *behaviour) {
		real := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			if !strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
				return real(c, next)
			}
			media := "application/json"
			if as(c.r.Header.Get("Content-Type")) != nil {
				media = "text/plain"
			}
			c.r = c.r.Clone(c.r.Context())
			c.r.Header.Set("Content-Type", media)
			return real(c, next)
		}
	}
}
