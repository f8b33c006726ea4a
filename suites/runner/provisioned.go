// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// decommissionEvery is how often the operation of a provisioning that is to be undone is asked for.
const decommissionEvery = 250 * time.Millisecond

// A provisioning is a request for a new instance that the admin surface has taken.
type provisioning struct {
	name      string // that was asked for
	operation string // id of the operation, where the answer names one
}

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

// decommission waits until the operation has ended, which it asks every so often, and removes the instance it has made. It says what is left behind.
func (s *site) decommission(ctx context.Context, one provisioning, every time.Duration, end time.Time) string {
	for {
		id, settled := s.provisionedAs(ctx, one)
		late := time.Now().After(end) || ctx.Err() != nil
		switch {
		case id == "" && settled:
			return ""
		case id != "" && (settled || late) && s.remove(ctx, id):
			return ""
		case late && id != "":
			return fmt.Sprintf("instance %s (%s), which was provisioned here, could not be decommissioned", id, one.name)
		case late:
			return fmt.Sprintf("the operation %s has not ended: an instance %q may be left behind", one.operation, one.name)
		}
		select {
		case <-ctx.Done():
		case <-time.After(every):
		}
	}
}

// provisionedAs finds the instance that an operation has made, and says whether the operation has ended. It is never one
// that was there before the run.
func (s *site) provisionedAs(ctx context.Context, one provisioning) (id string, settled bool) {
	settled = true
	if one.operation != "" {
		asked := s.admin(ctx, http.MethodGet, "operations/"+url.PathEscape(one.operation))
		if asked.Status == http.StatusOK {
			operation := jsontext.Parse(asked.Body)
			switch state, _ := readers.Member(operation, "state").(string); state {
			case "pending", "running":
				settled = false
			}
			id, _ = readers.Member(readers.Member(operation, "result"), "instance_id").(string)
		}
	}
	if id == "" && one.name != "" {
		items, _ := readers.Member(jsontext.Parse(s.admin(ctx, http.MethodGet, "instances").Body), "items").([]any)
		for _, item := range items {
			if readers.Member(item, "name") == any(one.name) {
				id, _ = readers.Member(item, "id").(string)
			}
		}
	}
	if id == s.place.iid || s.facts.instances[id] {
		return "", settled
	}
	return id, settled
}

// remove decommissions an instance in one of the two forms that are documented (ruling AMB-15), and says whether it is
// gone, or going.
func (s *site) remove(ctx context.Context, id string) bool {
	path := "instances/" + url.PathEscape(id)
	shown := s.admin(ctx, http.MethodGet, path)
	if state, _ := readers.Member(jsontext.Parse(shown.Body), "state").(string); shown.Status == http.StatusNotFound || state == "destroying" || state == "destroyed" {
		return true
	}
	removed := s.admin(ctx, http.MethodDelete, path+"?force=true")
	if removed.Status == http.StatusNotFound || removed.Status == http.StatusMethodNotAllowed {
		removed = s.admin(ctx, http.MethodPost, path+"/destroy")
	}
	return removed.Status >= 200 && removed.Status <= 299
}

// admin asks the admin surface for something that is no part of a test.
func (s *site) admin(ctx context.Context, method, path string) *exchange {
	q := s.plainGet(join(s.place.admin, path), "admin")
	q.Method, q.Limit, q.Shares = method, cancelTime, true
	return s.send(ctx, q)
}

// instancesOf are the ids of the instances of an admin list.
func instancesOf(x *exchange) map[string]bool {
	ids := map[string]bool{}
	items, _ := readers.Member(jsontext.Parse(x.Body), "items").([]any)
	for _, item := range items {
		if id, is := readers.Member(item, "id").(string); is {
			ids[id] = true
		}
	}
	return ids
}
