// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"net/http"
	"strings"
	"sync"
)

// payloadFaults are about what is taken for an answer to a prompt, and about prompts beside others.
var payloadFaults = map[string]func(*behaviour){
	"truths-are-integers": takenForIntegers(func(v any) bool { _, is := v.(bool); return is }),
	"digits-are-integers": takenForIntegers(func(v any) bool { return v == "7" }),
	"malformed-answers-close-the-prompt": func(b *behaviour) {
		var closed seen // tasks
		refused, open := b.tasks.refused, b.hitl.open
		b.tasks.refused = func(c *call, s sending) {
			metadata, _ := s.message["metadata"].(map[string]any)
			id, _ := s.message["taskId"].(string)
			if _, is := metadata["hitl_response_for"]; is && id != "" {
				closed.before(id)
			}
			refused(c, s)
		}
		b.hitl.open = func(t task, promptID string) bool { return open(t, promptID) && !closed.has(t.ID) }
	},
	"prompts-of-canceled-tasks-are-answered": func(b *behaviour) {
		var asked sync.Map // the prompt, by the task that was canceled while it was open
		cancel, open, check := b.tasks.cancel, b.hitl.open, b.hitl.check
		b.tasks.cancel = func(in *instance, t task) (task, *problem) {
			if t.Prompt != nil {
				asked.Store(t.ID, t.Prompt.ID)
			}
			return cancel(in, t)
		}
		b.hitl.open = func(t task, promptID string) bool {
			id, is := asked.Load(t.ID)
			return open(t, promptID) || is && t.State == canceled && id == promptID
		}
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			if pr == nil {
				return nil
			}
			return check(pr, payload)
		}
	},
	"answers-have-to-have-every-property": func(b *behaviour) {
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			properties, _ := pr.Schema["properties"].(map[string]any)
			for name := range properties {
				if _, given := payload[name]; !given {
					return refuse(http.StatusUnprocessableEntity, "hitl_response_invalid", "").
						with("validation_errors", []any{map[string]any{"path": pointer([]string{name}), "keyword": "required", "message": "is missing"}})
				}
			}
			return checkPayload(pr, payload)
		}
	},
	"null-fits-every-property": func(b *behaviour) {
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			given := maps.Clone(payload)
			maps.DeleteFunc(given, func(_ string, v any) bool { return v == nil })
			return checkPayload(pr, given)
		}
	},
	"prompts-are-known-by-the-beginning-of-their-id": func(b *behaviour) {
		b.hitl.open = func(t task, id string) bool {
			return t.State == inputRequired && t.Prompt != nil && len(id) >= 8 && strings.HasPrefix(t.Prompt.ID, id)
		}
	},
	"prompts-beside-others-have-numbers": asksBeside(func(p *prompt) { p.ID += "#2" }),
	"streamed-prompts-have-bare-ids": streamsPrompts(func(v map[string]any) {
		if id, is := v["prompt_id"].(string); is {
			v["prompt_id"] = strings.ReplaceAll(id, "-", "")
		}
	}),
	"refused-answers-hide-the-prompt-from-streams": func(b *behaviour) {
		var refused seen
		b.hitl.invalid = func(_ *instance, t task) { refused.before(t.ID) }
		b.sse.snapshot = func(s *eventStream, t task) []event {
			if refused.has(t.ID) {
				t.Prompt = nil
			}
			return []event{s.snapshot(t)}
		}
	},
}

// asksBeside changes prompts that are made while another prompt of the instance is open.
func asksBeside(change func(p *prompt)) func(*behaviour) {
	return dresses(func(t *task) {
		if t.Prompt == nil {
			return
		}
		open, err := t.in.e.store.tasksBefore(t.in.ID, inputRequired, 1<<62, 1)
		if err == nil && len(open) > 0 {
			change(t.Prompt)
		}
	})
}

// takenForIntegers lets other values pass where a prompt wants an integer.
func takenForIntegers(some func(v any) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			given := maps.Clone(payload)
			properties, _ := pr.Schema["properties"].(map[string]any)
			for name, v := range given {
				if property, _ := properties[name].(map[string]any); property["type"] == "integer" && some(v) {
					given[name] = 1.0
				}
			}
			return checkPayload(pr, given)
		}
	}
}
