// SPDX-License-Identifier: Apache-2.0

package undo

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// What a row has registered must not be delivered to once the row is over: an executor may deliver from one queue, and try
// each webhook that does not take a delivery again for minutes. So every push configuration is deleted before its task is
// cancelled, also one whose creation was refused, was not answered, or was answered without an id: a target that has kept
// it all the same shows it in the list of the task.

// configs is the end of the path that creates a push configuration.
const configs = "/pushNotificationConfigs"

// A listing is a list of push configurations that is looked at when a row is over.
type listing struct {
	list   *target.Request
	read   func(x *target.Exchange) any              // the configurations in its answer; Missing: it holds none
	remove func(id string) (string, *target.Request) // how to delete one, and the name under which it is noted
}

// noteConfig notes a push configuration that an answer names, and drops one that the test itself has deleted. Status is 0
// where nothing was answered.
func (c *Created) noteConfig(q *target.Request, status int, body []byte) {
	path := target.SentPath(q.URL)
	if !strings.Contains(path, configs) || !c.target.IsTarget(q.URL) {
		return
	}
	succeeded := status >= 200 && status <= 299
	switch {
	case q.Method == http.MethodDelete && succeeded:
		c.addConfig(path, nil)
	case q.Method == http.MethodPost && strings.HasSuffix(path, configs):
		remove := func(id string) (string, *target.Request) {
			path := path + "/" + url.PathEscape(id)
			return path, c.target.AsOf(q, http.MethodDelete, path)
		}
		if id, _ := readers.Member(jsontext.Parse(body), "id").(string); id != "" && succeeded {
			c.addConfig(remove(id))
			return
		}
		c.addList(path, &listing{list: c.target.AsOf(q, http.MethodGet, path), remove: remove,
			read: func(x *target.Exchange) any { return readers.Configs(jsontext.Parse(x.Body)) }})
	}
}

// noteCalledConfig is noteConfig for the operations of a plain A2A server.
func (c *Created) noteCalledConfig(call *target.Call, q *target.Request, processed bool, result any) {
	task := readers.MemberText(call.Params, "taskId")
	switch {
	case task == "":
	case call.Operation == "DeleteTaskPushNotificationConfig" && processed:
		c.addConfig(task+"/"+readers.MemberText(call.Params, "id"), nil)
	case call.Operation == "CreateTaskPushNotificationConfig":
		if id := readers.MemberText(result, "id"); id != "" && processed {
			c.addConfig(c.removing(call, q, task, id))
			return
		}
		c.addListOf(call, q, task)
	}
}

// noteSentConfig notes that a message has brought a configuration for its task, which no answer names: it stands in the list of the
// task, also once that has ended. id is the task of the answer; empty: it names none, and the message may.
func (c *Created) noteSentConfig(call *target.Call, q *target.Request, id string) {
	if task := cmp.Or(id, readers.MemberText(readers.Member(call.Params, "message"), "taskId")); task != "" && q.StartsTask() {
		if _, sent := readers.Member(readers.Member(call.Params, "configuration"), "taskPushNotificationConfig").(map[string]any); sent {
			c.addListOf(call, q, task)
		}
	}
}

// removing is how to delete a configuration of a task of a plain A2A server, and the name under which that is noted.
func (c *Created) removing(call *target.Call, q *target.Request, task, id string) (string, *target.Request) {
	return task + "/" + id, c.undoing(q, &target.Call{Operation: "DeleteTaskPushNotificationConfig", At: call.At, Given: true,
		Params: map[string]any{"taskId": task, "id": id}})
}

// addListOf notes the list of a task of a plain A2A server.
func (c *Created) addListOf(call *target.Call, q *target.Request, task string) {
	list := c.undoing(q, &target.Call{Operation: "ListTaskPushNotificationConfigs", At: call.At, Given: true, Params: map[string]any{"taskId": task}})
	if list == nil {
		return
	}
	c.addList(task+" of "+q.Identity, &listing{list: list,
		remove: func(id string) (string, *target.Request) { return c.removing(call, q, task, id) },
		read: func(x *target.Exchange) any {
			return readers.Configs(target.ResultOf(list.Call, x.Status, jsontext.Parse(x.Body)))
		}})
}

// addConfig notes a push configuration and how to delete it; nil: it is gone.
func (c *Created) addConfig(name string, undo *target.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if undo == nil {
		delete(c.configs, name)
		return
	}
	if c.configs == nil {
		c.configs = map[string]*target.Request{}
	}
	if len(c.configs) < maxCancelled {
		c.configs[name] = undo
	}
}

// addList notes a list in which a configuration may stand that the row has registered.
func (c *Created) addList(name string, l *listing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lists == nil {
		c.lists = map[string]*listing{}
	}
	if len(c.lists) < maxCancelled {
		c.lists[name] = l
	}
}

// DeleteConfigs deletes what push configurations the row has registered, and says whether all are gone: then the executor owes the
// receivers of the row nothing any more.
func (c *Created) DeleteConfigs() (gone bool) {
	c.mu.Lock()
	lists := c.lists
	c.lists = nil
	c.mu.Unlock()
	gone = true
	for _, l := range lists {
		gone = c.lookInto(l) && gone
	}
	c.mu.Lock()
	configs := c.configs
	c.configs = nil
	c.mu.Unlock()
	return c.cleanUp(configs) && gone
}

// lookInto notes the configurations of a list, to be deleted with the others, and says whether it is known which there are.
func (c *Created) lookInto(l *listing) bool {
	ctx, cancel := c.bounds.Undoing(target.CancelTime + time.Second)
	defer cancel()
	x := c.target.Patiently(ctx, l.list)
	if x.Status != http.StatusOK {
		return x.Status == http.StatusNotFound || x.Status == http.StatusGone
	}
	found, _ := l.read(x).([]any)
	for _, config := range found {
		if id := readers.MemberText(config, "id"); id != "" {
			c.addConfig(l.remove(id))
		}
	}
	return true
}
