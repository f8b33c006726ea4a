// SPDX-License-Identifier: Apache-2.0

package sights

import (
	"net/http"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A showing is where a task of the instance under test was seen first, or seen first with a context.
type showing struct {
	context       string
	known         time.Time
	test, request string
}

// namesake returns where the task was seen that had the id of one that a message has begun, and forgets what is known of that task;
// missing where there was none. A message that names no task, and is answered with a task in the message's own context, has begun it;
// whoever was seen with the same id before, in another context, is another one.
func (c *courses) namesake(from, id string, shown map[string]any, known time.Time, x *observe.Exchange) any {
	context, _ := shown["contextId"].(string)
	if id == "" || context == "" || !c.viewer.Place.Below(x.URL) {
		return assertions.Missing
	}
	first := c.firstShown(id, showing{context, known, x.Test, x.Method + " " + x.URL})
	begins := from == "send" || from == "event" && x.Method == http.MethodPost
	if !begins || first.context == context || !first.known.Before(x.Began) {
		return assertions.Missing
	}
	message := readers.Member(jsontext.Parse(x.Request.Body), "message")
	if task := readers.Member(message, "taskId"); !assertions.IsMissing(task) && task != nil && task != "" || readers.Member(message, "contextId") != context {
		return assertions.Missing
	}
	c.forget(x.URL, id)
	c.firstShown(id, showing{context, known, x.Test, x.Method + " " + x.URL})
	return map[string]any{"test": first.test, "request": first.request}
}

// firstShown remembers where a task was seen first, and returns it.
func (c *courses) firstShown(id string, now showing) showing {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shown == nil {
		c.shown = map[string]showing{}
	}
	first, known := c.shown[id]
	if !known {
		first = now
		if len(c.shown) < maxCourses {
			c.shown[id] = now
		}
	}
	return first
}

// forget forgets what is known of a task.
func (c *courses) forget(address, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.shown, id)
	delete(c.of, target.Origin(address)+" "+id)
	delete(c.ended, everywhere(address, id))
	delete(c.ends, everywhere(address, id))
}
