// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

var extensionFaults = map[string]func(*behaviour){
	"only-the-first-ten-uris-count": func(b *behaviour) {
		real := b.extensions.requested
		b.extensions.requested = func(h http.Header) []string {
			uris := real(h)
			return uris[:min(len(uris), 10)]
		}
	},
	"reads-look-at-the-first-header-line-only":   firstLineOnly(func(c *call) bool { return !strings.HasSuffix(c.r.URL.Path, "/subscribe") }),
	"streams-look-at-the-first-header-line-only": firstLineOnly(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/subscribe") }),
	"streams-refuse-missing-extensions-with-403": streamsLack(func() *problem {
		return refuse(http.StatusForbidden, "auth.forbidden", "an extension is missing")
	}),
	"streams-do-not-name-the-missing-extension": streamsLack(func() *problem {
		return refuse(http.StatusBadRequest, "extension.required_not_activated", "an extension is missing")
	}),
	"only-the-first-two-header-lines-count": func(b *behaviour) {
		b.extensions.requested = func(h http.Header) []string {
			return requestedExtensions(http.Header{"A2a-Extensions": h.Values("A2A-Extensions")[:min(2, len(h.Values("A2A-Extensions")))]})
		}
	},
	"only-the-first-header-line-counts": func(b *behaviour) {
		b.extensions.requested = func(h http.Header) []string {
			return requestedExtensions(http.Header{"A2a-Extensions": h.Values("A2A-Extensions")[:min(1, len(h.Values("A2A-Extensions")))]})
		}
	},
	"only-the-first-uri-counts": func(b *behaviour) {
		b.extensions.requested = func(h http.Header) []string {
			uris := requestedExtensions(h)
			return uris[:min(1, len(uris))]
		}
	},
	"list-wants-a-space-after-the-comma": func(b *behaviour) {
		b.extensions.requested = func(h http.Header) []string {
			return strings.Split(strings.TrimSpace(strings.Join(h.Values("A2A-Extensions"), ", ")), ", ")
		}
	},
	"unknown-extensions-refused": func(b *behaviour) {
		real := b.extensions.refuses
		b.extensions.refuses = func(c *call) *problem {
			for _, uri := range requestedExtensions(c.r.Header) {
				if !slices.Contains(c.in.extensions(), uri) {
					return refuse(http.StatusBadRequest, "extension.unsupported", "unsupported extension")
				}
			}
			return real(c)
		}
	},
	"cache-without-activation": func(b *behaviour) {
		b.idempotency.applies = func(*call, string) bool { return true }
	},
	"required-extension-refused-with-403": func(b *behaviour) {
		b.extensions.missing = func(c *call) *problem {
			if c.sends() && missingExtension(c) != nil {
				return refuse(http.StatusForbidden, "auth.forbidden", "an extension is missing")
			}
			return nil
		}
	},
	"required-extension-not-named": func(b *behaviour) {
		b.extensions.missing = func(c *call) *problem {
			if c.sends() && missingExtension(c) != nil {
				return refuse(http.StatusBadRequest, "extension.required_not_activated", "an extension is missing")
			}
			return nil
		}
	},
	"required-extension-refusal-leaves-a-task": func(b *behaviour) {
		b.extensions.missing = func(*call) *problem { return nil }
		b.tasks.answer = func(c *call, operation string, a answer) answer {
			if p := missingExtension(c); c.e.config.EnforceExtensions && operation == "send" && p != nil {
				return c.refuse(p)
			}
			return a
		}
	},
	"required-extensions-never-enforced": func(b *behaviour) { b.extensions.missing = func(*call) *problem { return nil } },
	"only-runtime-is-enforced": func(b *behaviour) {
		b.extensions.missing = func(c *call) *problem {
			if c.e.config.EnforceExtensions && c.sends() && !c.active.has(uriRuntime) {
				return missingExtension(c)
			}
			return nil
		}
	},

	"instance-id-is-fixed": runtimeParams(func(_ *instance, p map[string]any) { p["instance_id"] = "018fc0a2-7777-7aaa-bbbb-ccccddddeeee" }),
	"rest-ignores-pty-extensions": func(b *behaviour) {
		b.extensions.refuses = func(c *call) *problem {
			c.active = slices.DeleteFunc(slices.Clone(c.active), func(uri string) bool { return uri == uriPTY })
			return nil
		}
	},
	"repeated-without-idempotency-messages-are-known": func(b *behaviour) {
		b.idempotency.applies = func(*call, string) bool { return true }
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			if c.active.has(uriIdempotency) {
				return messageKey(c, s)
			}
			key, p := messageKey(c, s)
			if p == nil {
				hash, err := payloadHash(s)
				if r, found := lookup(c, b.idempotency.scope(c.in), key, hash); err == nil && found && r.Hash == hash {
					return key, nil
				}
			}
			return newID(), nil
		}
		b.idempotency.replay = func(c *call, s sending, r remembered) answer {
			a := replay(c, s, r)
			if !c.active.has(uriIdempotency) {
				a.header.Del("A2A-Extensions")
			}
			return a
		}
		b.idempotency.mark = func(h http.Header) {
			if strings.Contains(h.Get("A2A-Extensions"), uriIdempotency) {
				conformantIdempotency.mark(h)
			}
		}
	},
	"empty-elements-end-the-list": func(b *behaviour) {
		real := b.extensions.requested
		b.extensions.requested = func(h http.Header) []string {
			cut := h.Clone()
			for i, line := range cut["A2a-Extensions"] {
				items := strings.Split(line, ",")
				if end := slices.IndexFunc(items, func(item string) bool { return strings.TrimSpace(item) == "" }); end >= 0 {
					cut["A2a-Extensions"][i] = strings.Join(items[:end], ",")
				}
			}
			return real(cut)
		}
	},
	"extensions-known-by-the-beginning-of-their-uri": func(b *behaviour) {
		b.extensions.applied = func(known, requested []string) activation {
			var a activation
			for _, uri := range requested {
				begins := func(other string) bool { return strings.HasPrefix(uri, other) }
				if slices.ContainsFunc(known, begins) && !a.has(uri) {
					a = append(a, uri)
				}
			}
			return a
		}
	},
	"tabs-in-the-list-of-extensions-are-kept": func(b *behaviour) {
		b.extensions.requested = func(h http.Header) []string {
			var uris []string
			for _, item := range strings.Split(strings.Join(h.Values("A2A-Extensions"), ","), ",") {
				if uri := strings.Trim(item, " "); uri != "" {
					uris = append(uris, uri)
				}
			}
			return uris
		}
	},
	"other-versions-are-taken-for-this-one": func(b *behaviour) {
		b.extensions.applied = func(known, requested []string) activation {
			var a activation
			for _, uri := range requested {
				if i := slices.IndexFunc(known, func(k string) bool { return strings.HasPrefix(uri, k) }); i >= 0 && !a.has(known[i]) {
					a = append(a, known[i])
				}
			}
			return a
		}
	},
	"messages-without-idempotency-are-remembered": func(b *behaviour) {
		b.idempotency.applies = func(*call, string) bool { return true }
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			key, p := messageKey(c, s)
			if p != nil && !c.active.has(uriIdempotency) {
				return newID(), nil
			}
			return key, p
		}
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			if !c.active.has(uriIdempotency) {
				return remembered{}, false
			}
			return lookup(c, scope, key, hash)
		}
	},
}

func runtimeParams(change func(in *instance, params map[string]any)) func(*behaviour) {
	return extensionEntry(uriRuntime, func(in *instance, entry map[string]any) { change(in, entry["params"].(map[string]any)) })
}

// runtimeMeta changes the runtime metadata of tasks where there is any.
func runtimeMeta(change func(t task, metadata map[string]any, in *instance)) func(*behaviour) {
	return func(b *behaviour) {
		real := b.extensions.runtime
		b.extensions.runtime = func(t task, metadata map[string]any, in *instance) {
			real(t, metadata, in)
			if t.Active.has(uriRuntime) {
				change(t, metadata, in)
			}
		}
	}
}

func withoutRuntime(active activation) activation {
	return slices.DeleteFunc(slices.Clone(active), func(uri string) bool { return uri == uriRuntime })
}

func dropRuntime(metadata map[string]any) {
	maps.DeleteFunc(metadata, func(name string, _ any) bool { return strings.HasPrefix(name, "runtime.") })
}

// runtimeOn drops the runtime metadata from what the operations answer.
func runtimeOn(b *behaviour, operations ...string) {
	before := b.tasks.views
	b.tasks.views = func(operation string, active activation) activation {
		active = before(operation, active)
		if slices.Contains(operations, operation) {
			return withoutRuntime(active)
		}
		return active
	}
}

// metadataOf changes a member of the metadata of runtime/v1, where a task has it.
func metadataOf(name, value string) func(task map[string]any) {
	return func(task map[string]any) {
		if metadata, _ := task["metadata"].(map[string]any); metadata["runtime.instance_id"] != nil {
			metadata[name] = value
		}
	}
}

// firstLineOnly looks at no second line of the header on some reads.
func firstLineOnly(which func(c *call) bool) func(*behaviour) {
	return echo(func(c *call, _ int, lines []string) []string {
		asked := c.r.Header.Values("A2A-Extensions")
		if c.r.Method != http.MethodGet || len(asked) < 2 || !which(c) {
			return lines
		}
		var kept []string
		for _, uri := range c.active {
			if strings.Contains(asked[0], uri) {
				kept = append(kept, uri)
			}
		}
		return kept
	})
}

// streamsLack refuses streamed messages without a required extension in another way.
func streamsLack(as func() *problem) func(*behaviour) {
	return func(b *behaviour) {
		missing := b.extensions.missing
		b.extensions.missing = func(c *call) *problem {
			p := missing(c)
			if p != nil && strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
				return as()
			}
			return p
		}
	}
}
