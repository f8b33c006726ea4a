// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net/http"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// REST bodies go out in the recommended media type, until a server shows that it does not take it: then in that of 1.0.0,
// for the rest of the run (AMB-06). It shows so with 415; or, as long as it has taken none, with 400, when it reads such a
// body as an empty one, or with a 5xx, when it breaks on it each time: a 5xx that comes once is the answer of that request.

// refusedMedia is a request in the media type of 1.0.0, where the answer may be due to the recommended one; nil: it is not.
func (a *agent) refusedMedia(q *request, status int) *request {
	if q.call == nil || q.call.media || q.call.at.binding != "HTTP+JSON" {
		return nil
	}
	mayBe := status == http.StatusBadRequest || status >= 500 && status != http.StatusServiceUnavailable
	if status != http.StatusUnsupportedMediaType && (!mayBe || a.takesA2A.Load()) {
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

// inPlace says whether the answer to a request in the media type of 1.0.0 counts in place of the first one: a 400 or a 5xx
// stands where the other is no better.
func inPlace(first, second int) bool {
	switch {
	case first == http.StatusUnsupportedMediaType, second >= 200 && second < 300:
		return true
	}
	return first >= 500 && second >= 400 && second < 500
}

// tookMedia notes which media type was taken. What has an empty body as well shows nothing of the recommended one.
func (a *agent) tookMedia(q *request, status int) {
	c := q.call
	if c == nil || c.media || c.at.binding != "HTTP+JSON" || status < 200 || status > 299 {
		return
	}
	switch {
	case slices.Contains(q.Header, jsonContent):
		a.sendsJSON.Store(true)
	case c.operation == "SendMessage" || c.operation == "SendStreamingMessage" || c.operation == "CreateTaskPushNotificationConfig":
		a.takesA2A.Store(true)
	}
}

// steady is a request in the recommended media type as it was, whose answer is asked for once more.
func (q *request) steady() *request {
	again, call := *q, *q.call
	call.media = true
	again.call = &call
	return &again
}

// breaksOnMedia says whether the recommended media type is what a server broke on, now that it takes the other one: it
// breaks on it again.
func (a *agent) breaksOnMedia(status int) bool {
	if status >= 500 {
		return true
	}
	a.sendsJSON.Store(false)
	if status >= 200 && status <= 299 {
		a.takesA2A.Store(true)
	}
	return false
}
