// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// hitlLiberties are about prompts and their answers.
var hitlLiberties = map[string]func(*behaviour){
	// HITL-002: at most 30 s.
	"prompts-come-late": func(b *behaviour) {
		thinks := b.tasks.thinks
		b.tasks.thinks = func(t task, wait time.Duration) time.Duration {
			if next, _ := t.Plan.next(); next.state == inputRequired {
				return 2 * time.Second
			}
			return thinks(t, wait)
		}
	},
	// HITL-006: any JSON Schema 2020-12 for an object.
	"prompts-have-schemas-of-all-kinds": func(b *behaviour) {
		var asked atomic.Int64
		dressPrompts(b, func(p *prompt) {
			p.Schema = promptSchemas[int(asked.Add(1)-1)%len(promptSchemas)]()
		})
	},
	// HITL-009: the task leaves the state "for that prompt_id": the agent may have another question.
	"agents-ask-twice": func(b *behaviour) {
		answered := b.hitl.answered
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			if len(t.Answered) != 1 {
				return answered(in, t, opts)
			}
			t, p := in.move(t, working, nil)
			if p != nil {
				return t, p
			}
			in.e.agenda.after("ask "+t.ID, 40*time.Millisecond, func() {
				in.e.work.Lock()
				defer in.e.work.Unlock()
				if now, found := in.load(t.ID); found && now.State == working {
					_, _ = in.move(now, inputRequired, func(t *task) {
						ask(t)
						in.e.b.tasks.dresses(t)
					})
				}
			})
			return t.seenBy(opts.Active), nil
		}
	},
	// No sentence: the agent may ask the next question in the same breath.
	"agents-ask-on-at-once": func(b *behaviour) {
		answered := b.hitl.answered
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			if len(t.Answered) != 1 {
				return answered(in, t, opts)
			}
			t, p := in.move(t, inputRequired, func(t *task) {
				ask(t)
				in.e.b.tasks.dresses(t)
			})
			return t.seenBy(opts.Active), p
		}
	},
	// HITL-014: path is a JSON pointer into the payload, the empty one too (RFC 6901); keyword is optional.
	"violations-point-at-the-object": func(b *behaviour) {
		b.hitl.check = func(pr *prompt, payload map[string]any) *problem {
			p := checkPayload(pr, payload)
			if p == nil || p.more["validation_errors"] == nil {
				return p
			}
			list := []any{}
			for _, v := range p.more["validation_errors"].([]any) {
				one := v.(map[string]any)
				path, _ := one["path"].(string)
				if i := strings.LastIndex(path, "/"); i >= 0 {
					path = path[:i]
				}
				list = append(list, map[string]any{"path": path, "message": one["message"], "severity": "error", "schemaPath": "#/required"})
			}
			return p.with("validation_errors", list)
		}
	},
	// Wire shapes, 10: deadline and allowed_responders are not needed; HITL-004: any UUID.
	"prompts-say-little": func(b *behaviour) {
		dressPrompts(b, func(p *prompt) { p.ID = strings.ToUpper(newID()) })
		b.hitl.envelope = func(t task) any {
			v := t.Prompt.envelope()
			delete(v, "deadline")
			delete(v, "allowed_responders")
			return v
		}
	},
	// HITL-007: RFC 3339, any offset.
	"deadlines-have-an-offset": func(b *behaviour) {
		b.hitl.envelope = func(t task) any {
			v := t.Prompt.envelope()
			v["deadline"] = t.Prompt.Deadline.In(time.FixedZone("", -9*3600-30*60)).Format(time.RFC3339)
			v["allowed_responders"] = []any{"any"}
			return v
		}
	},
	// Wire shapes, 10: metadata and parts of the message stay open.
	"prompts-stand-among-other-metadata": func(b *behaviour) {
		changeStatus(b, func(t task, status map[string]any) {
			if m, _ := status["message"].(map[string]any); m != nil && t.State == inputRequired {
				metadata, _ := m["metadata"].(map[string]any)
				if metadata == nil {
					metadata = map[string]any{}
					m["metadata"] = metadata
				}
				metadata["https://example.org/ext/urgency/v1"], metadata["prompt_id"] = map[string]any{"level": 2}, "not-this"
				m["parts"] = append(slices.Clone(m["parts"].([]any)), map[string]any{"kind": "data", "data": map[string]any{"prompt": "?"}})
			}
		})
	},
}

func dressPrompts(b *behaviour, change func(p *prompt)) {
	dresses := b.tasks.dresses
	b.tasks.dresses = func(t *task) {
		dresses(t)
		if t.State == inputRequired && t.Prompt != nil {
			change(t.Prompt)
		}
	}
}

// promptSchemas use what JSON Schema 2020-12 has; each is made anew, since prompts are kept.
var promptSchemas = []func() map[string]any{
	schemaOf(`{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.org/p","$defs":{"choice":{"enum":["yes","no"]}},
		"type":"object","properties":{"choice":{"$ref":"#/$defs/choice"},"reason":{"type":"string","minLength":10,"maxLength":20}},
		"required":["choice","reason"],"additionalProperties":false}`),
	schemaOf(`{"type":"object","required":["deployment"],"additionalProperties":false,"properties":{"deployment":{"type":"object",
		"required":["regions","window"],"additionalProperties":false,"properties":{
		"regions":{"type":"array","items":{"type":"string","pattern":"^[a-z]{2}-[a-z]{4}-[1-3]$"},"minItems":2,"uniqueItems":true},
		"window":{"type":"object","required":["start"],"properties":{"start":{"type":"string","format":"date-time"}}}}}}}`),
	schemaOf(`{"type":"object","oneOf":[{"required":["approve"]},{"required":["reject"]}],"properties":{"approve":{"const":true},
		"reject":{"type":"string","minLength":1}},"additionalProperties":false,"minProperties":1}`),
	schemaOf(`{"type":"object","properties":{"ok":{"type":"boolean"}},"additionalProperties":false}`),
	schemaOf(`{"type":"object","required":["share","count"],"properties":{"share":{"type":"number","exclusiveMinimum":0.5,"exclusiveMaximum":0.75,"multipleOf":0.125},
		"count":{"type":["integer","null"],"minimum":7,"multipleOf":7}},"additionalProperties":false}`),
	schemaOf(`{"type":"object","required":["pair"],"properties":{"pair":{"type":"array","prefixItems":[{"const":"v1"},{"type":"integer","minimum":3}],"items":false,"minItems":2},
		"mail":{"type":"string","format":"email"},"phone":{"type":"string"}},"dependentRequired":{"mail":["phone"]},"unevaluatedProperties":false,"additionalProperties":false}`),
	schemaOf(`{"type":"object","required":["kind"],"properties":{"kind":{"enum":["a","b"]},"size":{"type":"integer"}},
		"if":{"properties":{"kind":{"const":"a"}}},"then":{"required":["size"]},"additionalProperties":false}`),
}

func schemaOf(text string) func() map[string]any {
	return func() map[string]any {
		var v map[string]any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			panic(err)
		}
		return v
	}
}
