// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// envelopeFaults are about the envelopes of prompts, answers and adapter commands: how lists show them, and forms that only look like
// lawful ones.
var envelopeFaults = map[string]func(*behaviour){
	"listed-prompts-have-their-schema-as-a-text": func(b *behaviour) {
		b.list.shown = func(v map[string]any) {
			tasks, _ := v["tasks"].([]any)
			for _, one := range tasks {
				if p := promptIn(event{data: one}); p != nil {
					text, _ := json.Marshal(p["response_schema"])
					p["response_schema"] = string(text)
				}
			}
		}
	},
	"answers-before-subscribers-take-two-seconds": func(b *behaviour) {
		b.hitl.answered = func(in *instance, t task, opts sendOptions) (task, *problem) {
			if len(in.e.watchers[t.ID]) > 0 {
				return resumesLate(in, t, opts)
			}
			return in.resume(t, opts)
		}
	},
	"null-is-a-payload": rules(func(r *messageRules) {
		r.answer = func(v any) (*promptAnswer, *problem) {
			object, _ := v.(map[string]any)
			payload, given := object["payload"]
			if id, is := object["prompt_id"].(string); is && given && payload == nil {
				return &promptAnswer{id, map[string]any{"decision": "approve"}}, nil
			}
			return parseAnswer(v)
		}
	}),
	"answers-to-an-empty-task-id-start-one": func(b *behaviour) {
		was := b.tasks.parse
		b.tasks.parse = func(v map[string]any) (message, *problem) {
			metadata, _ := v["metadata"].(map[string]any)
			if _, is := metadata["hitl_response_for"]; is && v["taskId"] == "" {
				v = maps.Clone(v)
				delete(v, "taskId")
				delete(v, "metadata")
			}
			return was(v)
		}
	},
	"adapter-envelopes-of-further-messages-are-messages": func(b *behaviour) {
		real := b.tasks.parse
		b.tasks.parse = func(v map[string]any) (message, *problem) {
			metadata, _ := v["metadata"].(map[string]any)
			if _, given := metadata[uriAdapter]; !given || v["taskId"] == nil {
				return real(v)
			}
			v, metadata = maps.Clone(v), maps.Clone(metadata)
			delete(metadata, uriAdapter)
			v["metadata"] = metadata
			return real(v)
		}
	},
	"adapter-requests-are-cleaned-first": adapterRequests(path.Clean),
	"adapter-modes-in-another-case-are-messages": adapterMessages(func(envelope map[string]any) bool {
		mode, _ := envelope["mode"].(string)
		return mode == "PLAN" || mode == "ASSESS"
	}),
	"adapter-timeouts-may-be-true": rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			if envelope, is := v.(map[string]any); is && envelope["timeout_seconds"] == true {
				envelope = maps.Clone(envelope)
				delete(envelope, "timeout_seconds")
				v = envelope
			}
			return parseAdapter(v)
		}
	}),
	"adapter-modes-are-lowered": rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			if envelope, is := v.(map[string]any); is {
				envelope = maps.Clone(envelope)
				if mode, is := envelope["mode"].(string); is {
					envelope["mode"] = strings.ToLower(mode)
				}
				v = envelope
			}
			return parseAdapter(v)
		}
	}),
	"adapters-in-another-case-are-messages": adapterMessages(func(envelope map[string]any) bool {
		adapter, _ := envelope["adapter"].(string)
		return strings.ToLower(adapter) != adapter
	}),
	"adapter-envelopes-without-an-adapter-are-messages": adapterMessages(func(envelope map[string]any) bool { return envelope["adapter"] == nil }),
	"adapter-envelopes-that-are-no-objects-are-messages": rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			if _, is := v.(map[string]any); !is {
				return nil, nil
			}
			return parseAdapter(v)
		}
	}),
	"adapter-backslashes-behind-the-folder-accepted": adapterRequests(func(file string) string { return strings.ReplaceAll(file, "\\", "-") }),
	"adapter-requests-end-with-nul":                  adapterRequests(func(file string) string { name, _, _ := strings.Cut(file, "\x00"); return name }),
	"adapter-commands-may-lack-the-request": rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			envelope, _ := v.(map[string]any)
			if command, is := envelope["command"].([]any); is && len(command) == 3 {
				envelope = maps.Clone(envelope)
				envelope["command"] = append(slices.Clone(command), ".aiwg/ops/runs/default.json")
				return parseAdapter(envelope)
			}
			return parseAdapter(v)
		}
	}),
	"adapter-envelopes-without-a-mode-are-messages": adapterMessages(func(envelope map[string]any) bool { return envelope["mode"] == nil }),
	"streamed-answers-without-task-start-one": func(b *behaviour) {
		b.hitl.taskless = func(in *instance, m message, o sendOptions) *problem {
			if o.Streamed {
				return nil
			}
			return conformantHITL.taskless(in, m, o)
		}
	},
}

// adapterMessages takes messages with some envelopes for messages without one.
func adapterMessages(some func(envelope map[string]any) bool) func(*behaviour) {
	return rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			if envelope, is := v.(map[string]any); is && some(envelope) {
				return nil, nil
			}
			return parseAdapter(v)
		}
	})
}

// adapterRequests reads the path of a request file as another one.
func adapterRequests(as func(file string) string) func(*behaviour) {
	return rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			envelope, _ := v.(map[string]any)
			command, _ := envelope["command"].([]any)
			if len(command) != 4 {
				return parseAdapter(v)
			}
			file, _ := command[3].(string)
			command, envelope = slices.Clone(command), maps.Clone(envelope)
			command[3] = as(file)
			envelope["command"] = command
			return parseAdapter(envelope)
		}
	})
}
