// SPDX-License-Identifier: Apache-2.0

package target

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

func TestACancelIsSentOnceMoreWithAnObject(t *testing.T) {
	t.Parallel()
	const address = "http://x/agents/a/v1/tasks/t/cancel"
	ask := func(method, url string, body []byte) *Request {
		return &Request{Request: wire.Request{Method: method, URL: url, Body: body}}
	}
	for name, refused := range map[string]struct {
		q      *Request
		status int
	}{
		"another status":       {ask("POST", address, nil), 409},
		"another method":       {ask("GET", address, nil), 400},
		"an empty body":        {ask("POST", address, []byte{}), 400},
		"a body":               {ask("POST", address, []byte("{}")), 400},
		"another operation":    {ask("POST", "http://x/agents/a/v1/tasks/t/subscribe", nil), 400},
		"what cancels no task": {ask("POST", "http://x/cancel", nil), 400},
	} {
		if again := RefusedEmpty(refused.q, refused.status); again != nil {
			t.Errorf("%s is sent once more", name)
		}
	}
	for _, status := range []int{400, 411, 415, 422} {
		q := ask("POST", address+"?a=b", nil)
		again := RefusedEmpty(q, status)
		if again == nil || string(again.Body) != "{}" || len(again.Header) != 1 || again.Header[0] != JSONContent || q.Body != nil || q.Header != nil {
			t.Errorf("%d: %+v after %+v", status, again, q)
		}
	}
	for status, want := range map[int]bool{0: false, 400: false, 415: false, 200: true, 404: true, 409: true, 500: true} {
		if got := TakesEmptyObject(status); got != want {
			t.Errorf("%d counts: %v, want %v", status, got, want)
		}
	}
}
