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

// maxPutOff is how long a request is put off in all. The first wait, whose length the target chooses, is always kept.
const maxPutOff = 12 * time.Second

// A PutOff is how often a request was refused as one of too many, and for how long it has waited since.
type PutOff struct {
	times int
	waits time.Duration
}

// Again is how long to wait before the request goes out once more (Retry-After), after the refusal with that header; false: it is given up.
func (o *PutOff) Again(t *Target, header http.Header) (time.Duration, bool) {
	wait := RetryAfter(header)
	o.times++
	if !t.Client.PutOff(o.times) || o.times > 1 && o.waits+wait > maxPutOff {
		return 0, false
	}
	o.waits += wait
	return wait, true
}

// Patiently sends a request that belongs to no test: once more if it may have gone out on a connection that was being closed, and again
// when the target allows it, if it was put off.
func (t *Target) Patiently(ctx context.Context, q *Request) *Exchange {
	x := t.Send(ctx, q)
	if x.Status == 0 && q.Shares {
		again := *q
		again.Shares = false
		x = t.Send(ctx, &again)
	}
	for off := (PutOff{}); PutsOff(t, q, x.Status); {
		wait, again := off.Again(t, x.Header)
		if !again {
			return x
		}
		later := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			later.Stop()
			return x
		case <-later.C:
			x = t.Send(ctx, q)
		}
	}
	return x
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
