// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
)

// adminLiberties are about the admin surface.
var adminLiberties = map[string]func(*behaviour){
	// AUTH-009: destructive operations alone are the admin's; what else an operator may do is not said.
	"operators-stop-and-restart": allowsAlso(func(c *call, who principal) bool {
		path := c.r.URL.Path
		return who.role == roleOperator && c.surface == surfaceAdmin && c.r.Method == http.MethodPost &&
			(strings.HasSuffix(path, "/start") || strings.HasSuffix(path, "/stop") || strings.HasSuffix(path, "/restart"))
	}),
	// Wire shapes, 17: members that are not needed; null says that there is nothing.
	"instances-and-operations-show-nulls": func(b *behaviour) {
		b.admin.item = func(_ *instance, v map[string]any) {
			for _, name := range []string{"provider", "image", "image_ref", "loadout", "cwd", "labels", "network", "host_daemon", "container_finished_at"} {
				v[name] = nil
			}
			v["owner"], v["uptime_seconds"] = "team-a", 17
			delete(v, "capabilities")
		}
		b.admin.shown = func(o operation, v map[string]any) {
			for _, name := range []string{"started_at", "completed_at", "result", "error"} {
				if _, given := v[name]; !given {
					v[name] = nil
				}
			}
			v["progress"] = nil
		}
	},
	// ADM-010: within the limit of the hook.
	"operations-take-their-time": func(b *behaviour) {
		b.admin.pace = func(time.Duration) time.Duration { return 800 * time.Millisecond }
	},
	// ADM-012: 204 is a success.
	"destroying-answers-204": func(b *behaviour) {
		changeAdmin(b, "destroy", func(_ *call, a answer) answer {
			if a.status == http.StatusAccepted {
				return answer{status: http.StatusNoContent}
			}
			return a
		})
	},
	// ADM-012: 200 is a success; Location is not asked for.
	"destroying-answers-200": func(b *behaviour) {
		changeAdmin(b, "destroy", func(c *call, a answer) answer {
			if a.status == http.StatusAccepted {
				return c.json(http.StatusOK, map[string]any{"deleted": true})
			}
			return a
		})
	},
	// ADM-012: 404 or state destroyed.
	"destroyed-instances-stay-listed": func(b *behaviour) {
		b.admin.remove = func(*Executor, *instance) error { return nil }
		find := b.surfaces.instance
		b.surfaces.instance = func(e *Executor, id string) (*instance, bool) {
			in, found := find(e, id)
			return in, found && in.state() != stateDestroyed
		}
	},
	// ADM-011: the card answers within 60 s.
	"cards-of-new-instances-come-late": func(b *behaviour) {
		find := b.surfaces.instance
		b.surfaces.instance = func(e *Executor, id string) (*instance, bool) {
			in, found := find(e, id)
			return in, found && (in.Created.Before(e.started.Add(100*time.Millisecond)) || time.Since(in.Created) > 1500*time.Millisecond)
		}
	},
	// ADM-014: content or content_base64; sha256 when present.
	"objects-come-in-base64": func(b *behaviour) {
		b.admin.stored = func(v map[string]any) {
			if text, plain := v["content"].(string); plain {
				v["content_base64"] = base64.StdEncoding.EncodeToString([]byte(text))
			}
			v["content"], v["etag"] = nil, "v7"
			delete(v, "sha256")
		}
	},
	// ADM-014: the status of a PUT and a DELETE is judged, the body is not.
	"objects-are-stored-without-a-word": func(b *behaviour) {
		changeAdmin(b, "storage-put", func(_ *call, a answer) answer {
			if a.status < 300 {
				return answer{status: a.status}
			}
			return a
		})
	},
	// No sentence orders logs and events.
	"feeds-are-newest-first": func(b *behaviour) {
		b.admin.entries = func(list []entry) []entry {
			slices.Reverse(list)
			return list
		}
	},
	// ADM-019: at most 5 entries; wire shapes, 17: further members. A process that has begun anew has told nothing.
	"feeds-are-empty": func(b *behaviour) { b.admin.limit = func(int) int { return 0 } },
	// Wire shapes, 17: fields, trace_id and span_id are optional.
	"entries-say-more": func(b *behaviour) {
		b.admin.entries = func(list []entry) []entry {
			list = slices.Clone(list)
			for i, one := range list {
				v := map[string]any{"trace_id": newTrace(), "span_id": newTrace()[:16], "thread": 3, "fields": nil}
				for name, member := range one.value {
					v[name] = member
				}
				list[i].value = v
			}
			return list
		}
	},
	// OBS-017, V1-015, ADM-018, ADM-021: these routes may be missing.
	"optional-routes-are-missing": func(b *behaviour) {
		before := b.surfaces.before
		b.surfaces.before = func(c *call) (answer, bool) {
			if c.route != nil && slices.Contains([]string{
				"healthz/deep", "health", "api/v2/admin/deprecation/v1-counters", "api/v2/admin/loadouts", "api/v2/admin/runtime/providers", "api/v2/admin/bootstrap/readiness",
			}, strings.Join(c.route.pattern, "/")) {
				c.route = nil
			}
			return before(c)
		}
	},
}

func changeAdmin(b *behaviour, operation string, change func(c *call, a answer) answer) {
	was := b.admin.answer
	b.admin.answer = func(c *call, op string, a answer) answer {
		if a = was(c, op, a); op == operation {
			a = change(c, a)
		}
		return a
	}
}

// watchLiberties are about the v1 surface, probes and metrics.
var watchLiberties = map[string]func(*behaviour){
	// AMB-09: a Deprecation header in addition; RFC 8288, 3: several links, parameters in any case, tokens without quotes.
	"v1-answers-have-more-links": func(b *behaviour) {
		headers := b.v1.headers
		b.v1.headers = func(c *call, status int, sunset string, h http.Header) {
			headers(c, status, sunset, h)
			h.Set("Deprecation", "@1747612800")
			h["Link"] = []string{
				`</a,b;c>; rel="help"; title="a, \"b\"; rel=x", <` + migrationGuide + `> ; REL=successor-version ; type="text/html"`,
				`<https://example.org/deprecation>; rel="deprecation sunset"`,
			}
		}
	},
	// RFC 8288, 3.3: rel is a list of relation types, which are compared without case (2.1.1).
	"v1-links-have-several-relations": func(b *behaviour) {
		headers := b.v1.headers
		b.v1.headers = func(c *call, status int, sunset string, h http.Header) {
			headers(c, status, sunset, h)
			h["Link"] = []string{`<` + migrationGuide + `>;hreflang=en;rel="deprecation  successor-version latest-version";title*=UTF-8''%e2%82%ac`}
		}
	},
	// OBS-011: labels include path; OBS-012: other labels are summed.
	"v1-requests-are-counted-by-process": func(b *behaviour) {
		expose := b.metrics.expose
		b.metrics.expose = func(families []family) []byte {
			var out strings.Builder
			for line := range strings.Lines(string(expose(families))) {
				const name = "aiwg_v1_path_requests_total{"
				labels, value, found := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), name), "} ")
				var n float64
				if _, err := fmt.Sscan(value, &n); !strings.HasPrefix(line, name) || !found || err != nil {
					out.WriteString(line)
					continue
				}
				half := math.Floor(n / 2)
				fmt.Fprintf(&out, "%sprocess=\"a\",%s,} %e\n%s%s , process = \"b\"} %s.0\n", name, labels, n-half, name, labels, floatText(half))
			}
			return []byte(out.String())
		}
	},
	// OBS-006: whatever the exposition format allows.
	"metrics-of-all-kinds-are-exposed": func(b *behaviour) {
		expose := b.metrics.expose
		b.metrics.expose = func(families []family) []byte {
			at := time.Now().UnixMilli()
			more := fmt.Sprintf(`
# a comment, and an empty line above
#
# HELP rpc_duration_seconds Of calls: \\ and \n.
# TYPE rpc_duration_seconds summary
rpc_duration_seconds{quantile="0.5"} 4.7e-02
rpc_duration_seconds{quantile="0.99"} NaN
rpc_duration_seconds_sum 1.7560473e+07
rpc_duration_seconds_count 2693
# TYPE	process_open_fds	gauge
process_open_fds 9 %d
go_info{version="go1.26",path="C:\\x \"y\"\nz",} 1
# TYPE temperature:mean untyped
temperature:mean -Inf
temperature:mean{at="ä"} +Inf %d
# TYPE http_request_bytes histogram
http_request_bytes_bucket{method="GET",le="1e+03"} 0
http_request_bytes_bucket{method="GET",le="+Inf"} 2
http_request_bytes_sum{method="GET"} 3000
http_request_bytes_count{method="GET"} 2
`, at, at)
			return append([]byte(more[1:]), expose(families)...)
		}
	},
	// OBS-005: version 0.0.4 or 1.0.0.
	"metrics-are-of-version-1": func(b *behaviour) {
		b.metrics.answer = func(_ *call, a answer) answer {
			a.header.Set("Content-Type", "text/plain; version=1.0.0; escaping=allow-utf-8; charset=utf-8")
			return a
		}
	},
	// OBS-001, OBS-002: the status counts.
	"probes-answer-text": func(b *behaviour) {
		text := func(c *call) answer {
			return answer{status: http.StatusOK, header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, body: []byte("ok")}
		}
		ready := b.metrics.readyz
		b.metrics.healthz = func(c *call) answer { return answer{status: http.StatusOK} }
		b.metrics.readyz = func(c *call) answer {
			if a := ready(c); a.status != http.StatusOK {
				return a
			}
			return text(c)
		}
	},
	// V1-013 names agents and images; what else stands there is free, and the lists may be of any length.
	"v1-lists-are-of-another-make": func(b *behaviour) {
		b.v1.agents = func(c *call) answer {
			return c.json(http.StatusOK, map[string]any{"agents": []any{}, "count": 0, "next": nil})
		}
		b.v1.images = func(c *call) answer {
			return c.json(http.StatusOK, map[string]any{"images": []any{map[string]any{"ref": "x/y:1", "label": "y", "default": nil, "size": 3}}, "registry": "x"})
		}
	},
	// No sentence: log lines and events of others stand in between.
	"others-write-logs": func(b *behaviour) { onceAsked(b, (*Executor).chatter) },
}

// chatter is what else happens on the machine.
func (e *Executor) chatter() {
	e.agenda.after("chatter", 100*time.Millisecond, func() {
		e.admin.logs.add(map[string]any{"level": "warn", "target": "kernel::oom", "message": "nothing\nto see: é", "span_id": "00f067aa0ba902b7"})
		e.admin.event("host.disk.low", "host/n-17", nil)
		e.chatter()
	})
}
