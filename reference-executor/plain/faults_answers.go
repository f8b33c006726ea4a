// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
)

// answerFaults break whole answers and deliveries in a form of the request that few clients send.
var answerFaults = map[string]func(*behaviour){
	"messages-with-metadata-are-answered-with-nothing": nothingFor("SendMessage", func(c *call) bool { return c.params["metadata"] != nil }),
	"seven-messages-of-a-task-are-nothing":             nothingFor("GetTask", func(c *call) bool { return fmt.Sprint(c.params["historyLength"]) == "7" }),
	"cancels-with-metadata-are-answered-with-nothing":  nothingFor("CancelTask", func(c *call) bool { return c.params["metadata"] != nil }),
	"push-configs-with-a-token-are-answered-with-nothing": nothingFor("CreateTaskPushNotificationConfig", func(c *call) bool {
		return c.params["token"] != nil
	}),
	"later-extended-cards-are-nothing": func(b *behaviour) {
		var asked atomic.Int64
		nothingFor("GetExtendedAgentCard", func(*call) bool { return asked.Add(1) > 2 })(b)
	},
	"push-configs-with-a-token-have-no-id": creating(func(c *call, v object) {
		if c.params["token"] != nil {
			delete(v, "id")
		}
	}),
	"named-configs-are-answered-without-their-task": creating(func(c *call, v object) {
		if c.params["id"] != nil {
			delete(v, "taskId")
		}
	}),
	"second-configs-are-read-without-a-url": func(b *behaviour) {
		var named sync.Map
		creating(func(c *call, _ object) {
			if id, is := c.params["id"].(string); is {
				named.Store(id, true)
			}
		})(b)
		b.push.got = func(c *call, p *pushConfig, v object) any {
			if _, second := named.Load(p.id); second {
				delete(v, "url")
			}
			return conformantPush.got(c, p, v)
		}
	},
	"pages-of-configs-are-without-their-urls": func(b *behaviour) {
		b.output.configs = func(c *call, v object) any {
			configs, _ := v["configs"].([]any)
			for _, config := range configs {
				if c.params["pageSize"] != nil {
					delete(config.(object), "url")
				}
			}
			return conformantOutput.configs(c, v)
		}
	},
	"pages-of-no-configs-are-null": func(b *behaviour) {
		b.output.configs = func(c *call, v object) any {
			if configs, _ := v["configs"].([]any); len(configs) == 0 && c.params["pageSize"] != nil {
				return object{"configs": nil}
			}
			return conformantOutput.configs(c, v)
		}
	},
	"second-deletions-of-a-task-answer-the-config": func(b *behaviour) {
		var before sync.Map // tasks
		b.push.deleted = func(c *call, found bool) (outcome, *failure) {
			if _, again := before.LoadOrStore(c.params["taskId"], true); again {
				return outcome{result: object{"id": c.params["id"], "taskId": c.params["taskId"]}, status: http.StatusOK}, nil
			}
			return conformantPush.deleted(c, found)
		}
	},
	"push-to-hooks-with-a-token-by-put": func(b *behaviour) {
		b.push.method = func(p *pushConfig) string {
			if p.token != "" {
				return http.MethodPut
			}
			return conformantPush.method(p)
		}
	},
	"push-to-hooks-with-a-token-as-plain-text": func(b *behaviour) {
		b.push.header = func(p *pushConfig, h http.Header) {
			conformantPush.header(p, h)
			if p.token != "" {
				h.Set("Content-Type", "text/plain")
			}
		}
	},
	"push-to-hooks-with-a-token-tells-no-context": posting(func(c *call, p *pushConfig, ev event) any {
		v := c.render().event(ev)
		for _, kind := range []string{"statusUpdate", "artifactUpdate"} {
			if update, is := v[kind].(object); is && p.token != "" {
				delete(update, "contextId")
			}
		}
		return v
	}),
	"streams-in-a-named-context-stay-open": namedStreams(func(ev event) bool { return false }),
	"streams-in-a-named-context-end-while-the-task-works": namedStreams(func(ev event) bool {
		return ev.task.state == working || terminal(ev.task.state)
	}),
	"streams-to-unknown-tasks-are-refused-with-nothing": refusedStreams(func(a *answer) { a.body = nil }),
	"streams-to-unknown-tasks-are-refused-without-details": func(b *behaviour) {
		b.errors.envelope = func(c *call, f *failure, e object) any {
			if f.kind == taskNotFound && isOp(c, "SendStreamingMessage") && c.binding == BindingREST {
				delete(e, "details")
			}
			return conformantErrors.envelope(c, f, e)
		}
	},
	"artifacts-are-named-7": func(b *behaviour) {
		b.output.artifact = func(_ *call, v object) { v["name"] = 7 }
	},
	"agent-messages-refer-to-a-text": func(b *behaviour) {
		b.output.message = func(_ *call, v object) {
			if v["role"] == "ROLE_AGENT" {
				v["referenceTaskIds"] = "none"
			}
		}
	},
	"later-pages-run-backwards": func(b *behaviour) {
		b.list.answer = func(c *call, _ query, v object) object {
			if token, _ := c.params["pageToken"].(string); token != "" {
				slices.Reverse(v["tasks"].([]any))
			}
			return v
		}
	},
	"lists-with-artifacts-say-another-page-size": richLists(func(_ *call, _ query, v object) {
		if size, is := v["pageSize"].(int); is {
			v["pageSize"] = size + 7
		}
	}),
	"lists-without-history-leave-artifacts-out": richLists(func(_ *call, q query, v object) {
		for _, t := range v["tasks"].([]any) {
			if q.limit == 0 {
				delete(t.(object), "artifacts")
			}
		}
	}),
}

// nothingFor answers nothing where some calls of an operation went well: an empty body, and over JSON-RPC a null.
func nothingFor(operation string, some func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.rest.answer = func(c *call, a answer) answer {
			if isOp(c, operation) && a.status < http.StatusBadRequest && some(c) {
				a.body = nil
			}
			return conformantREST.answer(c, a)
		}
		b.rpc.result = func(c *call, result any) any {
			if isOp(c, operation) && some(c) {
				return nil
			}
			return conformantRPC.result(c, result)
		}
	}
}

// namedStreams says when streams end whose message names a context.
func namedStreams(ends func(ev event) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.stream.ends = func(st *eventStream, ev event) bool {
			if message, is := st.c.params["message"].(object); is && message["contextId"] != nil && isOp(st.c, "SendStreamingMessage") {
				return ends(ev)
			}
			return conformantStream.ends(st, ev)
		}
	}
}

// refusedStreams changes the refusals of streamed messages to tasks that there are not.
func refusedStreams(change func(a *answer)) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if f.kind == taskNotFound && isOp(c, "SendStreamingMessage") && c.binding == BindingREST {
				change(&a)
			}
			return a
		}
	}
}

// creating changes the answers to the creation of push configurations.
func creating(change func(c *call, v object)) func(*behaviour) {
	return func(b *behaviour) {
		b.push.created = func(c *call, p *pushConfig, v object) any {
			change(c, v)
			return conformantPush.created(c, p, v)
		}
	}
}
