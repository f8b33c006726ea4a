// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

var extensionFaults = map[string]func(*behaviour){
	"extension-without-version": declaring(func(object) []any {
		return []any{object{"uri": "https://example.org/ext/citations", "description": "Results name their sources."}}
	}),
	"extension-declared-twice": declaring(func(first object) []any {
		return []any{object{"uri": first["uri"], "description": first["description"], "required": true}}
	}),
	"unknown-extension-is-refused": func(b *behaviour) {
		b.extensions.refuses = func(c *call) *failure {
			for _, uri := range c.s.b.extensions.asked(c.r.Header) {
				if !slices.Contains(declaredURIs(c.s), uri) {
					return violation("A2A-Extensions", "names an extension that is not known here")
				}
			}
			return conformantExtensions.refuses(c)
		}
	},
	"unknown-extension-is-refused-by-reads":   unknownExtensionRefusedBy("GetTask"),
	"unknown-extension-is-refused-by-streams": unknownExtensionRefusedBy("SendStreamingMessage"),
	"extensions-in-one-word": func(b *behaviour) {
		b.extensions.asked = func(h http.Header) []string { return []string{h.Get("A2A-Extensions")} }
	},
	"extensions-of-the-first-line-only": func(b *behaviour) {
		b.extensions.asked = func(h http.Header) []string {
			return askedExtensions(http.Header{"A2a-Extensions": h.Values("A2A-Extensions")[:min(1, len(h.Values("A2A-Extensions")))]})
		}
	},
	"extensions-header-in-small-letters-only": blindTo("A2A-Extensions:"),
	"extensions-compared-by-their-beginning": func(b *behaviour) {
		b.extensions.matches = func(asked, declared string) bool { return strings.HasPrefix(asked, declared) }
	},
	"extensions-are-echoed": func(b *behaviour) {
		b.extensions.echo = func(c *call) []string { return c.s.b.extensions.asked(c.r.Header) }
	},
	"streams-echo-extensions": func(b *behaviour) {
		b.extensions.echo = func(c *call) []string {
			if isOp(c, "SendStreamingMessage") {
				return c.s.b.extensions.asked(c.r.Header)
			}
			return c.active
		}
	},
	"all-extensions-are-named-where-none-was-asked-for": func(b *behaviour) {
		b.extensions.echo = func(c *call) []string {
			if len(c.active) == 0 {
				return declaredURIs(c.s)
			}
			return c.active
		}
	},
	"all-extensions-are-named-by-streams": func(b *behaviour) {
		b.extensions.echo = func(c *call) []string {
			if isOp(c, "SendStreamingMessage") {
				return declaredURIs(c.s)
			}
			return c.active
		}
	},
	"extension-metadata-in-every-answer": func(b *behaviour) {
		b.extensions.words = func(_ *call, t task, v object) {
			v["metadata"] = object{wordCount: object{"words": t.words()}}
		}
	},
	"extension-metadata-in-one-of-some-tasks": func(b *behaviour) {
		var begun atomic.Int32
		var which sync.Map // the number of each task
		b.extensions.words = func(c *call, t task, v object) {
			conformantExtensions.words(c, t, v)
			n, known := which.Load(t.id)
			if !known {
				n, _ = which.LoadOrStore(t.id, begun.Add(1))
			}
			if n.(int32)%9 == 6 {
				v["metadata"] = object{wordCount: object{"words": t.words()}}
			}
		}
	},
	"extension-metadata-in-every-stream": func(b *behaviour) {
		b.extensions.words = func(c *call, t task, v object) {
			conformantExtensions.words(c, t, v)
			if isOp(c, "SendStreamingMessage") {
				v["metadata"] = object{wordCount: object{"words": t.words()}}
			}
		}
	},
	"extension-metadata-in-status-updates": itemsWith("statusUpdate", func(update, _ object) {
		update["metadata"] = object{wordCount: object{"words": 1}}
	}),
	"extension-metadata-in-streamed-artifacts": itemsWith("artifactUpdate", func(update, _ object) {
		if a, is := update["artifact"].(object); is {
			a["metadata"] = object{wordCount: object{"words": 1}}
		}
	}),
	"extensions-stay-active-in-artifacts": func(b *behaviour) {
		var active sync.Map // by context
		b.extensions.words = func(c *call, t task, v object) {
			conformantExtensions.words(c, t, v)
			if v["metadata"] != nil {
				active.Store(t.context, true)
			}
			artifacts, _ := v["artifacts"].([]any)
			if _, is := active.Load(t.context); !is || v["metadata"] != nil {
				return
			}
			for _, a := range artifacts {
				a.(object)["metadata"] = object{wordCount: object{"words": t.words()}}
			}
		}
	},
	"extensions-stay-active-in-their-context": func(b *behaviour) {
		var active sync.Map // by context
		b.extensions.words = func(c *call, t task, v object) {
			conformantExtensions.words(c, t, v)
			if _, is := active.Load(t.context); is {
				v["metadata"] = object{wordCount: object{"words": t.words()}}
			} else if v["metadata"] != nil {
				active.Store(t.context, true)
			}
		}
	},
	"extension-metadata-in-every-part": shownArtifact(func(v object) {
		for _, part := range v["parts"].([]any) {
			part.(object)["metadata"] = object{wordCount: object{"words": 1}}
		}
	}),
	"required-extension-is-optional": func(b *behaviour) { b.extensions.refuses = func(*call) *failure { return nil } },
	"required-extension-on-message-send-only": func(b *behaviour) {
		b.extensions.refuses = func(c *call) *failure {
			if c.op.name != "SendMessage" {
				return nil
			}
			return conformantExtensions.refuses(c)
		}
	},
	"extensions-need-a-space-between-them": func(b *behaviour) {
		b.extensions.asked = func(h http.Header) []string {
			var asked []string
			for _, line := range h.Values("A2A-Extensions") {
				asked = append(asked, strings.Split(strings.TrimSpace(line), ", ")...)
			}
			return asked
		}
	},
	"extensions-behind-a-space-are-others": func(b *behaviour) {
		b.extensions.asked = func(h http.Header) []string {
			var asked []string
			for _, line := range h.Values("A2A-Extensions") {
				asked = append(asked, strings.Split(line, ",")...)
			}
			return asked
		}
	},
	"extensions-are-compared-without-case": func(b *behaviour) { b.extensions.matches = strings.EqualFold },
}

// unknownExtensionRefusedBy has one operation refuse what names an extension that the card does not declare.
func unknownExtensionRefusedBy(operation string) func(*behaviour) {
	return func(b *behaviour) {
		b.extensions.refuses = func(c *call) *failure {
			for _, uri := range c.s.b.extensions.asked(c.r.Header) {
				if isOp(c, operation) && !slices.Contains(declaredURIs(c.s), uri) {
					return violation("A2A-Extensions", "names an extension that is not known here")
				}
			}
			return conformantExtensions.refuses(c)
		}
	}
}

// declaring declares more extensions than there are; more is told the first one.
func declaring(more func(first object) []any) func(*behaviour) {
	return func(b *behaviour) {
		b.extensions.declared = func(s *Server) []any {
			all := declaredExtensions(s)
			return append(all, more(all[0].(object))...)
		}
	}
}
