// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"net/http"
	"strings"
)

// payloadFaults are about what is taken for an answer to a prompt, and about prompts beside others.
var payloadFaults = map[string]func(*behaviour){
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
