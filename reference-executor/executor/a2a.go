// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// longestBlock is how long messages:send waits for a task to end when it is asked to.
const longestBlock = time.Minute

// a2aRoutes are the routes of one instance. Each is served with and without the /v1 segment; the well-known ones
// without only.
func (e *Executor) a2aRoutes(r *router) {
	const base = "agents/{iid}"
	r.open("GET", base+"/.well-known/agent-card.json", surfaceA2A, agentCard)
	r.open("GET", base+"/.well-known/jwks.json", surfaceA2A, instanceKeys)
	r.open("GET", ".well-known/jwks.json", surfaceNone, allKeys)
	if e.config.JSONRPC {
		r.on("POST", base+"/rpc", surfaceA2A, jsonRPC)
	}
	for _, api := range []string{base + "/v1", base} {
		on := func(method, path, operation string, h handler) {
			r.on(method, api+path, surfaceA2A, func(c *call) answer { return c.e.b.tasks.answer(c, operation, h(c)) })
		}
		on("POST", "/messages:send", "send", sendMessage)
		on("POST", "/messages:stream", "stream", streamMessage)
		on("GET", "/tasks", "list", listTasks)
		on("GET", "/tasks/{tid}", "get", getTask)
		on("POST", "/tasks/{tid}/cancel", "cancel", cancelOperation)
		on("GET", "/tasks/{tid}/subscribe", "subscribe", subscribe)
		on("GET", "/extendedAgentCard", "extended-card", func(c *call) answer { return c.e.b.tasks.extended(c) })
		on("GET", "/tasks/{tid}/artifacts", "artifacts", listArtifacts)
		on("GET", "/tasks/{tid}/artifacts/{aid}", "artifact", getArtifact)
		on("POST", "/tasks/{tid}/pushNotificationConfigs", "push-create", createPush)
		on("GET", "/tasks/{tid}/pushNotificationConfigs", "push-list", listPush)
		on("GET", "/tasks/{tid}/pushNotificationConfigs/{cid}", "push-get", getPush)
		on("DELETE", "/tasks/{tid}/pushNotificationConfigs/{cid}", "push-delete", deletePush)
	}
}

// A sending is the body of messages:send and messages:stream.
type sending struct {
	body     map[string]any
	message  map[string]any
	blocking bool
	history  int // most messages of the history in the answer; negative: all
}

// readSending looks at everything around the message, not yet at the message itself.
func readSending(body map[string]any) (sending, *problem) {
	s := sending{body: body, history: -1}
	var ok bool
	if s.message, ok = body["message"].(map[string]any); !ok {
		return s, invalid("message", "is not an object")
	}
	if metadata, given := body["metadata"]; given {
		if _, ok := metadata.(map[string]any); !ok {
			return s, invalid("metadata", "is not an object")
		}
	}
	value, given := body["configuration"]
	if !given {
		return s, nil
	}
	configuration, ok := value.(map[string]any)
	if !ok {
		return s, invalid("configuration", "is not an object")
	}
	if v, given := configuration["blocking"]; given {
		if s.blocking, ok = v.(bool); !ok {
			return s, invalid("configuration.blocking", "is not true or false")
		}
	}
	if !isTexts(configuration["acceptedOutputModes"]) {
		return s, invalid("configuration.acceptedOutputModes", "is not a list of strings")
	}
	if v, given := configuration["historyLength"]; given {
		if s.history, ok = number(v); !ok || s.history < 0 {
			return s, invalid("configuration.historyLength", "is not a number from 0")
		}
	}
	return s, nil
}

// sendMessage starts or continues a task and answers with it.
func sendMessage(c *call) answer {
	return c.once("messages:send", func(s sending) (answer, string) {
		t, p := c.accept(s, false)
		if p != nil {
			return c.refuse(p), ""
		}
		if c.e.b.tasks.blocks(t, s.blocking) {
			t = c.wait(t)
		}
		return c.sent(t, s.history), t.ID
	})
}

// accept hands the message of a request to the instance.
func (c *call) accept(s sending, streamed bool) (task, *problem) {
	m, p := c.e.b.tasks.parse(s.message)
	if p != nil {
		c.e.b.tasks.refused(c, s)
		return task{}, p
	}
	return c.in.sendMessage(m, sendOptions{
		Active: c.active, Body: s.body, Streamed: streamed,
	})
}

// sent answers with a task that has taken a message.
func (c *call) sent(t task, history int) answer {
	a := c.json(c.e.b.tasks.sentStatus(c), t.seenBy(c.e.b.tasks.views("send", c.active)).render(history))
	if location := c.e.b.tasks.location(c.in, t); location != "" {
		a.header.Set("Location", location)
	}
	return a
}

// wait waits until the task has ended or waits for the client itself.
func (c *call) wait(t task) task {
	snapshot, updates, stop, found := c.in.watchTask(t.ID)
	if !found {
		return t
	}
	defer stop()
	limit, cancel := context.WithTimeout(c.r.Context(), longestBlock)
	defer cancel()
	for t = snapshot; !t.terminal() && !interrupted(t.State); {
		select {
		case now, more := <-updates:
			if !more {
				return t
			}
			t = now
		case <-limit.Done():
			return t
		case <-c.e.stopping.Done():
			return t
		}
	}
	return t
}

// streamMessage starts or continues a task and streams it.
func streamMessage(c *call) answer {
	a := c.once("messages:stream", func(s sending) (answer, string) {
		t, p := c.accept(s, true)
		if p != nil {
			return c.refuse(p), ""
		}
		return c.sent(t, s.history), t.ID
	})
	return c.e.b.sse.start(c, a)
}

// stream turns the answer that messages:send would have given into the stream of its task.
func (c *call) stream(id string) answer {
	t, updates, stop, found := c.in.watchTask(id)
	if !found {
		return c.refuse(noSuchTask())
	}
	c.streamed = t
	return c.follow(t, updates, stop)
}

func listTasks(c *call) answer {
	q, p := c.e.b.list.readQuery(c.query())
	if p != nil {
		return c.refuse(p)
	}
	q.Active = c.e.b.tasks.views("list", c.active)
	tasks, next, p := c.in.listTasks(q)
	if p != nil {
		return c.refuse(p)
	}
	list := make([]any, len(tasks))
	for i, t := range tasks {
		list[i] = t.render(0)
	}
	v := map[string]any{"tasks": list}
	if next != "" {
		v["next_cursor"] = next
	}
	c.e.b.list.shown(v)
	return c.json(http.StatusOK, v)
}

// query reads the parameters of the URL; those that cannot be read are taken as they stand.
func (c *call) query() url.Values {
	values, _ := url.ParseQuery(c.r.URL.RawQuery)
	return values
}

func getTask(c *call) answer {
	t, found := c.in.getTask(c.vars["tid"])
	if !found {
		return c.e.b.tasks.notFound(c, "get")
	}
	history := -1
	if text := c.query().Get("historyLength"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return c.refuse(invalid("historyLength", "is not a number from 0"))
		}
		history = n
	}
	return c.json(http.StatusOK, t.seenBy(c.e.b.tasks.views("get", c.active)).render(history))
}

func cancelOperation(c *call) answer {
	if body, p := c.read(); p != nil {
		return c.refuse(p)
	} else if len(body) > 0 {
		if _, p := c.e.b.errors.parse(body); p != nil {
			return c.refuse(p)
		}
	}
	t, p := c.e.b.tasks.cancels(c, c.vars["tid"])
	if p != nil {
		if p.code == "task.not_found" {
			return c.e.b.tasks.notFound(c, "cancel")
		}
		return c.refuse(p)
	}
	return c.json(http.StatusOK, t.seenBy(c.active).render(-1))
}

func listArtifacts(c *call) answer {
	t, found := c.in.getTask(c.vars["tid"])
	if !found {
		return c.e.b.tasks.notFound(c, "artifacts")
	}
	if p := c.in.artifactReads.take(c.e.config.ArtifactReads, time.Now()); p != nil {
		return c.refuse(p)
	}
	list := make([]any, len(t.Artifacts))
	for i, a := range t.Artifacts {
		list[i] = map[string]any{
			"artifact_id": a.ID, "task_id": t.ID, "created_at": stamp(a.Created), "artifact": a.chunk(i),
		}
	}
	return c.json(http.StatusOK, map[string]any{"task_id": t.ID, "artifacts": list})
}

func getArtifact(c *call) answer {
	t, found := c.in.getTask(c.vars["tid"])
	if !found {
		return c.e.b.tasks.notFound(c, "artifact")
	}
	for i, a := range t.Artifacts {
		if a.ID == c.vars["aid"] {
			return c.json(http.StatusOK, a.chunk(i))
		}
	}
	return c.refuse(refuse(http.StatusNotFound, "artifact.not_found", "the task has no artifact of that id"))
}

// chunk is the artifact as a piece of output.
func (a artifact) chunk(seq int) map[string]any {
	return map[string]any{"kind": "output_chunk", "stream": a.Stream, "data": a.Text, "seq": seq}
}
