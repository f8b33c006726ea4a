// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// sendForm is how this target wants messages sent (ruling AMB-21): as {"message": Message}, or, where that is refused, as
// the bare Message that the guide's wording allows too. Nothing is asked before a target has refused something.
type sendForm struct {
	mu    sync.Mutex
	tried int         // how often both forms were refused
	known atomic.Bool // a message in one of the forms was taken, or both have been refused too often
	bare  atomic.Bool
}

// maxFormsTried is how often both forms may be refused: an instance that wants something else as well (an extension that
// it requires) refuses both, and says nothing about the others.
const maxFormsTried = 3

// inForm is a send in the form that the target takes. wraps notes that it is one in the usual form.
func (c caller) inForm(q *target.Request) *target.Request {
	if q.Wraps = q.StartsTask() && c.run.IsTarget(q.URL) && target.IsWrapped(q.Body); !q.Wraps {
		return q
	}
	if c.run.form.bare.Load() {
		return q.Unwrapped()
	}
	return q
}

// again is the request in the other form, when its answer has led to the discovery that the target wants that one.
func (c caller) again(ctx context.Context, x *target.Exchange) *target.Request {
	q, form := x.Request, &c.run.form
	if !q.Wraps {
		return nil
	}
	if x.Status >= 200 && x.Status <= 299 {
		form.known.Store(true)
	}
	if !target.RefusedForm(x.Status) {
		return nil
	}
	if !form.known.Load() {
		c.tryForms(ctx, q)
	}
	if !form.bare.Load() {
		return nil
	}
	return q.Unwrapped()
}

// tryForms sends the plainest message there is, in the usual form and, if that is refused, bare; unless that has been found
// out meanwhile.
func (c caller) tryForms(ctx context.Context, like *target.Request) {
	form := &c.run.form
	form.mu.Lock()
	defer form.mu.Unlock()
	if form.known.Load() {
		return
	}
	form.tried++
	defer func() {
		if form.tried == maxFormsTried {
			form.known.Store(true)
		}
	}()
	message := map[string]any{"messageId": uuid.Must(uuid.NewV7()).String(), "contextId": uuid.NewString(), "role": "user",
		"parts": []any{map[string]any{"kind": "text", "text": "hello from the conformance suite"}}}
	q := *like
	q.URL = strings.ReplaceAll(like.URL, "/messages:stream", "/messages:send")
	q.Identity, q.Limit, q.Streamed, q.Redirects = "instance", scale(c.run.options.Timeout, c.run.options.TimeFactor), false, 0
	q.Header = c.run.PlainGet(q.URL, "instance").Header
	q.Header = append(target.WithoutHeader(q.Header, "Content-Type"), target.JSONContent)
	for _, bare := range []bool{false, true} {
		var err error
		if q.Body, err = jsontext.Marshal(map[string]any{"message": message, "configuration": map[string]any{"blocking": false}}); err != nil {
			c.run.Bug(err)
			return
		}
		ask := &q
		if bare {
			ask = q.Unwrapped()
		}
		x := c.run.Patiently(ctx, ask)
		c.noticed(x) // so that the task is cancelled with those of the test
		if x.Status >= 200 && x.Status <= 299 {
			form.bare.Store(bare)
			form.known.Store(true)
			return
		}
		if !target.RefusedForm(x.Status) {
			return
		}
	}
}
