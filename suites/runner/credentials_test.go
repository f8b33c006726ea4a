// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"testing"
)

// A card that is not shown to everybody breaks a requirement of its own; everything else is measured all the same.
func TestCardThatNeedsCredentials(t *testing.T) {
	t.Parallel()
	f := &fake{token: fakeToken, noCard: true, routes: map[string]http.HandlerFunc{}}
	card := "/agents/" + fakeInstance + "/.well-known/agent-card.json"
	address := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != card {
			f.ServeHTTP(w, q)
		} else if !f.refuses(w, q, fakeToken) {
			fmt.Fprint(w, fakeCard)
		}
	}))
	out := runAll(t, loaded(t, `
  - {id: T-001, test: a, must: m, source: s, applies: {claims: streaming}, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{request: "GET ${base}/.well-known/agent-card.json", as: anonymous, expect: {status: 200}}]}
`), Target{ExecutorURL: address + "/agents/" + fakeInstance, Tokens: map[string]string{"instance": fakeToken}}, Options{})
	if got, want := summary(out), "T-001 pass\nT-002 fail fail: status is 401, want 200"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The operator's other executor, which a hook answers with, gets the credentials; no other address does.
func TestWhoGetsCredentials(t *testing.T) {
	t.Parallel()
	show := func(w http.ResponseWriter, q *http.Request) {
		fmt.Fprintf(w, `{"credentials": %t}`, q.Header.Get("Authorization") == "Bearer "+fakeToken)
	}
	configured, foreign := serveHandler(t, http.HandlerFunc(show)), serveHandler(t, http.HandlerFunc(show))
	out := runAll(t, loaded(t, `
  - {id: T-001, test: a, must: m, source: s, given: [{hook: other, keep: {other: result.url}}], steps: [{request: "GET ${other}/x", expect: {json.credentials: true}}]}
  - {id: T-002, test: b, must: m, source: s, given: [{hook: word, keep: {other: result}}], steps: [{request: "GET ${other}/x", expect: {json.credentials: false}}]}
`), Target{ExecutorURL: (&fake{token: fakeToken}).start(t), Tokens: map[string]string{"instance": fakeToken},
		Hooks: map[string]Hook{"other": {Value: map[string]any{"url": configured + "/"}}, "word": {Value: foreign}}}, Options{})
	if got, want := summary(out), "T-001 pass\nT-002 pass"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
