// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// outputCornerFaults keep the contract for the usual command and its output, and break it for another.
var outputCornerFaults = map[string]func(*behaviour){
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
