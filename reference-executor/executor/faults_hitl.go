// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

var hitlFaults = map[string]func(*behaviour){
	"hitl-is-required":    extensionEntry(uriHITL, func(_ *instance, entry map[string]any) { entry["required"] = true }),
	"hitl-with-params":    extensionEntry(uriHITL, func(_ *instance, entry map[string]any) { entry["params"] = map[string]any{"channel": "slack"} }),
	"hitl-without-params": extensionEntry(uriHITL, func(_ *instance, entry map[string]any) { delete(entry, "params") }),
	"prompt-in-the-task-metadata": func(b *behaviour) {
		shows := b.hitl.shows
		b.hitl.shows = func(task) bool { return false }
		b.hitl.place = func(t task, v map[string]any) {
			if t.Prompt == nil || !shows(t) {
				return
			}
			metadata, _ := v["metadata"].(map[string]any)
			if metadata == nil {
				metadata = map[string]any{}
				v["metadata"] = metadata
			}
			metadata[uriHITL] = t.Prompt.envelope()
		}
	},
	"prompt-with-channel":        envelope(func(v map[string]any) { v["channel"] = "slack" }),
	"prompt-without-schema":      envelope(func(v map[string]any) { delete(v, "response_schema") }),
	"prompt-id-is-a-name":        envelope(func(v map[string]any) { v["prompt_id"] = "prompt-1" }),
	"prompt-id-of-version-7":     asks(func(p *prompt) { p.ID = newID() }),
	"prompt-is-empty":            envelope(func(v map[string]any) { v["prompt"] = "" }),
	"prompt-is-too-long":         envelope(func(v map[string]any) { v["prompt"] = strings.Repeat("a", 4097) }),
	"prompt-schema-for-a-string": envelope(func(v map[string]any) { v["response_schema"] = map[string]any{"type": "string"} }),
	"prompt-schema-does-not-compile": envelope(func(v map[string]any) {
		v["response_schema"] = map[string]any{"type": "object", "properties": 7}
	}),
	"prompt-schema-is-too-large": envelope(func(v map[string]any) {
		v["response_schema"] = map[string]any{"type": "object", "additionalProperties": false, "description": strings.Repeat("a", 65536)}
	}),
	"prompt-schema-is-open":       asks(func(p *prompt) { delete(p.Schema, "additionalProperties") }),
	"prompt-deadline-in-the-past": asks(func(p *prompt) { p.Deadline = p.Deadline.Add(-2 * time.Hour) }),
	"prompt-deadline-is-no-time":  envelope(func(v map[string]any) { v["deadline"] = "soon" }),
	"prompt-responders-are-empty": envelope(func(v map[string]any) { v["allowed_responders"] = []any{} }),
	"prompt-responder-is-unknown": envelope(func(v map[string]any) { v["allowed_responders"] = []any{"everybody"} }),
	"prompt-without-activation":   func(b *behaviour) { b.hitl.shows = func(task) bool { return true } },
	"answer-changes-nothing": func(b *behaviour) {
		b.hitl.answered = func(_ *instance, t task, opts sendOptions) (task, *problem) { return t.seenBy(opts.Active), nil }
	},
	"answer-takes-two-seconds": func(b *behaviour) {
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			in.e.agenda.after(t.ID, 2*time.Second, func() {
				in.e.work.Lock()
				defer in.e.work.Unlock()
				if now, found := in.load(t.ID); found && now.State == inputRequired {
					_, _ = in.take(now)
				}
			})
			return t.seenBy(opts.Active), nil
		}
	},
	"second-answer-accepted": func(b *behaviour) {
		b.hitl.open = func(t task, id string) bool {
			return t.Prompt != nil && t.Prompt.ID == id || slices.Contains(t.Answered, id)
		}
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			if pr == nil {
				return nil
			}
			return checkPayload(pr, payload)
		}
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			if t.State != inputRequired {
				return t.seenBy(opts.Active), nil
			}
			return in.resume(t, opts)
		}
	},
	"unknown-prompt-answered-with-a-task": func(b *behaviour) {
		b.tasks.continues = func(m message) bool { return m.Answer == nil }
	},
	"answer-payload-unchecked": func(b *behaviour) {
		b.hitl.check = func(*prompt, map[string]any) *problem { return nil }
	},
	"invalid-answer-without-errors": func(b *behaviour) {
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			p := checkPayload(pr, payload)
			if p != nil {
				p.more = nil
			}
			return p
		}
	},
	"invalid-answer-without-paths": func(b *behaviour) {
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			p := checkPayload(pr, payload)
			if p != nil {
				p = p.with("validation_errors", []any{map[string]any{"path": "payload.decision"}})
			}
			return p
		}
	},
	"invalid-answer-closes-the-prompt": func(b *behaviour) {
		b.hitl.invalid = func(in *instance, t task) { _, _ = in.take(t) }
	},
	"answer-with-unknown-members-accepted": rules(func(r *messageRules) {
		r.answer = func(v any) (*promptAnswer, *problem) {
			object, _ := v.(map[string]any)
			if payload, ok := object["payload"].(map[string]any); ok {
				if id, ok := object["prompt_id"].(string); ok {
					return &promptAnswer{id, payload}, nil
				}
			}
			return parseAnswer(v)
		}
	}),
	"answer-without-payload-accepted": rules(func(r *messageRules) {
		r.answer = func(v any) (*promptAnswer, *problem) {
			object, _ := v.(map[string]any)
			if id, ok := object["prompt_id"].(string); ok && object["payload"] == nil {
				return &promptAnswer{id, map[string]any{"decision": "approve"}}, nil
			}
			return parseAnswer(v)
		}
	}),
	"prompt-shown-once": func(b *behaviour) {
		var mu sync.Mutex
		shown := map[string]bool{}
		b.hitl.shows = func(t task) bool {
			mu.Lock()
			defer mu.Unlock()
			first := !shown[t.Prompt.ID]
			shown[t.Prompt.ID] = true
			return first && t.Active.has(uriHITL)
		}
	},
	"prompt-changes-on-every-read": func(b *behaviour) {
		b.hitl.envelope = func(t task) map[string]any {
			v := t.Prompt.envelope()
			v["prompt_id"] = uuid.NewString()
			return v
		}
	},
	"named-responders-enforced": func(b *behaviour) {
		b.hitl.check = func(*prompt, map[string]any) *problem {
			return refuse(http.StatusForbidden, "auth.forbidden", "only the release manager may answer")
		}
	},
	"prompt-id-is-constant":          asks(func(p *prompt) { p.ID = "5b0f2f0e-2f5c-4f0a-9d5c-0d8a3f8f7a11" }),
	"answer-without-task-starts-one": func(b *behaviour) { b.hitl.needsTask = false },
	"prompts-dropped-at-restart": func(b *behaviour) {
		b.hitl.shows = func(t task) bool { return t.Active.has(uriHITL) && t.Changed.After(t.in.e.started) }
	},
}

// envelope changes how prompts are shown.
func envelope(change func(v map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		b.hitl.envelope = func(t task) map[string]any {
			v := t.Prompt.envelope()
			change(v)
			return v
		}
	}
}

// asks changes prompts when they are made.
func asks(change func(p *prompt)) func(*behaviour) {
	return dresses(func(t *task) {
		if t.Prompt != nil {
			change(t.Prompt)
		}
	})
}
