// SPDX-License-Identifier: Apache-2.0

package undo

import (
	"net/http"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// decommissionEvery is how often the operation of a provisioning that is to be undone is asked for.
const decommissionEvery = 250 * time.Millisecond

// noteAdmin notes what a request has created on the admin surface: an instance, or an object of the storage.
func (c *Created) noteAdmin(x *target.Exchange) {
	if x.Status < 200 || x.Status > 299 || !c.target.IsTarget(x.Request.URL) {
		return
	}
	path := target.SentPath(x.Request.URL)
	switch isObject := strings.HasPrefix(path, target.Join(c.target.Place.Admin, "storage")+"/"); {
	case x.Request.Method == http.MethodPost && path == target.Join(c.target.Place.Admin, "instances"):
		one := target.Provisioning{}
		one.Name, _ = readers.Member(jsontext.Parse(x.Request.Body), "name").(string)
		answer := jsontext.Parse(x.Body)
		if state, _ := readers.Member(answer, "state").(string); state != "" && readers.Member(answer, "kind") != nil {
			one.Operation, _ = readers.Member(answer, "id").(string)
		}
		if at := x.Header.Get("Location"); one.Operation == "" && strings.Contains(at, "/operations/") {
			one.Operation = at[strings.LastIndexByte(at, '/')+1:]
		}
		c.provision(one)
	case x.Request.Method == http.MethodPut && isObject:
		remove := c.target.AsOf(x.Request, http.MethodDelete, path)
		remove.Raw = x.Request.Raw
		c.store(path, remove)
	case x.Request.Method == http.MethodDelete && isObject:
		c.store(path, nil)
	}
}

func (c *Created) provision(one target.Provisioning) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.instances) < maxCancelled {
		c.instances = append(c.instances, one)
	}
}

// store notes an object and how to delete it; nil: it is deleted.
func (c *Created) store(path string, remove *target.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.objects == nil {
		c.objects = map[string]*target.Request{}
	}
	if delete(c.objects, path); remove != nil && len(c.objects) < maxCancelled {
		c.objects[path] = remove
	}
}

// Decommission deletes the objects and decommissions the instances that the row has created. As with tasks, what is answered
// is no part of the test; but the operator is told of an instance that stays, since it costs something. provisioning is how
// long the operator lets one take; 0: it is not known.
func (c *Created) Decommission(provisioning time.Duration) (left []string) {
	c.mu.Lock()
	objects, instances := c.objects, c.instances
	c.objects, c.instances = nil, nil
	c.mu.Unlock()
	defer c.target.Guard("undoing what was created on the admin surface")
	for _, q := range objects {
		ctx, cancel := c.bounds.Undoing(target.CancelTime)
		c.target.Send(ctx, q)
		cancel()
	}
	for _, one := range instances {
		limit := provisioning
		if limit == 0 || c.ctx.Err() != nil { // an interrupted run does not wait long
			limit = 10 * time.Second
		}
		limit = c.bounds.Limit(limit)
		ctx, cancel := c.bounds.Undoing(limit + target.CancelTime)
		if trouble := c.target.Decommission(ctx, one, c.bounds.Wait(decommissionEvery), time.Now().Add(limit)); trouble != "" {
			left = append(left, trouble)
		}
		cancel()
	}
	return left
}
