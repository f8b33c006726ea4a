// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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
	"prompt-is-a-text":           func(b *behaviour) { b.hitl.envelope = func(t task) any { return t.Prompt.Text } },
	"prompt-without-schema":      envelope(func(v map[string]any) { delete(v, "response_schema") }),
	"prompt-without-text":        envelope(func(v map[string]any) { delete(v, "prompt") }),
	"prompt-without-id":          envelope(func(v map[string]any) { delete(v, "prompt_id") }),
	"prompt-id-is-a-name":        asks(func(p *prompt) { p.ID = "prompt-" + p.ID[:6] }),
	"prompt-id-of-version-7":     asks(func(p *prompt) { p.ID = newID() }),
	"prompt-id-of-version-9":     asks(func(p *prompt) { p.ID = p.ID[:14] + "9" + p.ID[15:] }),
	"prompt-is-empty":            envelope(func(v map[string]any) { v["prompt"] = "" }),
	"prompt-is-too-long":         envelope(func(v map[string]any) { v["prompt"] = strings.Repeat("a", 4097) }),
	"prompt-schema-for-a-string": envelope(func(v map[string]any) { v["response_schema"] = map[string]any{"type": "string"} }),
	"prompt-schema-does-not-compile": envelope(func(v map[string]any) {
		v["response_schema"] = map[string]any{"type": "object", "properties": 7}
	}),
	"prompt-schema-is-too-large":   asks(func(p *prompt) { p.Schema["description"] = strings.Repeat("a", 65536) }),
	"prompt-schema-without-a-type": asks(func(p *prompt) { delete(p.Schema, "type") }),
	"prompt-schema-is-open":        asks(func(p *prompt) { delete(p.Schema, "additionalProperties") }),
	"prompt-deadline-in-the-past":  asks(func(p *prompt) { p.Deadline = p.Deadline.Add(-2 * time.Hour) }),
	"prompt-deadline-before-the-prompt": dresses(func(t *task) {
		if t.Prompt != nil {
			t.Prompt.Deadline = t.Changed.Add(-time.Second)
		}
	}),
	"prompt-deadline-is-no-time":  envelope(func(v map[string]any) { v["deadline"] = "soon" }),
	"prompt-responders-are-empty": envelope(func(v map[string]any) { v["allowed_responders"] = []any{} }),
	"prompt-responder-is-unknown": envelope(func(v map[string]any) { v["allowed_responders"] = []any{"everybody"} }),
	"prompt-without-activation":   func(b *behaviour) { b.hitl.shows = func(task) bool { return true } },
	"prompt-in-every-list": func(b *behaviour) {
		real := b.tasks.views
		b.tasks.views = func(operation string, active activation) activation {
			active = real(operation, active)
			if operation == "list" {
				return append(slices.Clone(active), uriHITL)
			}
			return active
		}
	},
	"prompts-are-left-out-of-lists": func(b *behaviour) {
		real := b.tasks.views
		b.tasks.views = func(operation string, active activation) activation {
			active = real(operation, active)
			if operation == "list" {
				return slices.DeleteFunc(slices.Clone(active), func(uri string) bool { return uri == uriHITL })
			}
			return active
		}
	},
	"prompt-in-every-stream": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			return []event{s.snapshot(t.seenBy(append(slices.Clone(t.Active), uriHITL)))}
		}
	},
	"answer-takes-two-seconds": func(b *behaviour) { b.hitl.answered = resumesLate },
	"some-answers-take-two-seconds": func(b *behaviour) {
		var answers atomic.Int64
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			if answers.Add(1)%8 == 0 {
				return resumesLate(in, t, opts)
			}
			return in.resume(t, opts)
		}
	},
	"prompt-shown-once": func(b *behaviour) {
		var shown seen
		b.hitl.shows = func(t task) bool { return !shown.before(t.Prompt.ID) && t.Active.has(uriHITL) }
	},
	"prompt-streamed-once": func(b *behaviour) {
		var streamed seen
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.Prompt != nil && streamed.before(t.ID) {
				t.Prompt = nil
			}
			return []event{s.snapshot(t)}
		}
	},
	"prompt-id-differs-when-streamed": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.Prompt != nil {
				other := *t.Prompt
				other.ID = uuid.NewString()
				t.Prompt = &other
			}
			return []event{s.snapshot(t)}
		}
	},
	"streamed-prompts-are-empty":      streamsPrompts(func(v map[string]any) { v["prompt"] = "" }),
	"streamed-prompts-name-a-channel": streamsPrompts(func(v map[string]any) { v["channel"] = "slack" }),
	"streamed-prompts-want-a-string": streamsPrompts(func(v map[string]any) {
		v["response_schema"] = map[string]any{"type": "string", "additionalProperties": false}
	}),
	"streamed-prompts-want-anything":     streamsPrompts(func(v map[string]any) { v["response_schema"] = map[string]any{"type": "object"} }),
	"streamed-deadlines-are-past":        streamsPrompts(func(v map[string]any) { v["deadline"] = "2026-01-02T03:04:05Z" }),
	"streamed-prompts-are-for-everybody": streamsPrompts(func(v map[string]any) { v["allowed_responders"] = []any{"everybody"} }),
	"prompts-differ-for-two-at-once": promptsBesideAnother(func(v map[string]any) {
		v["response_schema"] = map[string]any{"type": "object", "additionalProperties": false}
	}),
	"prompts-are-shortened-for-two-at-once": promptsBesideAnother(func(v map[string]any) { v["prompt"] = "?" }),
	"prompt-closed-by-reconnecting": func(b *behaviour) {
		var streamed, again seen
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if t.Prompt != nil && streamed.before(t.ID) {
				again.before(t.ID)
			}
			return []event{s.snapshot(t)}
		}
		b.hitl.open = func(t task, id string) bool { return conformantHITL.open(t, id) && !again.has(t.ID) }
	},
	"prompt-changes-on-every-read": func(b *behaviour) {
		b.hitl.envelope = func(t task) any {
			v := t.Prompt.envelope()
			v["prompt_id"] = uuid.NewString()
			return v
		}
	},
	"prompt-id-is-constant": asks(func(p *prompt) { p.ID = "5b0f2f0e-2f5c-4f0a-9d5c-0d8a3f8f7a11" }),
	"updates-with-past-deadlines": func(b *behaviour) {
		was := b.sse.updates
		b.sse.updates = func(s *eventStream, before, now task) []event {
			events := was(s, before, now)
			for _, e := range events {
				if v := promptIn(e); v != nil {
					v["deadline"] = "2026-01-02T03:04:05Z"
				}
			}
			return events
		}
	},
	"prompt-in-updates-without-activation": func(b *behaviour) {
		was := b.sse.updates
		b.sse.updates = func(s *eventStream, before, now task) []event {
			return was(s, before, now.seenBy(append(slices.Clone(now.Active), uriHITL)))
		}
	},
	"cards-count-open-prompts": func(b *behaviour) {
		b.card.asked = func(c *call, card map[string]any) {
			c.e.work.Lock()
			defer c.e.work.Unlock()
			rows, err := c.e.store.tasksBefore(c.in.ID, inputRequired, 1<<62, maxPage)
			if err != nil || len(rows) == 0 {
				return
			}
			for _, item := range capabilities(card)["extensions"].([]any) {
				if entry := item.(map[string]any); entry["uri"] == uriHITL {
					entry["params"] = map[string]any{"open_prompts": len(rows)}
				}
			}
		}
	},
	"prompt-ids-repeat-after-eight": func(b *behaviour) {
		asked := 0 // the lock on tasks is held
		b.tasks.dresses = func(t *task) {
			if t.Prompt != nil {
				t.Prompt.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte{byte(asked % 8)}).String()
				asked++
			}
		}
	},
	"prompt-ids-follow-the-context": func(b *behaviour) {
		b.tasks.dresses = func(t *task) {
			if t.Prompt != nil {
				t.Prompt.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte(t.ContextID)).String()
			}
		}
	},
}

// seen remembers ids.
type seen struct {
	mu  sync.Mutex
	ids map[string]bool
}

// before says whether an id has been seen, and sees it.
func (s *seen) before(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.ids[id]
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	s.ids[id] = true
	return was
}

func (s *seen) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[id]
}

// resumesLate takes an answer and lets the task wait for two more seconds.
func resumesLate(in *instance, t task, opts sendOptions) (task, *problem) {
	in.e.agenda.after(t.ID, 2*time.Second, func() {
		in.e.work.Lock()
		defer in.e.work.Unlock()
		if now, found := in.load(t.ID); found && now.State == inputRequired {
			_, _ = in.take(now)
		}
	})
	return t.seenBy(opts.Active), nil
}

// envelope changes how prompts are shown.
func envelope(change func(v map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		b.hitl.envelope = func(t task) any {
			v := t.Prompt.envelope()
			change(v)
			return v
		}
	}
}

// streamsPrompts changes prompts in the events that streams begin with.
func streamsPrompts(change func(v map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			e := s.snapshot(t)
			if v := promptIn(e); v != nil {
				change(v)
			}
			return []event{e}
		}
	}
}

// promptIn is the envelope of the prompt in an event that shows a task; nil when there is none.
func promptIn(e event) map[string]any {
	data, _ := e.data.(map[string]any)
	if wrapped, is := data["task"].(map[string]any); is {
		data = wrapped
	}
	status, _ := data["status"].(map[string]any)
	message, _ := status["message"].(map[string]any)
	metadata, _ := message["metadata"].(map[string]any)
	v, _ := metadata[uriHITL].(map[string]any)
	return v
}

// asks changes prompts when they are made.
func asks(change func(p *prompt)) func(*behaviour) {
	return dresses(func(t *task) {
		if t.Prompt != nil {
			change(t.Prompt)
		}
	})
}

// secondAnswer refuses an answer to a prompt that was answered otherwise than one to a prompt that never was.
func secondAnswer(change func(p *problem) *problem) func(*behaviour) {
	return func(b *behaviour) {
		b.hitl.open = func(t task, id string) bool { return slices.Contains(t.Answered, id) || conformantHITL.open(t, id) }
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			if pr == nil {
				return change(refuse(http.StatusConflict, "hitl_already_answered_or_unknown", "the task has no open prompt of that id"))
			}
			return checkPayload(pr, payload)
		}
	}
}

// promptsBesideAnother changes the prompts of subscriptions beside another one to the same task.
func promptsBesideAnother(change func(v map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		var mu sync.Mutex
		open := map[string]int{} // subscriptions, by task
		counts := func(s *eventStream, by int) (left int) {
			mu.Lock()
			defer mu.Unlock()
			open[s.c.vars["tid"]] += by
			return open[s.c.vars["tid"]]
		}
		b.sse.snapshot = func(s *eventStream, t task) []event {
			e := s.snapshot(t)
			if v := promptIn(e); counts(s, 1) > 1 && v != nil {
				change(v)
			}
			return []event{e}
		}
		b.sse.closes = func(s *eventStream) { counts(s, -1) }
	}
}

// asks says whether a task of the instance has an open prompt of that id; the lock on tasks is held.
func (in *instance) asks(id string) bool {
	rows, err := in.e.store.tasksBefore(in.ID, inputRequired, math.MaxInt64, 1000)
	return err == nil && slices.ContainsFunc(rows, func(row numbered) bool { return row.task.Prompt != nil && row.task.Prompt.ID == id })
}
