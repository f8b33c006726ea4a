// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

// terminalFaults are about terminals and edit other topics, or others too: how the cards declare the binding and its
// extension, where the extension is active, and which instance answers. The rest are faults of package pty.
var terminalFaults = map[string]func(*behaviour){
	"card-without-binding": func(b *behaviour) {
		was := b.card.content
		b.card.content = func(in *instance, card map[string]any) {
			was(in, card)
			delete(card, "bindings")
			interfaces, _ := card["supportedInterfaces"].([]any)
			card["supportedInterfaces"] = slices.DeleteFunc(slices.Clone(interfaces), func(v any) bool {
				entry, _ := v.(map[string]any)
				return entry["transport"] == "WebSocket"
			})
		}
	},
	"binding-lists-five-operations": terminalBinding(func(entry map[string]any) {
		operations, _ := entry["operations"].([]any)
		entry["operations"] = operations[:min(5, len(operations))]
	}),
	"binding-claims-to-be-primary": terminalBinding(func(entry map[string]any) { entry["preference"] = "primary" }),
	"pty-params-as-a-list": terminalExtension(func(entry map[string]any) []any {
		entry["params"] = []any{}
		return []any{entry}
	}),
	"pty-extension-declared-twice": terminalExtension(func(entry map[string]any) []any { return []any{entry, entry} }),
	"rest-activates-pty": func(b *behaviour) {
		b.extensions.refuses = func(*call) *problem { return nil }
	},
	"streamed-messages-activate-pty": restActivates(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/messages:stream") }),
	"reads-activate-pty":             restActivates(func(c *call) bool { return c.r.Method == http.MethodGet }),
	"rest-refuses-the-terminal-extension-as-malformed": func(b *behaviour) {
		b.extensions.refuses = func(c *call) *problem {
			if !c.active.has(uriPTY) {
				return nil
			}
			c.active = slices.DeleteFunc(slices.Clone(c.active), func(uri string) bool { return uri == uriPTY })
			return malformed("the header cannot be understood")
		}
	},
	"instance-ignored": attachesIgnoreTheInstance(func(*call) bool { return true }),
	"silent-session-scope": func(b *behaviour) {
		pty.ListsBySession(&b.pty)
		withoutNotes(b)
	},
	"blank-notes-on-session-scope": func(b *behaviour) {
		pty.ListsBySession(&b.pty)
		card := b.card.content
		b.card.content = func(in *instance, v map[string]any) {
			card(in, v)
			for _, binding := range v["bindings"].([]any) {
				binding.(map[string]any)["notes"] = " "
			}
		}
	},
	"attaching-below-odd-ids-is-malformed": func(b *behaviour) {
		before := b.surfaces.before
		b.surfaces.before = func(c *call) (answer, bool) {
			if _, err := uuid.Parse(c.iid); err != nil && strings.HasSuffix(c.r.URL.Path, "/attach") {
				return c.refuse(refuse(http.StatusBadRequest, "request.malformed", "the id of the instance is no UUID")), true
			}
			return before(c)
		}
	},
	"silent-session-scope-of-senders": func(b *behaviour) {
		pty.ListsOfSendersBySession(&b.pty)
		withoutNotes(b)
	},
	"tasks-of-terminals-are-not-listed": func(b *behaviour) {
		var here seen
		pty.Notes(&b.pty, func(id string) { here.before(id) }, func(string) {})
		b.list.shown = func(v map[string]any) {
			tasks, _ := v["tasks"].([]any)
			v["tasks"] = slices.DeleteFunc(tasks, func(one any) bool {
				id, _ := one.(map[string]any)["id"].(string)
				return here.has(id)
			})
		}
	},
	"tasks-canceled-over-terminals-read-as-working": func(b *behaviour) {
		var here seen
		pty.Notes(&b.pty, func(string) {}, func(id string) { here.before(id) })
		answers("get", func(c *call, a answer) answer {
			var v map[string]any
			if !here.has(c.vars["tid"]) || undoc(a.body, &v) != nil {
				return a
			}
			if status, is := v["status"].(map[string]any); is && status["state"] == canceled {
				status["state"] = working
				delete(status, "terminal_at")
				a.body = c.e.lawful.Encode(v)
			}
			return a
		})(b)
	},
	"canceled-tasks-are-canceled-again": func(b *behaviour) {
		real := b.tasks.cancel
		b.tasks.cancel = func(in *instance, t task) (task, *problem) {
			if t.State == canceled {
				return t, nil
			}
			return real(in, t)
		}
	},
	"binary-attaches-ignore-the-instance": attachesIgnoreTheInstance(func(c *call) bool {
		return strings.Contains(c.r.Header.Get("Sec-WebSocket-Protocol"), "pty-ws.v1.binary")
	}),
}

// withoutNotes lets the card say nothing of what the binding lists.
func withoutNotes(b *behaviour) {
	terminalBinding(func(entry map[string]any) { delete(entry, "notes") })(b)
}

// restActivates takes the terminal extension for one that some requests over HTTP can activate.
func restActivates(some func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		refuses := b.extensions.refuses
		b.extensions.refuses = func(c *call) *problem {
			if some(c) {
				return nil
			}
			return refuses(c)
		}
	}
}

// terminalBinding changes how the card's bindings list this one.
func terminalBinding(change func(entry map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		was := b.card.content
		b.card.content = func(in *instance, card map[string]any) {
			was(in, card)
			for _, v := range card["bindings"].([]any) {
				if entry := v.(map[string]any); entry["uri"] == pty.BindingURI {
					change(entry)
				}
			}
		}
	}
}

// terminalExtension changes how the card declares the extension.
func terminalExtension(entries func(entry map[string]any) []any) func(*behaviour) {
	return func(b *behaviour) {
		was := b.card.content
		b.card.content = func(in *instance, card map[string]any) {
			was(in, card)
			var all []any
			for _, v := range capabilities(card)["extensions"].([]any) {
				if entry := v.(map[string]any); entry["uri"] == uriPTY {
					all = append(all, entries(entry)...)
				} else {
					all = append(all, v)
				}
			}
			capabilities(card)["extensions"] = all
		}
	}
}

// attachesIgnoreTheInstance attaches to a session whichever instance the path names, where a call is of that kind.
func attachesIgnoreTheInstance(which func(*call) bool) func(*behaviour) {
	return func(b *behaviour) {
		was := b.surfaces.before
		b.surfaces.before = func(c *call) (answer, bool) {
			if c.route == nil || c.route.pattern[len(c.route.pattern)-1] != "attach" || !which(c) {
				return was(c)
			}
			owner, is := c.e.pty.InstanceOf(c.vars["sid"]).(terminalInstance)
			if !is {
				return was(c)
			}
			c.in = owner.in
			return attach(c), true
		}
	}
}
