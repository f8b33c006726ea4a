// SPDX-License-Identifier: Apache-2.0

package executor

import "slices"

var outputFaults = map[string]func(*behaviour){
	"output-without-raw-in-params": extensionEntry(uriOutput, func(_ *instance, entry map[string]any) {
		entry["params"].(map[string]any)["events"] = outputEvents[:6]
	}),
	"output-is-required": extensionEntry(uriOutput, func(_ *instance, entry map[string]any) { entry["required"] = true }),
	"output-without-interface": cardContent(func(_ *instance, card map[string]any) {
		card["supportedInterfaces"] = slices.DeleteFunc(interfaces(card), func(v any) bool { return v.(map[string]any)["extension"] == uriOutput })
	}),
	"output-without-command-is-empty": func(b *behaviour) {
		b.output.needsCommand = false
		b.output.unknown = func(*outputStream) {}
	},
	"output-of-unknown-commands-hangs": func(b *behaviour) {
		b.output.unknown = func(o *outputStream) {
			o.s.write(o.s.comment("still here"))
			select {
			case <-o.s.c.r.Context().Done():
			case <-o.s.c.e.stopping.Done():
			}
		}
	},
	"output-error-under-another-code": outputFrames(func(name string, data map[string]any) {
		if name == "error" {
			data["code"] = "NOT_FOUND"
		}
	}),
	"output-without-raw-ref":      outputFrames(func(_ string, data map[string]any) { delete(data, "raw_ref") }),
	"output-without-session":      outputFrames(func(_ string, data map[string]any) { delete(data, "session_id") }),
	"output-done-without-reason":  outputFrames(func(_ string, data map[string]any) { delete(data, "finish_reason") }),
	"output-numbers-begin-again":  func(b *behaviour) { b.output.number = func(seq, resumed int) int { return seq - resumed } },
	"output-numbers-are-constant": func(b *behaviour) { b.output.number = func(int, int) int { return 1 } },
	"output-resumes-at-the-start": func(b *behaviour) { b.output.resumes = func(int) int { return 0 } },

	"adapter-is-required":       extensionEntry(uriAdapter, func(_ *instance, entry map[string]any) { entry["required"] = true }),
	"adapter-without-modes":     extensionEntry(uriAdapter, func(_ *instance, entry map[string]any) { delete(entry["params"].(map[string]any), "modes") }),
	"adapter-without-params":    extensionEntry(uriAdapter, func(_ *instance, entry map[string]any) { delete(entry, "params") }),
	"adapter-envelopes-ignored": rules(func(r *messageRules) { r.adapter = func(any) (*adapterCommand, *problem) { return nil, nil } }),
	"any-adapter-accepted":      adapterTakes("adapter", "sandbox-agent-runner"),
	"any-adapter-mode-accepted": adapterTakes("mode", "plan"),
	"any-adapter-command-accepted": rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			c, p := parseAdapter(v)
			if object, ok := v.(map[string]any); p != nil && ok {
				if list, ok := object["command"].([]any); ok && len(list) > 0 && (list[0] == "node" || list[0] == "sh") {
					return &adapterCommand{Mode: "plan", Request: ".aiwg/ops/runs/x.json"}, nil
				}
			}
			return c, p
		}
	}),
	"adapter-command-as-text-accepted": rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			if object, ok := v.(map[string]any); ok {
				if _, ok := object["command"].(string); ok {
					return &adapterCommand{Mode: "plan", Request: ".aiwg/ops/runs/x.json"}, nil
				}
			}
			return parseAdapter(v)
		}
	}),
	"adapter-request-anywhere": rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			c, p := parseAdapter(v)
			if p != nil && p.detail == "the request file lies outside its folders" {
				return &adapterCommand{Mode: "plan", Request: ".aiwg/ops/runs/x.json"}, nil
			}
			return c, p
		}
	}),
	"adapter-timeout-clamped": adapterTakes("timeout_seconds", nil),
	"adapter-failure-is-completed": func(b *behaviour) {
		b.tasks.steps = func(t task, state string) string {
			if t.Plan.Adapter != nil && state == failed {
				return completed
			}
			return state
		}
	},
	"adapter-output-discarded": dresses(func(t *task) {
		if t.Plan.Adapter != nil {
			t.Artifacts = nil
		}
	}),
}

func outputFrames(change func(name string, data map[string]any)) func(*behaviour) {
	return func(b *behaviour) { b.output.frame = change }
}

// adapterTakes replaces a member of the envelope before it is looked at; nil leaves it out.
func adapterTakes(name string, value any) func(*behaviour) {
	return rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			object, ok := v.(map[string]any)
			if !ok {
				return parseAdapter(v)
			}
			changed := map[string]any{}
			for n, member := range object {
				changed[n] = member
			}
			if changed[name] = value; value == nil {
				delete(changed, name)
			}
			return parseAdapter(changed)
		}
	})
}
