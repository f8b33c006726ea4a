// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/json"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/tmaxmax/go-sse"
)

var outputFaults = map[string]func(*behaviour){
	"adapter-folders-known-by-the-beginning-of-their-name": adapterTakesRequest(func(file string) bool {
		return path.Clean(file) == file && !allowedRequest(file) && slices.ContainsFunc(adapterFolders, func(folder string) bool {
			return strings.HasPrefix(file, strings.TrimSuffix(folder, "/"))
		})
	}),
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
	"every-third-output-of-an-unknown-command-hangs": func(b *behaviour) {
		var asked atomic.Int64
		was := b.output.unknown
		b.output.unknown = func(o *outputStream) {
			was(o)
			if asked.Add(1)%3 == 0 {
				select {
				case <-o.s.c.r.Context().Done():
				case <-o.s.c.e.stopping.Done():
				}
			}
		}
	},
	"output-cursors-of-0-leave-the-number-out": func(b *behaviour) {
		was := b.output.unknown
		b.output.unknown = func(o *outputStream) {
			if o.after > 0 || o.s.c.r.Header.Get("Last-Event-ID") == "" {
				was(o)
				return
			}
			m := sse.Message{ID: sse.ID(o.command + "-"), Type: sse.Type("error")}
			m.AppendData(string(o.s.c.e.lawful.Encode(map[string]any{
				"error": "the output of the command is not buffered", "code": "STREAM_INTERRUPTED", "session_id": o.command,
				"raw_ref": map[string]any{"command_id": o.command, "line": 1},
			})))
			o.s.write(o.s.style(&m))
		}
	},
	"output-error-under-another-code": outputFrames(func(name string, data map[string]any) {
		if name == "error" {
			data["code"] = "NOT_FOUND"
		}
	}),
	"output-without-raw-ref":     outputFrames(func(_ string, data map[string]any) { delete(data, "raw_ref") }),
	"output-without-session":     outputFrames(func(_ string, data map[string]any) { delete(data, "session_id") }),
	"output-done-without-reason": outputFrames(func(_ string, data map[string]any) { delete(data, "finish_reason") }),
	"output-with-other-ids-in-params": extensionEntry(uriOutput, func(_ *instance, entry map[string]any) {
		entry["params"].(map[string]any)["id_format"] = "uuid"
	}),
	"output-interface-without-command": outputInterface(func(entry map[string]any) {
		entry["url"], _, _ = strings.Cut(entry["url"].(string), "?")
	}),
	"output-interface-below-another-path": outputInterface(func(entry map[string]any) {
		entry["url"] = strings.Replace(entry["url"].(string), "/api/v1/", "/elsewhere/api/v1/", 1)
	}),
	"output-interface-over-websocket": outputInterface(func(entry map[string]any) { entry["transport"] = "WebSocket" }),
	"output-of-unknown-commands-is-404": func(b *behaviour) {
		b.output.opens = func(e *Executor, command string) *problem {
			if e.instances.ownerOf(command) == nil {
				return refuse(http.StatusNotFound, "task.not_found", "no such command")
			}
			return nil
		}
	},
	"output-of-unknown-commands-is-empty": func(b *behaviour) { b.output.unknown = func(*outputStream) {} },
	"output-errors-without-text":          outputMember("error", "error", nil),
	"output-deltas-of-the-system":         outputMember("delta", "role", "system"),
	"output-tools-called-without-input":   outputMember("tool_call", "input", nil),
	"output-tools-succeed":                outputMember("tool_result", "status", "success"),
	"output-status-without-status":        outputMember("status", "status", nil),
	"output-raw-of-another-kind":          outputMember("raw", "kind", "line"),
	"output-ids-are-numbers": func(b *behaviour) {
		b.output.id = func(_ string, number int) string { return strconv.Itoa(number) }
	},
	"output-with-pings": func(b *behaviour) {
		b.output.after = func(o *outputStream, number int) {
			if number == 1 {
				o.s.write([]byte("event: ping\nid: " + o.command + "-1\ndata: {\"session_id\":\"" + o.command + "\"}\n\n"))
			}
		}
	},
	"output-resumes-with-other-data": func(b *behaviour) {
		b.output.resumed = func(f *outputFrame) { f.data["content"] = "[replayed]" }
	},
	"output-resumes-with-nothing": func(b *behaviour) {
		b.output.resumes = func(seq int) int { return seq + 1000 }
	},
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
			if object, ok := v.(map[string]any); ok && p != nil && p.detail == "command is not the runner with a request file" {
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
	"adapter-without-the-runner": extensionEntry(uriAdapter, func(_ *instance, entry map[string]any) {
		entry["params"].(map[string]any)["adapters"] = []any{"shell"}
	}),
	"adapter-command-with-more-accepted": rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			object, _ := v.(map[string]any)
			if list, _ := object["command"].([]any); len(list) > 4 {
				object["command"] = list[:4]
			}
			return parseAdapter(v)
		}
	}),
	"adapter-request-may-be-absolute":  adapterTakesRequest(func(file string) bool { return strings.HasPrefix(file, "/") }),
	"adapter-request-may-go-upwards":   adapterTakesRequest(func(file string) bool { return strings.HasPrefix(file, adapterFolders[1]+"..") }),
	"adapter-request-may-end-upwards":  adapterTakesRequest(func(file string) bool { return file == adapterFolders[1]+".." }),
	"adapter-request-with-backslashes": adapterTakesRequest(func(file string) bool { return strings.Contains(file, `\`) }),
	"adapter-request-may-be-empty":     adapterTakesRequest(func(file string) bool { return file == "" }),
	"adapter-timeout-as-text-accepted": rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			object, _ := v.(map[string]any)
			if text, ok := object["timeout_seconds"].(string); ok {
				object["timeout_seconds"] = json.Number(text)
			}
			return parseAdapter(v)
		}
	}),
	"adapter-timeouts-of-900-refused": rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			c, p := parseAdapter(v)
			if p == nil && c.Seconds == 900 {
				return nil, noAdapter("timeout_seconds is not below 900")
			}
			return c, p
		}
	}),
	"adapter-timeouts-of-1-refused": rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			c, p := parseAdapter(v)
			if p == nil && c.Seconds == 1 {
				return nil, noAdapter("timeout_seconds is not above 1")
			}
			return c, p
		}
	}),
	"adapter-timeout-required": rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			c, p := parseAdapter(v)
			if object, _ := v.(map[string]any); p == nil && object["timeout_seconds"] == nil {
				return nil, noAdapter("timeout_seconds is missing")
			}
			return c, p
		}
	}),
	"refused-adapters-answered-without-a-task": func(b *behaviour) {
		answers := b.tasks.answer
		b.tasks.answer = func(c *call, operation string, a answer) answer {
			if operation == "send" && a.status == http.StatusUnprocessableEntity && strings.Contains(string(a.body), "adapter.refused") {
				return c.json(http.StatusOK, map[string]any{"accepted": false})
			}
			return answers(c, operation, a)
		}
	},
	"adapter-success-is-failed": func(b *behaviour) {
		b.tasks.steps = func(t task, state string) string {
			if t.Plan.Adapter != nil && state == completed {
				return failed
			}
			return state
		}
	},
	"adapter-failure-is-one-of-the-infrastructure": dresses(func(t *task) {
		if t.Plan.Adapter != nil && t.FailKind != "" {
			t.FailKind = "infrastructure"
		}
	}),
	"adapter-output-replaced": dresses(func(t *task) {
		if t.Plan.Adapter != nil && len(t.Artifacts) > 0 {
			t.Artifacts = nil
			t.addArtifact("stdout", "the adapter was run")
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
	"chats-resumed-at-their-end-repeat-the-last-frame": func(b *behaviour) {
		b.surfaces.before = func(c *call) (answer, bool) {
			session, last, _ := cutLast(c.r.Header.Get("Last-Event-ID"), "-")
			owner := c.e.instances.ownerOf(c.query().Get("command_id"))
			if !strings.HasSuffix(c.r.URL.Path, "/agent-output/chat") || owner == nil {
				return answer{}, false
			}
			t, _ := owner.getTask(c.query().Get("command_id"))
			if n, err := strconv.Atoi(last); err == nil && n == len(t.frames()) {
				c.r = c.r.Clone(c.r.Context())
				c.r.Header.Set("Last-Event-ID", session+"-"+strconv.Itoa(n-1))
			}
			return answer{}, false
		}
	},
	"extended-card-without-raw-output": extendedParams(uriOutput, func(_ *instance, p map[string]any) {
		p["events"] = outputEvents[:len(outputEvents)-1]
	}),
	"extended-card-without-assess": extendedParams(uriAdapter, func(_ *instance, p map[string]any) { p["modes"] = []any{"plan"} }),
	"output-resumes-with-another-end": func(b *behaviour) {
		b.output.resumed = func(f *outputFrame) {
			if f.name == "tool_result" {
				f.data["content"] = "[replayed]"
			}
		}
	},
	"output-sessions-are-empty": outputFrames(func(_ string, data map[string]any) { data["session_id"] = "" }),
	"output-of-another-command": outputFrames(func(_ string, data map[string]any) {
		if ref, is := data["raw_ref"].(map[string]any); is {
			ref["command_id"] = "another"
		}
	}),
	"adapter-commands-known-by-their-base-name": adapterMember("command", func(v any) any {
		list, _ := v.([]any)
		if len(list) == 0 {
			return v
		}
		list = slices.Clone(list)
		if program, is := list[0].(string); is {
			list[0] = path.Base(program)
		}
		return list
	}),
	"adapter-scripts-known-by-their-end": adapterMember("command", func(v any) any {
		list, _ := v.([]any)
		const script = ".aiwg/ops/adapters/sandbox-agent-runner/runner.mjs"
		if len(list) < 2 {
			return v
		}
		if given, is := list[1].(string); is && strings.HasSuffix(given, "/"+script) {
			list = slices.Clone(list)
			list[1] = script
		}
		return list
	}),
	"adapter-options-not-looked-at": adapterMember("command", func(v any) any {
		list, _ := v.([]any)
		if len(list) != 4 {
			return v
		}
		list = slices.Clone(list)
		list[2] = "--request"
		return list
	}),
	"adapter-timeouts-are-cut-to-integers": adapterMember("timeout_seconds", func(v any) any {
		n, is := v.(json.Number)
		if !is {
			return v
		}
		f, err := n.Float64()
		if err != nil {
			return v
		}
		return json.Number(strconv.Itoa(int(f)))
	}),
	"output-of-a-session-needs-no-command": func(b *behaviour) {
		b.output.needsCommand = false
		b.surfaces.before = func(c *call) (answer, bool) {
			q := c.query()
			if strings.HasSuffix(c.r.URL.Path, "/agent-output/chat") && q.Get("command_id") == "" && q.Get("session_id") == "" {
				return c.refuse(invalid("command_id", "is missing")), true
			}
			return answer{}, false
		}
	},
	"output-goes-on-without-a-command": func(b *behaviour) {
		b.output.needsCommand = false
		b.surfaces.before = func(c *call) (answer, bool) {
			if strings.HasSuffix(c.r.URL.Path, "/agent-output/chat") && c.query().Get("command_id") == "" && c.r.Header.Get("Last-Event-ID") == "" {
				return c.refuse(invalid("command_id", "is missing")), true
			}
			return answer{}, false
		}
	},
	"output-of-unknown-commands-hangs-from-the-beginning": func(b *behaviour) {
		was := b.output.unknown
		b.output.unknown = func(o *outputStream) {
			if !strings.HasSuffix(o.s.c.r.Header.Get("Last-Event-ID"), "-0") {
				was(o)
				return
			}
			o.s.write(o.s.comment("still here"))
			select {
			case <-o.s.c.r.Context().Done():
			case <-o.s.c.e.stopping.Done():
			}
		}
	},
	"streamed-adapter-envelopes-ignored": ofStreamedRequests(uriAdapter, func(message map[string]any) {
		if metadata, is := message["metadata"].(map[string]any); is {
			delete(metadata, uriAdapter)
		}
	}),
	"output-of-one-session-lacks-the-line": func(b *behaviour) {
		b.output.frame = func(o *outputStream, _ string, data map[string]any) {
			if o.s.c.r.URL.Query().Has("session_id") {
				delete(data, "raw_ref")
			}
		}
	},
	"output-of-one-session-breaks-off": func(b *behaviour) {
		b.output.after = func(o *outputStream, _ int) {
			if !o.s.c.r.URL.Query().Has("session_id") {
				return
			}
			if connection, _, err := http.NewResponseController(o.s.w).Hijack(); err == nil {
				_ = connection.Close()
			}
		}
	},
	"assessments-may-take-longer": rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			object, _ := v.(map[string]any)
			seconds, _ := object["timeout_seconds"].(json.Number)
			if n, err := seconds.Int64(); err != nil || n <= 900 || object["mode"] != "assess" {
				return parseAdapter(v)
			}
			object = maps.Clone(object)
			object["timeout_seconds"] = json.Number("900")
			return parseAdapter(object)
		}
	}),
	"assessments-run-any-command": assessmentsTake("sh", func(command []any) []any {
		return []any{"node", ".aiwg/ops/adapters/sandbox-agent-runner/runner.mjs", "--request", ".aiwg/ops/runs/conformance.json"}
	}),
	"assessments-read-any-file": assessmentsTake("node", func(command []any) []any {
		command = slices.Clone(command)
		command[len(command)-1] = ".aiwg/ops/runs/conformance.json"
		return command
	}),
}

// outputMember changes a member of every frame of one name; nil leaves it out.
func outputMember(frame, member string, value any) func(*behaviour) {
	return outputFrames(func(name string, data map[string]any) {
		if name != frame {
			return
		}
		if data[member] = value; value == nil {
			delete(data, member)
		}
	})
}

// outputInterface changes the interface of agent-output/v1 in the card.
func outputInterface(change func(entry map[string]any)) func(*behaviour) {
	return cardContent(func(_ *instance, card map[string]any) {
		for _, item := range interfaces(card) {
			if entry := item.(map[string]any); entry["extension"] == uriOutput {
				change(entry)
			}
		}
	})
}

func outputFrames(change func(name string, data map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		b.output.frame = func(_ *outputStream, name string, data map[string]any) { change(name, data) }
	}
}

// adapterTakesRequest runs the adapter on request files that it should refuse.
func adapterTakesRequest(file func(string) bool) func(*behaviour) {
	return rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			object, _ := v.(map[string]any)
			if list, _ := object["command"].([]any); len(list) == 4 {
				if request, ok := list[3].(string); ok && file(request) {
					return &adapterCommand{Mode: "plan", Request: ".aiwg/ops/runs/x.json"}, nil
				}
			}
			return parseAdapter(v)
		}
	})
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

// adapterMember changes a member of the envelope before it is looked at, where there is one.
func adapterMember(name string, as func(v any) any) func(*behaviour) {
	return rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			object, is := v.(map[string]any)
			member, given := object[name]
			if !is || !given {
				return parseAdapter(v)
			}
			object = maps.Clone(object)
			object[name] = as(member)
			return parseAdapter(object)
		}
	})
}

// cutLast cuts a text around the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// assessmentsTake has envelopes with mode assess run another command than the one they name, where that begins with a program.
func assessmentsTake(program string, as func(command []any) []any) func(*behaviour) {
	return rules(func(r *messageRules) {
		r.adapter = func(v any) (*adapterCommand, *problem) {
			object, _ := v.(map[string]any)
			command, _ := object["command"].([]any)
			if object["mode"] != "assess" || len(command) == 0 || command[0] != program {
				return parseAdapter(v)
			}
			object = maps.Clone(object)
			object["command"] = as(command)
			return parseAdapter(object)
		}
	})
}
