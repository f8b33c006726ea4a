// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// What a row has registered must not be delivered to once the row is over: an executor may deliver from one queue, and try
// each webhook that does not take a delivery again for minutes. So every push configuration is deleted before its task is
// cancelled, also one whose creation was refused, was not answered, or was answered without an id: a target that has kept
// it all the same shows it in the list of the task.

// configs is the end of the path that creates a push configuration.
const configs = "/pushNotificationConfigs"

// A listing is a list of push configurations that is looked at when a row is over.
type listing struct {
	list   *request
	read   func(x *exchange) any              // the configurations in its answer; Missing: it holds none
	remove func(id string) (string, *request) // how to delete one, and the name under which it is noted
}

// noteConfig notes a push configuration that an answer names, and drops one that the test itself has deleted. Status is 0
// where nothing was answered.
func (p *player) noteConfig(q *request, status int, body []byte) {
	path := sentPath(q.URL)
	if !strings.Contains(path, configs) || !p.run.isTarget(q.URL) {
		return
	}
	succeeded := status >= 200 && status <= 299
	switch {
	case q.Method == http.MethodDelete && succeeded:
		p.created.addConfig(path, nil)
	case q.Method == http.MethodPost && strings.HasSuffix(path, configs):
		remove := func(id string) (string, *request) {
			path := path + "/" + url.PathEscape(id)
			return path, p.run.asOf(q, http.MethodDelete, path)
		}
		if id, _ := readers.Member(jsontext.Parse(body), "id").(string); id != "" && succeeded {
			p.created.addConfig(remove(id))
			return
		}
		p.created.addList(path, &listing{list: p.run.asOf(q, http.MethodGet, path), remove: remove,
			read: func(x *exchange) any { return readers.Configs(jsontext.Parse(x.Body)) }})
	}
}

// asOf is another request of who has sent q; of nobody in particular, where q went out without credentials.
func (s *site) asOf(q *request, method, address string) *request {
	header, identity := withoutHeader(q.Header, "Content-Type"), q.identity
	if identity == anonymous {
		header, identity = withoutHeader(header, "Authorization"), "instance"
		header = append(header, s.plainGet(address, identity).Header...)
	}
	return &request{Request: wire.Request{Method: method, URL: address, Header: header, Limit: cancelTime, Shares: true}, identity: identity}
}

// noteCalledConfig is noteConfig for the operations of a plain A2A server.
func (p *player) noteCalledConfig(c *call, q *request, processed bool, result any) {
	task := readers.MemberText(c.params, "taskId")
	switch {
	case task == "":
	case c.operation == "DeleteTaskPushNotificationConfig" && processed:
		p.created.addConfig(task+"/"+readers.MemberText(c.params, "id"), nil)
	case c.operation == "CreateTaskPushNotificationConfig":
		remove := func(id string) (string, *request) {
			return task + "/" + id, p.undoing(q, &call{operation: "DeleteTaskPushNotificationConfig", at: c.at, given: true,
				params: map[string]any{"taskId": task, "id": id}})
		}
		if id := readers.MemberText(result, "id"); id != "" && processed {
			p.created.addConfig(remove(id))
			return
		}
		list := p.undoing(q, &call{operation: "ListTaskPushNotificationConfigs", at: c.at, given: true, params: map[string]any{"taskId": task}})
		if list != nil {
			p.created.addList(task, &listing{list: list, remove: remove,
				read: func(x *exchange) any { return readers.Configs(resultOf(list.call, x.Status, jsontext.Parse(x.Body))) }})
		}
	}
}

// addConfig notes a push configuration and how to delete it; nil: it is gone.
func (c *created) addConfig(name string, undo *request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if undo == nil {
		delete(c.configs, name)
		return
	}
	if c.configs == nil {
		c.configs = map[string]*request{}
	}
	if len(c.configs) < mostCancelled {
		c.configs[name] = undo
	}
}

// addList notes a list in which a configuration may stand that the row has registered.
func (c *created) addList(name string, l *listing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lists == nil {
		c.lists = map[string]*listing{}
	}
	if len(c.lists) < mostCancelled {
		c.lists[name] = l
	}
}

// deleteConfigs deletes what push configurations the row has registered. When all are gone, the executor owes its
// receivers nothing any more.
func (p *player) deleteConfigs() {
	p.created.mu.Lock()
	lists := p.created.lists
	p.created.lists = nil
	p.created.mu.Unlock()
	for _, l := range lists {
		p.lookInto(l)
	}
	p.created.mu.Lock()
	configs := p.created.configs
	p.created.configs = nil
	p.created.mu.Unlock()
	if p.cleanUp(configs) {
		for _, r := range p.receivers {
			p.run.hooks.cancelled(r.path)
		}
	}
}

// lookInto notes the configurations of a list, to be deleted with the others.
func (p *player) lookInto(l *listing) {
	ctx, cancel := p.run.undoing(p.ctx, cancelTime+time.Second)
	defer cancel()
	x := p.run.doAgain(ctx, l.list)
	if x.Status != http.StatusOK {
		return
	}
	found, _ := l.read(x).([]any)
	for _, config := range found {
		if id := readers.MemberText(config, "id"); id != "" {
			p.created.addConfig(l.remove(id))
		}
	}
}
