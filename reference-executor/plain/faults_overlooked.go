// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// overlookedFaults break one clause of what a requirement says: on one binding, of one kind of client, of the second of two.
var overlookedFaults = map[string]func(*behaviour){
	"unknown-tasks-with-a-history-length-are-a-server-error": func(b *behaviour) {
		b.tasks.missing = func(c *call, id string) *failure {
			if _, asked := member(c.params, "historyLength"); asked && isOp(c, "GetTask") {
				return fail(internal, "the history could not be read")
			}
			return conformantTasks.missing(c, id)
		}
	},
	"tasks-found-by-the-beginning-of-their-id": func(b *behaviour) {
		b.tasks.addressed = func(c *call, id string) (*task, *failure) {
			if len(id) >= 8 && isOp(c, "GetTask") {
				for known := range c.s.tasks {
					if strings.HasPrefix(known, id) {
						id = known
						break
					}
				}
			}
			return conformantTasks.addressed(c, id)
		}
	},
	"grpc-streams-of-unknown-tasks-are-unknown": func(b *behaviour) {
		b.grpc.code = func(c *call, f *failure) string {
			if f.kind == taskNotFound && c.op.needs == "streaming" {
				return "UNKNOWN"
			}
			return conformantGRPC.code(c, f)
		}
	},
	"rpc-unknown-method-without-params-is-invalid-params": func(b *behaviour) {
		b.rpc.code = func(c *call, f *failure) any {
			if f.kind == unknownMethod && c.params == nil {
				return invalidParams.rpc
			}
			return conformantRPC.code(c, f)
		}
	},
	"extended-card-with-a-url": func(b *behaviour) {
		b.card.shape = func(c *call, extended bool, card object) {
			if extended {
				card["url"] = c.s.public() + rpcPath
			}
		}
	},
	"push-credentials-are-always-bearer": func(b *behaviour) {
		b.push.header = func(p *pushConfig, h http.Header) {
			pushHeader(p, h)
			if p.scheme != "" {
				h.Set("Authorization", "Bearer "+p.credentials)
			}
		}
	},
	"second-cancel-is-noted-in-the-history": twice(func(c *call, t *task) *failure {
		t.history = append(slices.Clip(t.history), object{
			"messageId": c.s.b.tasks.message(), "role": "ROLE_AGENT", "taskId": t.id, "contextId": t.context,
			"parts": []any{object{"text": "Canceled."}},
		})
		return nil
	}),
	"two-contents-in-later-parts-accepted": func(b *behaviour) {
		b.input.content = func(path string, members []string) *failure {
			if len(members) > 1 && !strings.HasSuffix(path, "[0]") {
				return nil
			}
			return oneContent(path, members)
		}
	},
	"lists-of-all-contexts-show-the-whole-history": func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			q, f := c.readQuery()
			if q.context == "" {
				q.limit = -1
			}
			return q, f
		}
	},
	"histories-lose-media-types": keptParts(func(part object) { delete(part, "mediaType") }),
	"second-message-authorizes": func(b *behaviour) {
		told := map[string]int{} // by task; the lock is held
		b.agent.takes = func(s *Server, c *call, t *task) {
			if told[t.id]++; t.state == authRequired && told[t.id] > 1 {
				t.scenario = ""
				s.enter(t, working, "")
				s.begin(t, textOf(t.history[len(t.history)-1]), (*worker).run)
				return
			}
			conformantAgent.takes(s, c, t)
		}
	},
	"tokens-behind-two-spaces-refused": func(b *behaviour) {
		b.security.token = func(h http.Header) (string, bool) {
			_, rest, _ := strings.Cut(h.Get("Authorization"), " ")
			if strings.HasPrefix(rest, " ") {
				return "", false
			}
			return bearer(h)
		}
	},
	"versions-without-a-minor-are-the-current": func(b *behaviour) {
		b.versions.reduce = func(asked string) (string, bool) {
			if majorAlone.MatchString(asked) {
				return version10, true
			}
			return majorMinor(asked)
		}
	},
}

var majorAlone = regexp.MustCompile(`^[0-9]+$`)
