// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"
)

// waitingFaults are about tasks that wait for the client, and about what is taken for its answer.
var waitingFaults = map[string]func(*behaviour){
	"messages-to-waiting-tasks-start-others": func(b *behaviour) {
		waits := false // the task of the message that is looked at; the lock on tasks is held
		accepts := b.tasks.accepts
		b.tasks.accepts = func(in *instance, m message) *problem {
			t, found := in.load(m.TaskID)
			waits = found && t.State == inputRequired && m.Answer == nil
			return accepts(in, m)
		}
		b.tasks.continues = func(message, sendOptions) bool { return !waits }
	},
	"answers-are-acknowledged-as-submitted": answers("send", func(c *call, a answer) answer {
		return changed(c, a, func(task map[string]any) {
			history, _ := task["history"].([]any)
			if len(history) < 2 {
				return
			}
			last, _ := history[len(history)-1].(map[string]any)
			metadata, _ := last["metadata"].(map[string]any)
			if _, is := metadata["hitl_response_for"]; is {
				task["status"].(map[string]any)["state"] = submitted
			}
		})
	}),
	"answers-that-name-their-context-are-messages": func(b *behaviour) {
		real := b.tasks.parse
		b.tasks.parse = func(v map[string]any) (message, *problem) {
			m, p := real(v)
			if p == nil && m.ContextID != "" && m.Answer != nil && m.TaskID != "" {
				return m, refuse(http.StatusConflict, "hitl_already_answered_or_unknown", "the context has no prompt")
			}
			return m, p
		}
	},
	"answers-that-are-texts-are-messages": rules(func(r *messageRules) {
		r.answer = func(v any) (*promptAnswer, *problem) {
			if _, is := v.(string); is {
				return nil, nil
			}
			return parseAnswer(v)
		}
	}),
	"answers-without-a-prompt-id-are-for-the-open-one": func(b *behaviour) {
		const whichever = "whichever"
		rules(func(r *messageRules) {
			r.answer = func(v any) (*promptAnswer, *problem) {
				object, _ := v.(map[string]any)
				payload, is := object["payload"].(map[string]any)
				if _, named := object["prompt_id"]; is && !named {
					return &promptAnswer{whichever, payload}, nil
				}
				return parseAnswer(v)
			}
		})(b)
		b.hitl.open = func(t task, id string) bool {
			return conformantHITL.open(t, id) || t.State == inputRequired && t.Prompt != nil && id == whichever
		}
	},
	"answers-without-task-find-it-by-their-prompt": func(b *behaviour) {
		real := b.idempotency.key
		b.idempotency.key = func(c *call, s sending) (string, *problem) {
			metadata, _ := s.message["metadata"].(map[string]any)
			response, _ := metadata["hitl_response_for"].(map[string]any)
			id, _ := response["prompt_id"].(string)
			if _, named := s.message["taskId"]; !named && id != "" {
				if t, asks := c.in.asking(id); asks {
					s.message["taskId"] = t
				}
			}
			return real(c, s)
		}
	},
	"who-comes-back-by-event-id-gets-no-prompt": func(b *behaviour) {
		real := b.sse.snapshot
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if s.c.r.Header.Get("Last-Event-ID") != "" {
				t = t.seenBy(slices.DeleteFunc(slices.Clone(t.Active), func(uri string) bool { return uri == uriHITL }))
			}
			return real(s, t)
		}
	},
	"fractions-are-integers": takenForIntegers(func(v any) bool {
		n, is := v.(json.Number)
		return is && strings.Contains(n.String(), ".")
	}),
}

// asking is the task of the instance that has an open prompt of that id.
func (in *instance) asking(id string) (string, bool) {
	in.e.work.Lock()
	defer in.e.work.Unlock()
	rows, err := in.e.store.tasksBefore(in.ID, inputRequired, math.MaxInt64, maxPage)
	for _, row := range rows {
		if err == nil && row.task.Prompt != nil && row.task.Prompt.ID == id {
			return row.task.ID, true
		}
	}
	return "", false
}
