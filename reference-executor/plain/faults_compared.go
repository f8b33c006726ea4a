// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"
)

// comparedFaults break what only shows when one answer is held against another, or against what it was asked for: in a form
// of the request that few clients send.
var comparedFaults = map[string]func(*behaviour){
	"lists-with-artifacts-run-backwards":    richLists(func(_ *call, _ query, v object) { slices.Reverse(v["tasks"].([]any)) }),
	"lists-with-artifacts-repeat-a-task":    richLists(func(_ *call, _ query, v object) { v["tasks"] = repeated(v["tasks"].([]any)) }),
	"lists-with-artifacts-count-too-little": richLists(func(_ *call, _ query, v object) { v["totalSize"] = len(v["tasks"].([]any)) / 2 }),
	"lists-with-artifacts-ignore-the-context": func(b *behaviour) {
		b.list.context = func(q query, t *task) bool { return q.artifacts || conformantList.context(q, t) }
	},
	"lists-with-artifacts-ignore-the-status": func(b *behaviour) {
		b.list.state = func(q query, t *task) bool { return q.artifacts || conformantList.state(q, t) }
	},
	"lists-with-artifacts-ignore-the-time": func(b *behaviour) {
		b.list.after = func(q query, t *task) bool { return q.artifacts || conformantList.after(q, t) }
	},
	"later-pages-ignore-their-size": func(b *behaviour) {
		b.list.page = func(q query, list []task, from position) ([]task, bool) {
			if from.id != "" {
				q.pageSize = 100
			}
			return pageFrom(q, list, from)
		}
	},
	"lists-of-a-state-bring-artifacts": func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			q, f := c.readQuery()
			q.artifacts = q.artifacts || q.state != ""
			return q, f
		}
	},
	"lists-with-artifacts-bring-the-whole-history": func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			q, f := c.readQuery()
			if q.artifacts {
				q.limit = -1
			}
			return q, f
		}
	},
	"lists-with-artifacts-show-done-work-as-failed": richTasks(func(v object) {
		if status := v["status"].(object); status["state"] == completed {
			status["state"] = failed
		}
	}),
	"lists-with-artifacts-show-done-work-as-going-on": richTasks(func(v object) {
		if status := v["status"].(object); status["state"] == completed {
			status["state"] = working
		}
	}),
	"lists-misquote-the-agent": listedHistory(func(message object) any {
		if message["role"] == "ROLE_AGENT" {
			message["parts"] = []any{object{"text": "nothing of the kind"}}
		}
		return message
	}),
	"lists-show-canceled-tasks-at-work": listedTask(func(t task, v object) object {
		if t.state == canceled {
			v["status"].(object)["state"] = working
		}
		return v
	}),
	"lists-show-another-context": listedTask(func(_ task, v object) object { v["contextId"] = "another"; return v }),
	"lists-leave-contexts-out":   listedTask(func(_ task, v object) object { delete(v, "contextId"); return v }),
	"two-messages-are-the-whole-history": func(b *behaviour) {
		b.tasks.recent = func(c *call, history []object, n int) []object {
			if n == 2 && isOp(c, "GetTask") {
				n = -1
			}
			return conformantTasks.recent(c, history, n)
		}
	},
	"new-tasks-ignore-the-length-of-their-history": func(b *behaviour) {
		b.tasks.recent = func(c *call, history []object, n int) []object {
			if message, is := c.params["message"].(object); is && message["taskId"] == nil && isOp(c, "SendMessage") {
				n = -1
			}
			return conformantTasks.recent(c, history, n)
		}
	},
	"no-history-of-open-tasks-is-a-message": func(b *behaviour) {
		b.tasks.shown = func(c *call, operation string, v object) object {
			state, _ := v["status"].(object)["state"].(string)
			if n, asked := c.params["historyLength"]; asked && fmt.Sprint(n) == "0" && operation == "GetTask" && !terminal(state) {
				v["history"] = []any{object{"messageId": uuid.NewString(), "role": "ROLE_AGENT", "parts": []any{object{"text": "soon"}}}}
			}
			return v
		}
	},
	"gets-with-a-history-answer-another-task": withHistory(func(v object) { v["id"] = "another" }),
	"gets-with-a-history-cut-artifacts":       withHistory(halveArtifacts),
	"lists-show-half-of-artifacts-that-nobody-has-read": func(b *behaviour) {
		var read sync.Map // by id
		b.output.task = func(c *call, t task, v object) {
			if isOp(c, "GetTask") {
				read.Store(t.id, true)
			}
		}
		b.output.listed = func(_ *call, t task, v object) object {
			if _, known := read.Load(t.id); !known {
				halveArtifacts(v)
			}
			return v
		}
	},
	"sends-with-a-history-tell-another-end": sentWithHistory(func(t task) task {
		if t.state == completed {
			t.state = failed
		}
		return t
	}),
	"sends-with-a-history-tell-drafts": sentWithHistory(func(t task) task {
		t.artifacts = slices.Clone(t.artifacts)
		for i := range t.artifacts {
			t.artifacts[i].parts = []object{{"text": "A draft."}}
		}
		return t
	}),
	"artifact-follows-the-end-of-subscriptions": func(b *behaviour) {
		b.stream.passes = func(st *eventStream, ev event) []event {
			if ev.kind != "statusUpdate" || !terminal(ev.task.state) || !subscribes(st.c) {
				return []event{ev}
			}
			return []event{ev, {kind: "artifactUpdate", chunk: artifact{id: "late", parts: []object{{"text": "That was forgotten."}}}, task: ev.task}}
		}
	},
	"subscriptions-bring-steps-behind-their-chunks": func(b *behaviour) {
		var waiting sync.Map // a step, by its stream
		b.stream.passes = func(st *eventStream, ev event) []event {
			switch held, waits := waiting.LoadAndDelete(st); {
			case waits && ev.kind == "artifactUpdate":
				return []event{ev, held.(event)}
			case waits:
				return []event{held.(event), ev}
			case subscribes(st.c) && ev.kind == "statusUpdate" && ev.task.state == working:
				waiting.Store(st, ev)
				return nil
			}
			return []event{ev}
		}
	},
	"second-subscriptions-start-with-the-next-update": secondSubscriptions(func(task) []event { return nil }),
	"second-subscriptions-start-with-another-task": secondSubscriptions(func(t task) []event {
		t.id = uuid.NewString()
		return []event{{kind: "task", task: t}}
	}),
	"subscriptions-bring-chunks-of-another-artifact": itemsOfSubscriptions("artifactUpdate", func(update object) {
		update["artifact"].(object)["artifactId"] = "another"
	}),
	"push-posts-another-artifact": postingUpdate(func(v object) {
		if artifact, is := v["artifact"].(object); is {
			artifact["artifactId"] = "another"
		}
	}),
	"push-posts-append-as-text": postingUpdate(func(v object) {
		if v["append"] == true {
			v["append"] = "true"
		}
	}),
	"push-posts-another-context": postingUpdate(func(v object) { v["contextId"] = "another" }),
	"named-configs-answer-another-url": func(b *behaviour) {
		b.push.created = func(c *call, p *pushConfig, v object) any {
			if c.params["id"] != nil {
				v["url"] = "https://another.example/"
			}
			return conformantPush.created(c, p, v)
		}
	},
	"second-configs-are-read-with-a-short-url": func(b *behaviour) {
		var named sync.Map
		b.push.created = func(c *call, p *pushConfig, v object) any {
			if id, is := c.params["id"].(string); is {
				named.Store(id, true)
			}
			return conformantPush.created(c, p, v)
		}
		b.push.got = func(c *call, p *pushConfig, v object) any {
			id, _ := v["id"].(string)
			url, is := v["url"].(string)
			if _, second := named.Load(id); second && is {
				v["url"] = url[:len(url)/2]
			}
			return conformantPush.got(c, p, v)
		}
	},
	"pages-of-configs-have-short-urls": func(b *behaviour) {
		b.output.configs = func(c *call, v object) any {
			configs, _ := v["configs"].([]any)
			for _, config := range configs {
				if url, is := config.(object)["url"].(string); is && c.params["pageSize"] != nil {
					config.(object)["url"] = url[:len(url)/2]
				}
			}
			return conformantOutput.configs(c, v)
		}
	},
	"pages-of-configs-name-another-task": func(b *behaviour) {
		b.output.configs = func(c *call, v object) any {
			configs, _ := v["configs"].([]any)
			for _, config := range configs {
				if _, asked := c.params["pageSize"]; asked {
					config.(object)["taskId"] = "another"
				}
			}
			return conformantOutput.configs(c, v)
		}
	},
}

// secondSubscriptions changes what a subscription begins with, but the first one of each task.
func secondSubscriptions(begins func(t task) []event) func(*behaviour) {
	return func(b *behaviour) {
		known := map[string]bool{}
		b.stream.begins = func(c *call, t task) []event { // the lock is held by those who subscribe
			if !subscribes(c) || !known[t.id] {
				if subscribes(c) {
					known[t.id] = true
				}
				return conformantStream.begins(c, t)
			}
			return begins(t)
		}
	}
}

// richLists changes what is listed where artifacts are asked for.
func richLists(change func(c *call, q query, v object)) func(*behaviour) {
	return func(b *behaviour) {
		b.list.answer = func(c *call, q query, v object) object {
			if q.artifacts {
				change(c, q, v)
			}
			return v
		}
	}
}

// richTasks changes the tasks of such a list.
func richTasks(change func(v object)) func(*behaviour) {
	return richLists(func(_ *call, _ query, v object) {
		for _, t := range v["tasks"].([]any) {
			change(t.(object))
		}
	})
}

// sentWithHistory changes the task that answers a message, where the message says how much of the history is wanted.
func sentWithHistory(change func(t task) task) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.sent = func(c *call, t task) task {
			configuration, _ := c.params["configuration"].(object)
			if _, asked := configuration["historyLength"]; !asked || !terminal(t.state) {
				return t
			}
			return change(t)
		}
	}
}

// withHistory changes the answer to GetTask where some of the history is asked for.
func withHistory(change func(v object)) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.shown = func(c *call, operation string, v object) object {
			if _, asked := c.params["historyLength"]; asked && operation == "GetTask" {
				change(v)
			}
			return v
		}
	}
}

func repeated(list []any) []any {
	if len(list) == 0 {
		return list
	}
	return append(slices.Clone(list), list[0])
}

// halveArtifacts cuts the texts in the artifacts of a task.
func halveArtifacts(v object) {
	artifacts, _ := v["artifacts"].([]any)
	for _, artifact := range artifacts {
		for _, part := range artifact.(object)["parts"].([]any) {
			if text, has := part.(object)["text"].(string); has && text != "" {
				part.(object)["text"] = text[:len(text)/2]
			}
		}
	}
}
