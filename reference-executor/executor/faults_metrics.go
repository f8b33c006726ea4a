// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

var metricsFaults = map[string]func(*behaviour){
	"v1-labels-are-bytes": func(b *behaviour) {
		label := b.v1.label
		b.v1.label = func(c *call) (string, bool) {
			path, counts := label(c)
			if !utf8.ValidString(c.r.URL.Path) {
				path = c.r.URL.Path
			}
			return path, counts
		}
	},
	"v1-requests-with-a-query-are-counted-apart": func(b *behaviour) {
		real := b.v1.label
		b.v1.label = func(c *call) (string, bool) {
			path, counts := real(c)
			if c.r.URL.RawQuery != "" {
				path += "?" + c.r.URL.RawQuery
			}
			return path, counts
		}
	},
	"v1-paths-are-decoded-when-they-are-shown": func(b *behaviour) {
		label, families := b.v1.label, b.metrics.families
		b.v1.label = func(c *call) (string, bool) {
			path, counts := label(c)
			if c.route != nil && c.r.URL.EscapedPath() != c.r.URL.Path && len(c.vars) == 0 {
				path = c.r.URL.EscapedPath()
			}
			return path, counts
		}
		b.metrics.families = func(e *Executor) []family {
			list := families(e)
			for _, f := range list {
				for i, s := range f.samples {
					if plain, err := url.PathUnescape(s.says); err == nil && s.label == "path" {
						f.samples[i].says = plain
					}
				}
			}
			return list
		}
	},
	"healthz-answers-503": func(b *behaviour) {
		b.metrics.healthz = func(c *call) answer { return c.json(http.StatusServiceUnavailable, map[string]any{"status": "dead"}) }
	},
	"healthz-needs-credentials": guarded("/healthz"),
	"readyz-answers-404": func(b *behaviour) {
		b.metrics.readyz = func(c *call) answer { return c.refuse(refuse(http.StatusNotFound, "route.not_found", "")) }
	},
	"readyz-answers-503-without-reason": func(b *behaviour) {
		b.metrics.readyz = func(*call) answer { return answer{status: http.StatusServiceUnavailable, header: http.Header{}} }
	},
	"readyz-wants-an-agent-process": func(b *behaviour) {
		b.metrics.readyz = func(c *call) answer {
			return c.json(http.StatusServiceUnavailable, map[string]any{"status": "not_ready", "reason": "no_agents_connected"})
		}
	},
	"metrics-need-credentials": func(b *behaviour) { b.metrics.needs = func(c *call) bool { return c.e.secured() } },
	"no-metrics": func(b *behaviour) {
		b.metrics.answer = func(c *call, _ answer) answer { return c.refuse(refuse(http.StatusNotFound, "route.not_found", "")) }
	},
	"metrics-as-json": func(b *behaviour) {
		b.metrics.answer = func(_ *call, a answer) answer { a.header.Set("Content-Type", "application/json"); return a }
	},
	"metrics-without-version": func(b *behaviour) {
		b.metrics.answer = func(_ *call, a answer) answer { a.header.Set("Content-Type", "text/plain"); return a }
	},
	"metrics-of-another-version": func(b *behaviour) {
		b.metrics.answer = func(_ *call, a answer) answer { a.header.Set("Content-Type", "text/plain; version=2.1"); return a }
	},
	"metrics-in-latin-1":           exposes(func(text []byte) []byte { return append(text, "agentic_note{text=\"caf\xe9\"} 1\n"...) }),
	"metrics-with-bare-quotes":     exposes(func(text []byte) []byte { return append(text, `agentic_note{text="a "b" c"} 1`+"\n"...) }),
	"metrics-with-bad-names":       exposes(func(text []byte) []byte { return append(text, "agentic-note 1\n"...) }),
	"metrics-without-last-newline": exposes(func(text []byte) []byte { return bytes.TrimRight(text, "\n") }),
	"metrics-type-repeated": exposes(func(text []byte) []byte {
		line := []byte("# TYPE agentic_tasks_total counter\n")
		return bytes.Replace(text, line, append(bytes.Clone(line), line...), 1)
	}),
	"metrics-help-repeated": exposes(func(text []byte) []byte {
		line := []byte("# HELP agentic_tasks_total Tasks created.\n")
		return bytes.Replace(text, line, append(bytes.Clone(line), line...), 1)
	}),
	"metrics-type-after-the-sample": exposes(func(text []byte) []byte {
		line := []byte("# TYPE agentic_tasks_total counter\n")
		text = bytes.Replace(text, line, nil, 1)
		return bytes.Replace(text, []byte("# HELP agentic_tasks_by_state"), append(bytes.Clone(line), "# HELP agentic_tasks_by_state"...), 1)
	}),
	"metrics-sample-repeated": families(func(_ *Executor, list []family) []family {
		return onFamily(list, "agentic_uptime_seconds", func(f *family) { f.samples = append(f.samples, f.samples[0]) })
	}),
	"metrics-families-interleaved": exposes(func(text []byte) []byte {
		return append(text, `agentic_tasks_by_state{state="paused"} 0`+"\n"...)
	}),
	"metrics-counter-falls": func(b *behaviour) {
		var mu sync.Mutex
		scrapes := 0
		families(func(_ *Executor, list []family) []family {
			mu.Lock()
			defer mu.Unlock()
			scrapes++
			return onFamily(list, "aiwg_idempotency_misses_total", func(f *family) { f.samples[0].value = float64(1_000_000 - scrapes) })
		})(b)
	},
	"metrics-counter-falls-in-every-third-scrape": func(b *behaviour) {
		var scrapes atomic.Int64
		families(func(_ *Executor, list []family) []family {
			if scrapes.Add(1)%3 != 0 {
				return onFamily(list, "aiwg_idempotency_misses_total", func(f *family) { f.samples[0].value += 1_000_000 })
			}
			return list
		})(b)
	},
	"metrics-counter-is-negative": families(func(_ *Executor, list []family) []family {
		return onFamily(list, "aiwg_idempotency_evictions_total", func(f *family) { f.samples[0].value = -1 })
	}),
	"metrics-counter-is-not-a-number": families(func(_ *Executor, list []family) []family {
		return onFamily(list, "aiwg_idempotency_evictions_total", func(f *family) { f.samples[0].value = math.NaN() })
	}),
	"histogram-counts-otherwise": families(func(_ *Executor, list []family) []family {
		return onSample(list, "agentic_command_latency_seconds", "_count", func(s *sample) bool { s.value++; return true })
	}),
	"histogram-without-sum": families(func(_ *Executor, list []family) []family {
		return onSample(list, "agentic_command_latency_seconds", "_sum", func(*sample) bool { return false })
	}),
	"histogram-without-infinity": families(func(_ *Executor, list []family) []family {
		return onFamily(list, "agentic_command_latency_seconds", func(f *family) {
			kept := f.samples[:0:0]
			for _, s := range f.samples {
				if s.says != "+Inf" {
					kept = append(kept, s)
				}
			}
			f.samples = kept
		})
	}),
	"histogram-buckets-fall": families(func(_ *Executor, list []family) []family {
		return onFamily(list, "agentic_command_latency_seconds", func(f *family) { f.samples[0].value += 1_000_000 })
	}),
	"no-v1-metric": families(func(_ *Executor, list []family) []family {
		return onFamily(list, "aiwg_v1_path_requests_total", func(f *family) { f.name = "aiwg_v1_requests_total" })
	}),
	"v1-metric-is-a-gauge": families(func(_ *Executor, list []family) []family {
		return onFamily(list, "aiwg_v1_path_requests_total", func(f *family) { f.kind = "gauge" })
	}),
	"v1-metric-without-path": families(func(_ *Executor, list []family) []family {
		return onFamily(list, "aiwg_v1_path_requests_total", func(f *family) {
			total := 0.0
			for _, s := range f.samples {
				total += s.value
			}
			f.samples = []sample{{value: total}}
		})
	}),
	"replays-not-counted": families(func(_ *Executor, list []family) []family {
		list = onFamily(list, "aiwg_idempotency_hit_total", func(f *family) {
			for i := range f.samples {
				f.samples[i].value = 1
			}
		})
		return list
	}),
	"collisions-not-counted": families(func(_ *Executor, list []family) []family {
		return onFamily(list, "aiwg_idempotency_collisions_total", func(f *family) { f.samples[0].value = 0 })
	}),
	"metrics-labelled-by-tenant":                    countsTenants("tenant_id", map[string]float64{"default": 0}),
	"metrics-labelled-by-tenant-under-another-name": countsTenants("tenant", map[string]float64{}),
	"scrapes-at-the-same-time-share-a-buffer": func(b *behaviour) {
		var inside atomic.Int64
		real := b.metrics.expose
		b.metrics.expose = func(list []family) []byte {
			defer inside.Add(-1)
			text := real(list)
			if inside.Add(1) > 2 {
				text = slices.Concat(text[:len(text)/2+1], text) // one more begins where another is being written
			}
			time.Sleep(4 * lostUpdate) // on a busy machine they come one after the other
			return text
		}
	},
	"metrics-labelled-by-message": func(b *behaviour) {
		var mu sync.Mutex
		messages := map[string]float64{}
		b.tasks.announce = func(_ *instance, t task) {
			mu.Lock()
			defer mu.Unlock()
			if id, is := t.Messages[0]["messageId"].(string); is {
				messages[id]++
			}
		}
		families(func(_ *Executor, list []family) []family {
			mu.Lock()
			defer mu.Unlock()
			return append(list, labelled("agentic_messages_total", "Messages.", "counter", "message", messages))
		})(b)
	},
	"metrics-labelled-by-push-secret": func(b *behaviour) {
		var mu sync.Mutex
		secrets := map[string]float64{}
		b.push.created = func(_ *call, p *pushConfig) {
			mu.Lock()
			defer mu.Unlock()
			secrets[p.Secret]++
		}
		families(func(_ *Executor, list []family) []family {
			mu.Lock()
			defer mu.Unlock()
			return append(list, labelled("agentic_push_configs_total", "Push configs.", "counter", "secret", secrets))
		})(b)
	},
	"metrics-hold-a-token": families(func(e *Executor, list []family) []family {
		return append(list, labelled("agentic_token_uses_total", "Uses of tokens.", "counter", "token", map[string]float64{e.config.AdminToken + e.config.Token: 1}))
	}),
	"deep-health-is-a-page": func(b *behaviour) {
		b.metrics.deep = func(*call) answer {
			return answer{status: http.StatusOK, header: http.Header{"Content-Type": {"text/html"}}, body: []byte("<html>fine</html>")}
		}
	},
	"deep-health-without-status": func(b *behaviour) {
		b.metrics.deep = func(c *call) answer { return c.json(http.StatusOK, map[string]any{"uptime_seconds": 1}) }
	},
	"canceled-tasks-are-counted-off": families(func(e *Executor, list []family) []family {
		return onFamily(list, "agentic_tasks_total", func(f *family) { f.samples[0].value -= e.metrics.outcomes.read()[canceled] })
	}),
	"later-collisions-are-not-counted": func(b *behaviour) {
		var once seen
		b.idempotency.reused = func(c *call, s sending, key, hash string, r remembered) *problem {
			if once.before(key) {
				c.e.metrics.collisions.add("", -1)
			}
			return reused(c, s, key, hash, r)
		}
	},
	"probes-at-the-same-time-are-turned-away": func(b *behaviour) {
		var inside atomic.Int64
		healthz := b.metrics.healthz
		b.metrics.healthz = func(c *call) answer {
			defer inside.Add(-1)
			if inside.Add(1) > 1 {
				return c.json(http.StatusServiceUnavailable, map[string]any{"status": "busy"})
			}
			time.Sleep(lostUpdate)
			return healthz(c)
		}
	},
	"metrics-name-reused-message-ids": func(b *behaviour) {
		var mu sync.Mutex
		ids := map[string]float64{}
		real := b.idempotency.reused
		b.idempotency.reused = func(c *call, s sending, key, hash string, r remembered) *problem {
			mu.Lock()
			defer mu.Unlock()
			ids[key]++
			return real(c, s, key, hash, r)
		}
		countsByMessage(&mu, ids, "agentic_messages_reused_total")(b)
	},
	"metrics-name-repeated-message-ids": func(b *behaviour) {
		var mu sync.Mutex
		ids := map[string]float64{}
		real := b.idempotency.replay
		b.idempotency.replay = func(c *call, s sending, r remembered) answer {
			mu.Lock()
			defer mu.Unlock()
			if id, is := s.message["messageId"].(string); is {
				ids[id]++
			}
			return real(c, s, r)
		}
		countsByMessage(&mu, ids, "agentic_messages_repeated_total")(b)
	},
	"v1-labels-are-not-escaped": func(b *behaviour) {
		b.v1.label = func(c *call) (string, bool) {
			label, counts := v1Label(c)
			if strings.Contains(c.r.URL.Path, `"`) {
				label = c.r.URL.Path
			}
			return label, counts
		}
		b.metrics.expose = func(families []family) []byte {
			return bytes.ReplaceAll(expose(families), []byte(`\"`), []byte(`"`))
		}
	},
	"metrics-help-behind-the-samples": func(b *behaviour) {
		real := b.metrics.expose
		b.metrics.expose = func(families []family) []byte {
			text := string(real(families))
			const name = "agentic_tasks_total"
			help := "# HELP " + name + " Tasks created.\n"
			text = strings.Replace(text, help, "", 1)
			at := strings.Index(text, "\n"+name+" ") + 1
			end := at + strings.Index(text[at:], "\n") + 1
			return []byte(text[:end] + help + text[end:])
		}
	},
	"metrics-as-a-page-for-browsers":    metricsAskedAs("text/html", "text/html; charset=utf-8"),
	"metrics-in-open-metrics-as-octets": metricsAskedAs("application/openmetrics-text", "application/octet-stream"),
	"readyz-is-busy-while-a-task-works": func(b *behaviour) {
		b.metrics.readyz = func(c *call) answer {
			counts, err := c.e.store.countTasks()
			if err == nil && counts[submitted]+counts[working] > 0 {
				return c.json(http.StatusServiceUnavailable, map[string]any{"status": "not_ready", "reason": "busy"})
			}
			return readiness(c)
		}
	},
	"metrics-in-open-metrics-need-credentials": func(b *behaviour) {
		b.metrics.needs = func(c *call) bool { return strings.Contains(c.r.Header.Get("Accept"), "openmetrics") }
	},
	"deep-health-status-is-a-number": func(b *behaviour) {
		b.metrics.deep = func(c *call) answer { return c.json(http.StatusOK, map[string]any{"status": 1, "uptime_seconds": 1}) }
	},
	"series-repeated-in-another-order-of-labels": exposes(func(text []byte) []byte {
		return append(text, "# TYPE agentic_note gauge\nagentic_note{a=\"1\",b=\"2\"} 1\nagentic_note{b=\"2\",a=\"1\"} 1\n"...)
	}),
	"every-other-scrape-has-a-word-for-a-value": everyOtherScrape(func(text []byte) []byte {
		return append(text, "# TYPE agentic_note gauge\nagentic_note many\n"...)
	}),
	"every-other-scrape-repeats-a-type": everyOtherScrape(func(text []byte) []byte { return twice(text, "# TYPE agentic_tasks_total counter\n") }),
	"every-other-scrape-repeats-a-series": everyOtherScrape(func(text []byte) []byte {
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "agentic_uptime_seconds ") {
				return twice(text, line)
			}
		}
		return text
	}),
	"every-tenth-health-probe-fails": func(b *behaviour) {
		var asked atomic.Int64
		instead(func(c *call) (answer, bool) {
			if c.r.URL.Path != "/healthz" || asked.Add(1)%10 != 0 {
				return answer{}, false
			}
			return c.json(http.StatusServiceUnavailable, map[string]any{"status": "alive"}), true
		})(b)
	},
	"later-labels-are-written-at-the-end": exposes(func(text []byte) []byte {
		const name = "aiwg_v1_path_requests_total{"
		var first, later []byte
		for line := range bytes.Lines(text) {
			if bytes.HasPrefix(line, []byte(name)) && bytes.Contains(first, []byte("\n"+name)) {
				later = append(later, line...)
				continue
			}
			first = append(first, line...)
		}
		return append(first, later...)
	}),
}

// exposes changes the text of the exposition.
func exposes(change func(text []byte) []byte) func(*behaviour) {
	return func(b *behaviour) {
		real := b.metrics.expose
		b.metrics.expose = func(list []family) []byte { return change(real(list)) }
	}
}

// families changes what is exposed.
func families(change func(e *Executor, list []family) []family) func(*behaviour) {
	return func(b *behaviour) {
		real := b.metrics.families
		b.metrics.families = func(e *Executor) []family { return change(e, real(e)) }
	}
}

// onSample changes the samples of a family with this suffix; those for which change says no are left out.
func onSample(list []family, name, suffix string, change func(s *sample) bool) []family {
	return onFamily(list, name, func(f *family) {
		kept := f.samples[:0:0]
		for _, s := range f.samples {
			if s.suffix != suffix || change(&s) {
				kept = append(kept, s)
			}
		}
		f.samples = kept
	})
}

func onFamily(list []family, name string, change func(f *family)) []family {
	for i := range list {
		if strings.EqualFold(list[i].name, name) {
			change(&list[i])
		}
	}
	return list
}

// countsByMessage exposes a count for each id of a message.
func countsByMessage(mu *sync.Mutex, ids map[string]float64, name string) func(*behaviour) {
	return families(func(_ *Executor, list []family) []family {
		mu.Lock()
		defer mu.Unlock()
		return append(list, labelled(name, "Messages, by their id.", "counter", "message", maps.Clone(ids)))
	})
}

// metricsAskedAs calls the metrics by a media type where a client accepts another.
func metricsAskedAs(accepted, called string) func(*behaviour) {
	return func(b *behaviour) {
		real := b.metrics.answer
		b.metrics.answer = func(c *call, a answer) answer {
			if strings.Contains(c.r.Header.Get("Accept"), accepted) {
				a.header.Set("Content-Type", called)
			}
			return real(c, a)
		}
	}
}

// everyOtherScrape changes every other exposition of the metrics.
func everyOtherScrape(change func(text []byte) []byte) func(*behaviour) {
	return func(b *behaviour) {
		var n atomic.Int64
		exposes(func(text []byte) []byte {
			if n.Add(1)%2 == 0 {
				return change(text)
			}
			return text
		})(b)
	}
}

// twice is a text in which one line stands twice.
func twice(text []byte, line string) []byte {
	return bytes.Replace(text, []byte(line), []byte(line+line), 1)
}

// countsTenants adds a family that counts the tasks of each tenant, which it names in a label.
func countsTenants(label string, tenants map[string]float64) func(*behaviour) {
	return func(b *behaviour) {
		var mu sync.Mutex
		counted := maps.Clone(tenants)
		b.tasks.announce = func(_ *instance, t task) {
			mu.Lock()
			defer mu.Unlock()
			counted[t.Tenant]++
		}
		families(func(_ *Executor, list []family) []family {
			mu.Lock()
			defer mu.Unlock()
			return append(list, labelled("agentic_tenant_tasks_total", "Tasks by tenant.", "counter", label, counted))
		})(b)
	}
}
