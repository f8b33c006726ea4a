// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

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

// A provisioning is a request for a new instance that the admin surface has taken.
type provisioning struct {
	name      string // that was asked for
	operation string // id of the operation, where the answer names one
}
