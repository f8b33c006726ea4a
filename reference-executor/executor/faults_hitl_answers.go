// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// hitlAnswerFaults are about answers to prompts.
var hitlAnswerFaults = map[string]func(*behaviour){
	"answer-answers-201": answersTo("send", "this is the answer", func(_ *call, a answer) answer {
		a.status = http.StatusCreated
		return a
	}),
	"answer-changes-nothing": func(b *behaviour) {
		b.hitl.answered = func(_ *instance, t task, opts sendOptions) (task, *problem) { return t.seenBy(opts.Active), nil }
	},
	"second-answer-accepted": func(b *behaviour) {
		b.hitl.open = func(t task, id string) bool {
			return t.Prompt != nil && t.Prompt.ID == id || slices.Contains(t.Answered, id)
		}
		b.hitl.check = ofOpenPrompts(checkPayload)
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			if t.State != inputRequired {
				return t.seenBy(opts.Active), nil
			}
			return in.resume(t, opts)
		}
	},
	"answers-are-accepted-after-the-end": func(b *behaviour) {
		b.hitl.open = func(t task, id string) bool {
			return t.terminal() && slices.Contains(t.Answered, id) || conformantHITL.open(t, id)
		}
		b.hitl.check = ofOpenPrompts(checkPayload)
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			if t.terminal() {
				return t.seenBy(opts.Active), nil
			}
			return conformantHITL.answered(in, t, opts)
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
	"answer-maximums-unchecked": unchecked("maximum"),
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
	"named-responders-enforced": func(b *behaviour) {
		b.hitl.check = func(*prompt, map[string]any) *problem {
			return refuse(http.StatusForbidden, "auth.forbidden", "only the release manager may answer")
		}
	},
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
	"newest-prompt-alone-survives-a-restart": func(b *behaviour) {
		var mu sync.Mutex
		var newest time.Time // of the prompts from before the restart that were shown
		real := b.hitl.shows
		b.hitl.shows = func(t task) bool {
			if !real(t) || t.Changed.After(t.in.e.started) {
				return real(t)
			}
			mu.Lock()
			defer mu.Unlock()
			if t.Changed.After(newest) {
				newest = t.Changed
			}
			return t.Changed.Equal(newest)
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
		b.hitl.check = ofOpenPrompts(check)
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
		b.hitl.check = ofOpenPrompts(checkPayload)
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			if t.State == canceled {
				return t.seenBy(opts.Active), nil
			}
			return conformantHITL.answered(in, t, opts)
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

// ofOpenPrompts checks answers to the prompt that is open, and takes every other.
func ofOpenPrompts(check func(*prompt, map[string]any) *problem) func(*prompt, map[string]any) *problem {
	return func(pr *prompt, payload map[string]any) *problem {
		if pr == nil {
			return nil
		}
		return check(pr, payload)
	}
}
