// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// Ruling AMB-21: a target that refuses {"message": ...} is tried once with the bare Message.
func TestMessagesAreSentInTheFormThatTheTargetTakes(t *testing.T) {
	t.Parallel()
	const send = `- {request: "POST ${api}/messages:send", %BODY%, expect: {status: 200, exchange: {.sent.bare: %BARE%}}}`
	const (
		asJSON = `json: {message: {messageId: "${fresh.uuid}", role: user, parts: [{kind: text, text: hello}]}}`
		asText = `text: '{"message": {"role":"user",  "messageId":"${fresh.uuid}", "parts":[{"kind":"text","text":"hello"}]}}'`
	)
	for name, c := range map[string]struct {
		body  string
		takes string
		bare  string
		says  string
		sent  int32 // at most
	}{
		"as the contract shows it":   {asJSON, "wrapped", "false", "T-001 pass", 1},
		"bare":                       {asJSON, "bare", "true", "T-001 pass", 4}, // refused, tried in both forms, sent again
		"neither: nothing is hidden": {asJSON, "neither", "false", "T-001 fail", 3},
		"text, as it stands":         {asText, "wrapped", "false", "T-001 pass", 1},
		"text, bare":                 {asText, "bare", "true", "T-001 pass", 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				switch {
				case strings.HasSuffix(q.URL.Path, "/agent-card.json"):
					io.WriteString(w, `{"name": "x", "capabilities": {}}`)
				case strings.HasSuffix(q.URL.Path, "/messages:send"):
					sent.Add(1)
					var body map[string]any
					_ = json.NewDecoder(q.Body).Decode(&body)
					form := "bare"
					if body["message"] != nil {
						form = "wrapped"
					}
					if form != c.takes {
						w.WriteHeader(400)
						return
					}
					io.WriteString(w, `{"id": "t", "status": {"state": "completed"}}`)
				default:
					http.NotFound(w, q)
				}
			}))
			t.Cleanup(server.Close)
			out := runAll(t, loaded(t, oneTest(strings.NewReplacer("%BODY%", c.body, "%BARE%", c.bare).Replace(send))), Target{ExecutorURL: server.URL + "/agents/a"}, Options{})
			if got := summary(out); !strings.HasPrefix(got, c.says) {
				t.Errorf("%s, want %s: %+v", got, c.says, out.Results[0].Findings)
			}
			if sent.Load() > c.sent {
				t.Errorf("%d messages were sent, want at most %d", sent.Load(), c.sent)
			}
		})
	}
}

// An instance that refuses both forms, as it wants something else too, decides nothing for the others.
func TestARefusalOfBothFormsDecidesNothingElsewhere(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch {
		case strings.HasSuffix(q.URL.Path, "/agent-card.json"):
			io.WriteString(w, `{"name": "x", "capabilities": {}}`)
		case strings.HasSuffix(q.URL.Path, "/messages:send"):
			var body map[string]any
			_ = json.NewDecoder(q.Body).Decode(&body)
			if body["message"] != nil || strings.Contains(q.URL.Path, "/agents/b/") {
				w.WriteHeader(400)
				return
			}
			io.WriteString(w, `{"id": "t", "status": {"state": "completed"}}`)
		default:
			http.NotFound(w, q)
		}
	}))
	t.Cleanup(server.Close)
	const steps = `- {request: "POST ${root}/agents/b/v1/messages:send", json: {message: {messageId: "${fresh.uuid}", role: user, parts: [{kind: text, text: hello}]}}, expect: {status: 400}}
- {request: "POST ${api}/messages:send", json: {message: {messageId: "${fresh.uuid}", role: user, parts: [{kind: text, text: hello}]}}, expect: {status: 200, exchange: {.sent.bare: true}}}`
	out := runAll(t, loaded(t, oneTest(steps)), Target{ExecutorURL: server.URL + "/agents/a"}, Options{})
	if got := summary(out); !strings.HasPrefix(got, "T-001 pass") {
		t.Errorf("%s, want a pass: %+v", got, out.Results[0].Findings)
	}
}
