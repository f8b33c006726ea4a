// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"

	"github.com/google/uuid"
)

// hitlRefusalFaults are about answers that are refused: how, and what is left of the prompt then.
var hitlRefusalFaults = map[string]func(*behaviour){
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
	"invalid-answer-without-messages": func(b *behaviour) {
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			p := checkPayload(pr, payload)
			if p != nil {
				for _, violation := range p.more["validation_errors"].([]any) {
					delete(violation.(map[string]any), "message")
				}
			}
			return p
		}
	},
	"empty-answers-are-refused-without-messages": func(b *behaviour) {
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			p := checkPayload(pr, payload)
			if p != nil && len(payload) == 0 {
				p = p.with("validation_errors", []any{map[string]any{"path": "/decision"}})
			}
			return p
		}
	},
	"invalid-answer-without-paths": func(b *behaviour) {
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			p := checkPayload(pr, payload)
			if p != nil {
				p = p.with("validation_errors", []any{map[string]any{"path": "payload.decision", "message": "is invalid"}})
			}
			return p
		}
	},
	"invalid-answer-with-paths-of-the-message": func(b *behaviour) {
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			p := checkPayload(pr, payload)
			if p != nil {
				p = p.with("validation_errors", []any{map[string]any{"path": "/message/metadata/hitl_response_for/payload", "message": "is invalid"}})
			}
			return p
		}
	},
	"invalid-answer-renews-the-prompt": func(b *behaviour) {
		b.hitl.invalid = func(in *instance, t task) {
			renewed := *t.Prompt
			renewed.ID = uuid.NewString()
			t.Prompt = &renewed
			_ = in.e.store.updateTask(t)
		}
	},
	"one-answer-a-prompt": func(b *behaviour) {
		var tried seen
		b.hitl.invalid = func(_ *instance, t task) { tried.before(t.Prompt.ID) }
		b.hitl.open = func(t task, id string) bool { return conformantHITL.open(t, id) && !tried.has(id) }
	},
	"invalid-answer-closes-the-prompt": func(b *behaviour) {
		b.hitl.invalid = func(in *instance, t task) { _, _ = in.take(t) }
	},
	"refused-answer-without-task-starts-one": func(b *behaviour) {
		b.hitl.taskless = func(in *instance, m message, opts sendOptions) *problem {
			in.e.work.Lock()
			defer in.e.work.Unlock()
			if _, p := in.createTask(m, opts); p != nil {
				return p
			}
			return conformantHITL.taskless(in, m, opts)
		}
	},
	"third-invalid-answer-closes-the-prompt": func(b *behaviour) {
		refused := map[string]int{} // the lock on tasks is held
		b.hitl.invalid = func(in *instance, t task) {
			if refused[t.ID]++; refused[t.ID] == 3 {
				_, _ = in.move(t, failed, func(t *task) { t.FailKind = "application" })
			}
		}
	},
	"empty-answers-are-refused-without-errors": func(b *behaviour) {
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			p := checkPayload(pr, payload)
			if p != nil && len(payload) == 0 {
				p = p.with("validation_errors", []any{})
			}
			return p
		}
	},
	"extra-properties-are-refused-without-errors": func(b *behaviour) {
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			p := checkPayload(pr, payload)
			properties, _ := pr.Schema["properties"].(map[string]any)
			for name := range payload {
				if _, known := properties[name]; p != nil && !known {
					return p.with("validation_errors", []any{})
				}
			}
			return p
		}
	},
}

// malformedResumes refuses malformed answers and goes on with the task nevertheless.
func malformedResumes(malformed func(answer map[string]any) bool) func(*behaviour) {
	return func(b *behaviour) {
		rules(func(r *messageRules) {
			r.answer = func(v any) (*promptAnswer, *problem) {
				a, p := parseAnswer(v)
				object, _ := v.(map[string]any)
				if id, is := object["prompt_id"].(string); p != nil && is && malformed(object) {
					return &promptAnswer{id, nil}, nil
				}
				return a, p
			}
		})(b)
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			if payload == nil {
				return refuse(http.StatusBadRequest, "hitl_response.invalid_envelope", "")
			}
			return checkPayload(pr, payload)
		}
		b.hitl.invalid = func(in *instance, t task) {
			if t.Prompt != nil {
				_, _ = in.take(t)
			}
		}
	}
}

// refusedAnswer changes how answers are refused that are refused with this status.
func refusedAnswer(status int, change func(p *problem) *problem) func(*behaviour) {
	return func(b *behaviour) {
		b.hitl.refused = func(p *problem) *problem {
			if p.status != status {
				return p
			}
			return change(p)
		}
	}
}

// unchecked ignores one keyword of the schema when answers are checked.
func unchecked(keyword string) func(*behaviour) {
	return func(b *behaviour) {
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			relaxed := *pr
			relaxed.Schema = withoutKeyword(pr.Schema, keyword)
			return checkPayload(&relaxed, payload)
		}
	}
}

// withoutKeyword is a schema, and what is in its properties, without a keyword.
func withoutKeyword(schema map[string]any, keyword string) map[string]any {
	kept := map[string]any{}
	for name, v := range schema {
		members, is := v.(map[string]any)
		switch {
		case name == keyword:
		case is:
			kept[name] = withoutKeyword(members, keyword)
		default:
			kept[name] = v
		}
	}
	return kept
}
