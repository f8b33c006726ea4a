// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/layout"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// conversationName is what suites call the conversation whose events they ask for.
const conversationName = "conv"

// laidOut is the address of a request as the target has it: that of the suite, or where the layout has it that the operator declares. Events
// that no filter limits to a conversation are those of the conversation that the test has named, or else of the newest one.
func (c caller) laidOut(ctx context.Context, address string) (string, error) {
	if !c.run.Config.InLaterLayout() {
		return address, nil
	}
	return layout.Address(address, func() (string, error) {
		if v, found := c.names.Find(conversationName); found {
			return jsontext.Text(v), nil
		}
		return c.run.newestConversation(ctx)
	})
}

// newestConversation is the id of a conversation of the user.
func (r *run) newestConversation(ctx context.Context) (string, error) {
	x := r.Do(ctx, r.PlainGet(r.Place.Base+"/api/v1/app-conversations/search?limit=1", "instance"))
	var page struct{ Items []struct{ ID string } }
	switch err := json.Unmarshal(x.Body, &page); {
	case x.Status != http.StatusOK, err != nil:
		return "", errors.New("the newest conversation is not found, below which events are in the layout of 2026")
	case len(page.Items) == 0 || page.Items[0].ID == "":
		return "", &target.Skipped{Reason: report.Reason{Code: "when-present:conversation", Detail: "there is no conversation, below which events are in the layout of 2026"}}
	}
	return page.Items[0].ID, nil
}
