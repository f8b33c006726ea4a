// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// Decommission waits until the operation has ended, which it asks every so often, and removes the instance it has made. It says what is left behind.
func (t *Target) Decommission(ctx context.Context, one Provisioning, every time.Duration, end time.Time) string {
	for {
		id, settled := t.provisionedAs(ctx, one)
		late := time.Now().After(end) || ctx.Err() != nil
		switch {
		case id == "" && settled:
			return ""
		case id != "" && (settled || late) && t.remove(ctx, id):
			return ""
		case late && id != "":
			return fmt.Sprintf("instance %s (%s), which was provisioned here, could not be decommissioned", id, one.Name)
		case late:
			return fmt.Sprintf("the operation %s has not ended: an instance %q may remain", one.Operation, one.Name)
		}
		select {
		case <-ctx.Done():
		case <-time.After(every):
		}
	}
}

// provisionedAs finds the instance that an operation has made, and says whether the operation has ended. It is never one
// that was there before the run.
func (t *Target) provisionedAs(ctx context.Context, one Provisioning) (id string, settled bool) {
	settled = true
	if one.Operation != "" {
		asked := t.admin(ctx, http.MethodGet, "operations/"+url.PathEscape(one.Operation))
		if asked.Status == http.StatusOK {
			operation := jsontext.Parse(asked.Body)
			switch state, _ := readers.Member(operation, "state").(string); state {
			case "pending", "running":
				settled = false
			}
			id, _ = readers.Member(readers.Member(operation, "result"), "instance_id").(string)
		}
	}
	if id == "" && one.Name != "" {
		items, _ := readers.Member(jsontext.Parse(t.admin(ctx, http.MethodGet, "instances").Body), "items").([]any)
		for _, item := range items {
			if readers.Member(item, "name") == any(one.Name) {
				id, _ = readers.Member(item, "id").(string)
			}
		}
	}
	if id == t.Place.IID || t.Facts.instances[id] {
		return "", settled
	}
	return id, settled
}

// remove decommissions an instance in one of the two forms that are documented (ruling AMB-15), and says whether it is
// gone, or going.
func (t *Target) remove(ctx context.Context, id string) bool {
	path := "instances/" + url.PathEscape(id)
	shown := t.admin(ctx, http.MethodGet, path)
	if state, _ := readers.Member(jsontext.Parse(shown.Body), "state").(string); shown.Status == http.StatusNotFound || state == "destroying" || state == "destroyed" {
		return true
	}
	removed := t.admin(ctx, http.MethodDelete, path+"?force=true")
	if removed.Status == http.StatusNotFound || removed.Status == http.StatusMethodNotAllowed {
		removed = t.admin(ctx, http.MethodPost, path+"/destroy")
	}
	return removed.Status >= 200 && removed.Status <= 299
}

// admin asks the admin surface for something that is no part of a test.
func (t *Target) admin(ctx context.Context, method, path string) *Exchange {
	q := t.PlainGet(Join(t.Place.Admin, path), "admin")
	q.Method, q.Limit, q.Shares = method, CancelTime, true
	return t.Patiently(ctx, q)
}

// instancesOf are the ids of the instances of an admin list.
func instancesOf(x *Exchange) map[string]bool {
	ids := map[string]bool{}
	items, _ := readers.Member(jsontext.Parse(x.Body), "items").([]any)
	for _, item := range items {
		if id, is := readers.Member(item, "id").(string); is {
			ids[id] = true
		}
	}
	return ids
}

// A Provisioning is a request for a new instance that the admin surface has taken.
type Provisioning struct {
	Name      string // that was asked for
	Operation string // id of the operation, where the answer names one
}
