// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/json"
	"maps"
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
	"prompt-in-every-stream": func(b *behaviour) {
		b.sse.snapshot = func(s *eventStream, t task) []event {
			return []event{s.snapshot(t.seenBy(append(slices.Clone(t.Active), uriHITL)))}
		}
	},
	"answer-answers-201": answersTo("send", "this is the answer", func(_ *call, a answer) answer {
		a.status = http.StatusCreated
		return a
	}),
	"answer-changes-nothing": func(b *behaviour) {
		b.hitl.answered = func(_ *instance, t task, opts sendOptions) (task, *problem) { return t.seenBy(opts.Active), nil }
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
	"second-answer-answers-404": secondAnswer(func(p *problem) *problem { return refuse(http.StatusNotFound, p.code, p.detail) }),
	"second-answer-is-refused-namelessly": secondAnswer(func(p *problem) *problem {
		return refuse(p.status, "request.conflict", p.detail)
	}),
	"second-answer-reopens-the-prompt": func(b *behaviour) {
		b.hitl.open = func(t task, id string) bool {
			if slices.Contains(t.Answered, id) && !t.terminal() {
				_, _ = t.in.move(t, inputRequired, func(t *task) { ask(t); t.Prompt.ID = id })
				return false
			}
			return conformantHITL.open(t, id)
		}
	},
	"unknown-prompt-cancels-the-task": func(b *behaviour) {
		b.hitl.open = func(t task, id string) bool {
			open := conformantHITL.open(t, id)
			if !open && !slices.Contains(t.Answered, id) && !t.terminal() {
				_, _ = t.in.move(t, canceled, nil)
			}
			return open
		}
	},
	"answers-to-no-prompt-start-a-task": func(b *behaviour) {
		b.hitl.open = func(t task, id string) bool {
			open := conformantHITL.open(t, id)
			if !open && !slices.Contains(t.Answered, id) {
				t.in.e.work.Unlock() // whoever sends takes it; what is refused does no work behind this
				_, _ = t.in.sendMessage(message{ID: newID(), ContextID: t.ContextID, Raw: map[string]any{}}, sendOptions{Active: t.Active})
				t.in.e.work.Lock()
			}
			return open
		}
	},
	"prompt-conflict-answers-404": refusedAnswer(http.StatusConflict, func(p *problem) *problem {
		return refuse(http.StatusNotFound, p.code, p.detail)
	}),
	"prompt-conflict-is-nameless": refusedAnswer(http.StatusConflict, func(p *problem) *problem {
		return refuse(p.status, "request.conflict", p.detail)
	}),
	"invalid-answer-answers-400": refusedAnswer(http.StatusUnprocessableEntity, func(p *problem) *problem {
		return refuse(http.StatusBadRequest, p.code, p.detail).with("validation_errors", p.more["validation_errors"])
	}),
	"invalid-answer-is-nameless": refusedAnswer(http.StatusUnprocessableEntity, func(p *problem) *problem {
		return refuse(p.status, "request.invalid_params", p.detail).with("validation_errors", p.more["validation_errors"])
	}),
	"answer-types-unchecked":    unchecked("type"),
	"answer-required-unchecked": unchecked("required"),
	"answer-extras-unchecked":   unchecked("additionalProperties"),
	"answer-enums-unchecked":    unchecked("enum"),
	"answer-patterns-unchecked": unchecked("pattern"),
	"answer-lengths-unchecked":  unchecked("maxLength"),
	"answer-minimums-unchecked": unchecked("minimum"),
	"unknown-prompt-answered-with-a-task": func(b *behaviour) {
		b.tasks.continues = func(m message, _ sendOptions) bool { return m.Answer == nil }
	},
	"answer-with-unknown-members-resumes-the-task": malformedResumes(func(answer map[string]any) bool { return len(answer) > 2 }),
	"answer-without-payload-resumes-the-task":      malformedResumes(func(answer map[string]any) bool { return answer["payload"] == nil }),
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
	"named-responders-enforced": func(b *behaviour) {
		b.hitl.check = func(*prompt, map[string]any) *problem {
			return refuse(http.StatusForbidden, "auth.forbidden", "only the release manager may answer")
		}
	},
	"prompt-id-is-constant": asks(func(p *prompt) { p.ID = "5b0f2f0e-2f5c-4f0a-9d5c-0d8a3f8f7a11" }),
	"answer-without-task-starts-one": func(b *behaviour) {
		b.hitl.taskless = func(*instance, message, sendOptions) *problem { return nil }
	},
	"prompts-unanswerable-after-restart": func(b *behaviour) {
		b.hitl.open = func(t task, id string) bool { return conformantHITL.open(t, id) && t.Changed.After(t.in.e.started) }
	},
	"tasks-forgotten-at-restart": func(b *behaviour) {
		b.tasks.visible = func(in *instance, t task) bool { return t.Instance == in.ID && t.Created.After(in.e.started) }
	},
	"prompts-renewed-at-restart": func(b *behaviour) {
		b.hitl.envelope = func(t task) any {
			v := t.Prompt.envelope()
			if !t.Changed.After(t.in.e.started) {
				v["prompt"] = "Shall the build be deployed?"
			}
			return v
		}
	},
	"prompts-dropped-at-restart": func(b *behaviour) {
		b.hitl.shows = func(t task) bool { return t.Active.has(uriHITL) && t.Changed.After(t.in.e.started) }
	},
	"prompt-in-updates-without-activation": func(b *behaviour) {
		was := b.sse.updates
		b.sse.updates = func(s *eventStream, before, now task) []event {
			return was(s, before, now.seenBy(append(slices.Clone(now.Active), uriHITL)))
		}
	},
	"answers-at-the-same-time-are-accepted": func(b *behaviour) {
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			in.e.work.Unlock()
			time.Sleep(lostUpdate)
			in.e.work.Lock()
			return conformantHITL.answered(in, t, opts)
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
	"corrected-answers-are-accepted": func(b *behaviour) {
		var asked string      // the prompt of the answer that is looked at; they come one at a time
		var answered sync.Map // what was answered, by prompt
		b.hitl.open = func(t task, id string) bool {
			asked = id
			return slices.Contains(t.Answered, id) || conformantHITL.open(t, id)
		}
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			text, _ := json.Marshal(payload)
			if pr != nil {
				p := checkPayload(pr, payload)
				if p == nil {
					answered.Store(asked, string(text))
				}
				return p
			}
			if was, _ := answered.Load(asked); was == string(text) {
				return refuse(http.StatusConflict, "hitl_already_answered_or_unknown", "the task has no open prompt of that id")
			}
			return nil
		}
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			if t.State != inputRequired {
				return t.seenBy(opts.Active), nil
			}
			return in.resume(t, opts)
		}
	},
	"lengths-of-answers-are-those-of-their-bytes": func(b *behaviour) {
		real := b.hitl.check
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			if comment, _ := payload["comment"].(string); len(comment) > 200 {
				payload = maps.Clone(payload)
				payload["comment"] = strings.Repeat("x", len(comment)) // as if each byte were a character
			}
			return real(pr, payload)
		}
	},
	"prompts-of-other-tasks-are-answered": func(b *behaviour) {
		open, check, answered := b.hitl.open, b.hitl.check, b.hitl.answered
		b.hitl.open = func(t task, id string) bool { return open(t, id) || t.in.asks(id) }
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			if pr == nil {
				return nil
			}
			return check(pr, payload)
		}
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			if t.Prompt == nil {
				return t.seenBy(opts.Active), nil
			}
			return answered(in, t, opts)
		}
	},
	"answers-of-any-case-are-in-an-enum": func(b *behaviour) {
		real := b.hitl.check
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			folded := map[string]any{}
			for name, v := range payload {
				if text, is := v.(string); is && name == "decision" {
					v = strings.ToLower(text)
				}
				folded[name] = v
			}
			return real(pr, folded)
		}
	},
	"lists-show-open-prompts-at-work-after-restart": answers("list", func(c *call, a answer) answer {
		return changed(c, a, func(task map[string]any) {
			status, _ := task["status"].(map[string]any)
			at, _ := status["timestamp"].(string)
			changed, err := time.Parse(time.RFC3339Nano, at)
			if status["state"] == inputRequired && err == nil && changed.Before(c.e.started) {
				status["state"] = working
			}
		})
	}),
	"streamed-answers-are-messages": ofStreamedRequests("hitl_response_for", func(message map[string]any) {
		if metadata, is := message["metadata"].(map[string]any); is {
			delete(metadata, "hitl_response_for")
		}
	}),
	"prompt-ids-repeat-after-eight": func(b *behaviour) {
		asked := 0 // the lock on tasks is held
		b.tasks.dresses = func(t *task) {
			if t.Prompt != nil {
				t.Prompt.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte{byte(asked % 8)}).String()
				asked++
			}
		}
	},
	"late-answers-are-swallowed": func(b *behaviour) {
		asked := map[string]string{} // ids of prompts, by task; the lock on tasks is held
		b.tasks.dresses = func(t *task) {
			if t.Prompt != nil {
				asked[t.ID] = t.Prompt.ID
			}
		}
		b.hitl.open = func(t task, id string) bool {
			return conformantHITL.open(t, id) || t.State == canceled && asked[t.ID] == id
		}
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			if pr == nil {
				return nil
			}
			return checkPayload(pr, payload)
		}
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			if t.State == canceled {
				return t.seenBy(opts.Active), nil
			}
			return conformantHITL.answered(in, t, opts)
		}
	},
	"prompt-ids-follow-the-context": func(b *behaviour) {
		b.tasks.dresses = func(t *task) {
			if t.Prompt != nil {
				t.Prompt.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte(t.ContextID)).String()
			}
		}
	},
	"schemas-of-prompts-are-lost-at-restart": func(b *behaviour) {
		var started sync.Map // ids of prompts that were asked before the restart
		open, check := b.hitl.open, b.hitl.check
		b.hitl.open = func(t task, id string) bool {
			if !t.Changed.After(t.in.e.started) {
				started.Store(id, true)
			}
			return open(t, id)
		}
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			if _, is := started.Load(pr.ID); is {
				return nil
			}
			return check(pr, payload)
		}
	},
	"lists-are-payloads": rules(func(r *messageRules) {
		r.answer = func(v any) (*promptAnswer, *problem) {
			object, _ := v.(map[string]any)
			list, is := object["payload"].([]any)
			if !is || len(list) == 0 {
				return parseAnswer(v)
			}
			first, _ := list[0].(map[string]any)
			id, _ := object["prompt_id"].(string)
			return &promptAnswer{id, first}, nil
		}
	}),
	"streamed-answers-change-nothing": func(b *behaviour) {
		b.hitl.answered = func(in *instance, t task, o sendOptions) (task, *problem) {
			if o.Streamed {
				return t.seenBy(o.Active), nil
			}
			return conformantHITL.answered(in, t, o)
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
