// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// decommissionEvery is how often the operation of a provisioning that is to be undone is asked for.
const decommissionEvery = 250 * time.Millisecond

// noteAdmin notes what a request has created on the admin surface: an instance, or an object of the storage.
func (c *created) noteAdmin(x *exchange) {
	if x.Status < 200 || x.Status > 299 || !c.run.isTarget(x.request.URL) {
		return
	}
	path := sentPath(x.request.URL)
	switch isObject := strings.HasPrefix(path, join(c.run.place.admin, "storage")+"/"); {
	case x.request.Method == http.MethodPost && path == join(c.run.place.admin, "instances"):
		one := provisioning{}
		one.name, _ = readers.Member(jsontext.Parse(x.request.Body), "name").(string)
		answer := jsontext.Parse(x.Body)
		if state, _ := readers.Member(answer, "state").(string); state != "" && readers.Member(answer, "kind") != nil {
			one.operation, _ = readers.Member(answer, "id").(string)
		}
		if at := x.Header.Get("Location"); one.operation == "" && strings.Contains(at, "/operations/") {
			one.operation = at[strings.LastIndexByte(at, '/')+1:]
		}
		c.provision(one)
	case x.request.Method == http.MethodPut && isObject:
		c.store(path, &request{Request: wire.Request{Method: http.MethodDelete, URL: path, Raw: x.request.Raw, Header: withoutHeader(x.request.Header, "Content-Type"), Limit: cancelTime, Shares: true}, identity: x.request.identity})
	case x.request.Method == http.MethodDelete && isObject:
		c.store(path, nil)
	}
}

func (c *created) provision(one provisioning) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.instances) < mostCancelled {
		c.instances = append(c.instances, one)
	}
}

// store notes an object and how to delete it; nil: it is deleted.
func (c *created) store(path string, remove *request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.objects == nil {
		c.objects = map[string]*request{}
	}
	if delete(c.objects, path); remove != nil && len(c.objects) < mostCancelled {
		c.objects[path] = remove
	}
}

// undoAdmin deletes the objects and decommissions the instances that the row has created. As with tasks, what is answered
// is no part of the test; but the operator is told of an instance that stays, since it costs something.
func (c *created) undoAdmin() (left []string) {
	c.mu.Lock()
	objects, instances := c.objects, c.instances
	c.objects, c.instances = nil, nil
	c.mu.Unlock()
	defer c.run.guard("undoing what was created on the admin surface")
	for _, q := range objects {
		ctx, cancel := c.run.undoing(c.ctx, cancelTime)
		c.run.send(ctx, q)
		cancel()
	}
	for _, one := range instances {
		limit := time.Duration(c.run.operator.provisionLimit.Load())
		if limit == 0 || c.ctx.Err() != nil { // an interrupted run does not wait long
			limit = 10 * time.Second
		}
		limit = scale(limit, c.run.options.TimeFactor)
		ctx, cancel := c.run.undoing(c.ctx, limit+cancelTime)
		if trouble := c.run.decommission(ctx, one, scale(decommissionEvery, c.run.options.TimeFactor*c.run.options.HoldFactor), time.Now().Add(limit)); trouble != "" {
			left = append(left, trouble)
		}
		cancel()
	}
	return left
}
