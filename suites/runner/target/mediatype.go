// SPDX-License-Identifier: Apache-2.0

package target

import (
	"net/http"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// REST bodies go out in the recommended media type, until a server shows that it does not take it: then in that of 1.0.0,
// for the rest of the run (AMB-06). It shows so with 415; or, as long as it has taken none, with 400, when it reads such a
// body as an empty one, or with a 5xx, when it breaks on it each time: a 5xx that comes once is the answer of that request.

// RefusedMedia is a request in the media type of 1.0.0, where the answer may be due to the recommended one; nil: it is not.
func (a *Agent) RefusedMedia(q *Request, status int) *Request {
	if q.Call == nil || q.Call.Media || q.Call.At.Binding != "HTTP+JSON" {
		return nil
	}
	mayBe := status == http.StatusBadRequest || status >= 500 && status != http.StatusServiceUnavailable
	if status != http.StatusUnsupportedMediaType && (!mayBe || a.TakesA2A.Load()) {
		return nil
	}
	i := slices.Index(q.Header, suites.Header{Name: "Content-Type", Value: mediaA2A})
	if i < 0 {
		return nil
	}
	again := *q
	again.Header = slices.Clone(q.Header)
	again.Header[i].Value = mediaJSON
	return &again
}

// InPlace says whether the answer to a request in the media type of 1.0.0 counts in place of the first one: a 400 or a 5xx
// stands where the other is no better.
func InPlace(first, second int) bool {
	switch {
	case first == http.StatusUnsupportedMediaType, second >= 200 && second < 300:
		return true
	}
	return first >= 500 && second >= 400 && second < 500
}

// TookMedia notes which media type was taken. What has an empty body as well shows nothing of the recommended one.
func (a *Agent) TookMedia(q *Request, status int) {
	c := q.Call
	if c == nil || c.Media || c.At.Binding != "HTTP+JSON" || status < 200 || status > 299 {
		return
	}
	switch {
	case slices.Contains(q.Header, JSONContent):
		a.sendsJSON.Store(true)
	case c.Operation == "SendMessage" || c.Operation == "SendStreamingMessage" || c.Operation == "CreateTaskPushNotificationConfig":
		a.TakesA2A.Store(true)
	}
}

// Steady is a request in the recommended media type as it was, whose answer is asked for once more.
func (q *Request) Steady() *Request {
	again, call := *q, *q.Call
	call.Media = true
	again.Call = &call
	return &again
}

// BreaksOnMedia says whether the recommended media type is what a server broke on, now that it takes the other one: it
// breaks on it again.
func (a *Agent) BreaksOnMedia(status int) bool {
	if status >= 500 {
		return true
	}
	a.sendsJSON.Store(false)
	if status >= 200 && status <= 299 {
		a.TakesA2A.Store(true)
	}
	return false
}
