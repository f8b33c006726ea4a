// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// hitlCornerFaults keep the contract for the usual answer to a prompt, and break it for another, a second one, or later.
var hitlCornerFaults = map[string]func(*behaviour){
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
}

// asks says whether a task of the instance has an open prompt of that id; the lock on tasks is held.
func (in *instance) asks(id string) bool {
	rows, err := in.e.store.tasksBefore(in.ID, inputRequired, math.MaxInt64, 1000)
	return err == nil && slices.ContainsFunc(rows, func(row numbered) bool { return row.task.Prompt != nil && row.task.Prompt.ID == id })
}
