// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// longestRetryAfter is the longest that a target is left alone for.
const longestRetryAfter = 10 * time.Second

// PutsOff says whether a status is that of a target which puts a request off because the run asks too often (RFC 6585, 4), if targets of
// the profile do. Over gRPC the same code says that a message is too long.
func PutsOff(t *Target, q *Request, status int) bool {
	if q.Unpaced || q.Call != nil && q.Call.At.Binding == readers.BindingGRPC {
		return false
	}
	return t.Profile.Paced && status == http.StatusTooManyRequests && t.IsTarget(q.URL)
}

// Patiently sends a request that belongs to no test: once more if it may have gone out on a connection that was being closed, and once more
// when the target allows it, if it was put off.
func (t *Target) Patiently(ctx context.Context, q *Request) *Exchange {
	x := t.Send(ctx, q)
	if x.Status == 0 && q.Shares {
		again := *q
		again.Shares = false
		x = t.Send(ctx, &again)
	}
	if !PutsOff(t, q, x.Status) {
		return x
	}
	later := time.NewTimer(RetryAfter(x.Header))
	defer later.Stop()
	select {
	case <-ctx.Done():
		return x
	case <-later.C:
		return t.Send(ctx, q)
	}
}

// RetryAfter is how long the target wants to be left alone, in seconds or until a date (RFC 9110, 10.2.3); a second, if it does not say.
func RetryAfter(header http.Header) time.Duration {
	asked := strings.TrimSpace(header.Get("Retry-After"))
	wait := time.Second
	if seconds, err := strconv.Atoi(asked); err == nil {
		wait = time.Duration(min(seconds, 3600)) * time.Second
	} else if at, err := http.ParseTime(asked); err == nil {
		wait = time.Until(at)
	}
	return min(max(wait, 0), longestRetryAfter)
}
