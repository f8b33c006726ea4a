// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// nearlyUsualFaults keep the specification for the usual request, and break it for one that differs from it in one respect.
var nearlyUsualFaults = map[string]func(*behaviour){
	"tasks-found-by-their-context": foundBy("GetTask", inContext),
	"tasks-found-by-their-message": foundBy("GetTask", func(t *task, id string) bool {
		return len(t.history) > 0 && t.history[0]["messageId"] == id
	}),
	"cancels-find-tasks-by-their-context":       foundBy("CancelTask", inContext),
	"messages-find-tasks-by-their-context":      foundBy("SendMessage", inContext),
	"subscriptions-find-tasks-by-their-context": foundBy("SubscribeToTask", inContext),

	"tasks-of-others-are-shown-with-their-history": func(b *behaviour) {
		b.security.owns = func(c *call, t *task) bool {
			return isOp(c, "GetTask") && c.params["historyLength"] != nil || conformantSecurity.owns(c, t)
		}
	},
	"answers-are-not-checked": func(b *behaviour) {
		b.input.tenant = func(c *call) *failure {
			if message, is := c.params["message"].(object); is && message["taskId"] != nil && isOp(c, "SendMessage") {
				c.params["message"] = checkedMessage(message)
			}
			return rightTenant(c)
		}
	},
	"roles-may-be-any-number": func(b *behaviour) {
		b.input.tenant = func(c *call) *failure {
			if message, is := c.params["message"].(object); is {
				if _, number := message["role"].(json.Number); number {
					message["role"] = "ROLE_USER"
				}
			}
			return rightTenant(c)
		}
	},
	"streams-to-busy-tasks-get-another": func(b *behaviour) {
		b.tasks.joins = func(c *call, t *task, _ object) bool { return interrupted(t.state) || !isOp(c, "SendStreamingMessage") }
	},
	"long-texts-are-decoded-in-pieces": func(b *behaviour) {
		const piece = 4096
		b.input.parse = func(text []byte) (any, *failure) {
			var whole []byte
			for len(text) > piece {
				whole = append(whole, bytes.ToValidUTF8(text[:piece], []byte("\uFFFD"))...)
				text = text[piece:]
			}
			return conformantInput.parse(append(whole, bytes.ToValidUTF8(text, []byte("\uFFFD"))...))
		}
	},
	"times-are-compared-as-texts": func(b *behaviour) {
		asked := map[query]string{} // as it was asked for; the lock is held
		b.list.reads = func(c *call) (query, *failure) {
			q, f := conformantList.reads(c)
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			asked[q], _ = c.params["statusTimestampAfter"].(string)
			return q, f
		}
		b.list.after = func(q query, t *task) bool {
			shown, _ := conformantOutput.stamp(t.changed).(string)
			return q.after.IsZero() || shown >= asked[q]
		}
	},
	"list-takes-times-that-there-are-not": func(b *behaviour) {
		form := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`)
		b.input.time = func(path, text string) (time.Time, *failure) {
			at, f := timestamp(path, text)
			if f != nil && form.MatchString(text) {
				return time.Time{}, nil
			}
			return at, f
		}
	},
	"results-that-nobody-waits-for-are-only-said": func(b *behaviour) {
		var unawaited sync.Map // by task
		b.tasks.id = func(c *call, message object) string {
			id := conformantTasks.id(c, message)
			if conf, _ := c.params["configuration"].(object); conf["returnImmediately"] == true && scenarioOf(textOf(message)) == "completed" {
				unawaited.Store(id, true)
			}
			return id
		}
		b.output.task = func(_ *call, t task, v object) {
			if _, found := unawaited.Load(t.id); found {
				onlySaid(t, v)
			}
		}
	},

	"rpc-broken-requests-are-answered-by-their-id": func(b *behaviour) {
		var ids sync.Map // of what is no JSON, by request
		read := regexp.MustCompile(`^\{"jsonrpc":"2.0","id":(\d+),`)
		b.http.before = func(s *Server, r *http.Request) (answer, bool) {
			if !conformantRPC.at(r.URL.Path) || r.Body == nil {
				return answer{}, false
			}
			text, err := io.ReadAll(io.LimitReader(r.Body, 1<<10))
			if found := read.FindSubmatch(text); err == nil && found != nil && strings.Count(string(text), "{") > strings.Count(string(text), "}") {
				ids.Store(r, json.RawMessage(found[1]))
			}
			r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(text), r.Body))
			return answer{}, false
		}
		b.rpc.response = func(c *call, v object) any {
			if id, found := ids.LoadAndDelete(c.r); found {
				if e, failed := v["error"].(object); failed && e["code"] == malformed.rpc {
					v["id"] = id
				}
			}
			return v
		}
	},
	"rpc-cancels-of-nothing-are-internal": func(b *behaviour) {
		b.rpc.code = func(c *call, f *failure) any {
			if f.kind == invalidParams && isOp(c, "CancelTask") {
				return internal.rpc
			}
			return conformantRPC.code(c, f)
		}
	},
	"version-read-from-the-first-parameter": func(b *behaviour) {
		b.versions.asked = func(c *call) string {
			if header := c.r.Header.Get("A2A-Version"); header != "" || !strings.HasPrefix(c.r.URL.RawQuery, "A2A-Version=") {
				return header
			}
			return conformantVersions.asked(c)
		}
	},
}

func inContext(t *task, id string) bool { return t.context == id }

// foundBy lets one operation find a task of the caller by something else than its id.
func foundBy(operation string, it func(t *task, id string) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.addressed = func(c *call, id string) (*task, *failure) {
			for _, t := range c.s.tasks {
				if isOp(c, operation) && t.owner == c.who.name && it(t, id) {
					return t, nil
				}
			}
			return conformantTasks.addressed(c, id)
		}
	}
}

// checkedMessage is a message whose required members are there, whatever was sent of them.
func checkedMessage(message object) object {
	mended := mendedMessage(clone(message).(object))
	for _, name := range []string{"messageId", "role", "parts"} {
		if list, is := message[name].([]any); message[name] == nil || is && len(list) == 0 {
			message[name] = mended[name]
		}
	}
	return message
}
