// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
)

// unusualRequestFaults keep the contract for what most ask for; they break it for the smallest number, another mode, another method or another
// route, for what is asked for very often, and once more has happened.
var unusualRequestFaults = map[string]func(*behaviour){
	"ended-operations-forget-their-end":    ofEndedOperations("completed_at"),
	"ended-operations-forget-their-result": ofEndedOperations("result"),
	"logs-of-one-are-two": adminAnswer("logs", func(c *call, a answer) answer {
		if a.stream != nil || c.query().Get("limit") != "1" {
			return a
		}
		return changesBody(func(v map[string]any) {
			items, _ := v["items"].([]any)
			v["items"] = append(items, items...)
		})(c, a)
	}),
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
	"every-tenth-health-probe-fails": func(b *behaviour) {
		var asked atomic.Int64
		instead(func(c *call) (answer, bool) {
			if c.r.URL.Path != "/healthz" || asked.Add(1)%10 != 0 {
				return answer{}, false
			}
			return c.json(http.StatusServiceUnavailable, map[string]any{"status": "alive"}), true
		})(b)
	},
	"every-tenth-card-is-unavailable-to-strangers": func(b *behaviour) {
		var asked atomic.Int64
		real := b.card.answer
		b.card.answer = func(c *call, a answer) answer {
			if c.r.Header.Get("Authorization") == "" && asked.Add(1)%10 == 0 {
				return c.refuse(refuse(http.StatusServiceUnavailable, "runtime.unavailable", "the card is being made"))
			}
			return real(c, a)
		}
	},
	"cards-count-the-tasks": cardContent(func(in *instance, card map[string]any) {
		card["description"] = fmt.Sprintf("A sandboxed agent that has had %v tasks.", in.e.metrics.tasks.read()[""])
	}),
	"admin-takes-posts-below-the-agents": rewrite(func(_ *Executor, method, p string) string {
		_, below, inside := strings.Cut(strings.TrimPrefix(p, "/agents/"), "/")
		if rest, is := strings.CutPrefix(below, "api/v2/admin/"); is && inside && method == http.MethodPost && strings.HasPrefix(p, "/agents/") {
			return "/api/v2/admin/" + rest
		}
		return p
	}),
	"one-instance-is-read-under-any-version": rewrite(func(_ *Executor, _, p string) string {
		if rest, is := strings.CutPrefix(p, "/api/v3/admin/instances/"); is {
			return "/api/v2/admin/instances/" + rest
		}
		return p
	}),
	"binary-attaches-ignore-the-instance": attachesIgnoreTheInstance(func(c *call) bool {
		return strings.Contains(c.r.Header.Get("Sec-WebSocket-Protocol"), "pty-ws.v1.binary")
	}),
	"later-labels-are-written-at-the-end": exposes(func(text []byte) []byte {
		const name = "aiwg_v1_path_requests_total{"
		var first, later []byte
		for line := range bytes.Lines(text) {
			if bytes.HasPrefix(line, []byte(name)) && bytes.Contains(first, []byte("\n"+name)) {
				later = append(later, line...)
				continue
			}
			first = append(first, line...)
		}
		return append(first, later...)
	}),
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

// ofEndedOperations leaves a member out of an operation that has ended, from when it has been shown once.
func ofEndedOperations(member string) func(*behaviour) {
	return func(b *behaviour) {
		var shown seen
		b.admin.shown = func(o operation, v map[string]any) {
			if !o.Completed.IsZero() && shown.before(o.ID) {
				delete(v, member)
			}
		}
	}
}
