// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// asOf is another request of who has sent q; of nobody in particular, where q went out without credentials.
func (s *site) asOf(q *request, method, address string) *request {
	header, identity := withoutHeader(q.Header, "Content-Type"), q.identity
	if identity == anonymous {
		header, identity = withoutHeader(header, "Authorization"), "instance"
		header = append(header, s.plainGet(address, identity).Header...)
	}
	return &request{Request: wire.Request{Method: method, URL: address, Header: header, Limit: cancelTime, Shares: true}, identity: identity}
}

// sentPath is an address without its query, and without its fragment, which suites may write but nobody is sent.
func sentPath(address string) string {
	if end := strings.IndexAny(address, "?#"); end >= 0 {
		return address[:end]
	}
	return address
}

// doAgain sends a request, and sends it once more if it may have gone out on a connection that was being closed.
func (s *site) doAgain(ctx context.Context, q *request) *exchange {
	x := s.send(ctx, q)
	if x.Status != 0 || !q.Shares {
		return x
	}
	again := *q
	again.Shares = false
	return s.send(ctx, &again)
}

// inTurns says whether only one may ask the hook at a time.
func (h Hook) inTurns() bool { return !h.Parallel && (len(h.Command) > 0 || h.URL != "") }

// leadsElsewhere says whether a hook's answer names an executor other than the target.
func (s *site) leadsElsewhere(result any) bool {
	address, is := readers.Member(result, "url").(string)
	return is && origin(address) != "" && origin(address) != origin(s.place.root)
}

// cancelTime bounds the undoing of what a test has created.
const cancelTime = 2 * time.Second
