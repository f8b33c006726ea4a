// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Whoever points the program at another kind of server reads that first, not a wall of failures.
func TestAnotherKindOfServerIsTheHeadline(t *testing.T) {
	t.Parallel()
	const says = "this looks like no agentic-sandbox executor"
	for name, c := range map[string]struct {
		card   string
		tasks  int
		wanted bool
	}{
		"a plain server of A2A 1.0":              {`{"name": "Echo", "capabilities": {}, "supportedInterfaces": [{"protocolVersion": "1.0"}]}`, 404, true},
		"an agent of another kind":               {`{"name": "Echo", "capabilities": {}}`, 404, true},
		"a fleet":                                {`{"name": "Fleet", "capabilities": {}, "supportedInterfaces": [{"protocolVersion": "1.0"}], "x-scitex-agent-container": {}}`, 404, true},
		"its routes are those of an executor":    {`{"name": "Echo", "capabilities": {}}`, 200, false},
		"its card is that of an executor":        {`{"name": "x", "capabilities": {"extensions": [{"uri": "https://agentic-sandbox.aiwg.io/extensions/runtime/v1"}]}}`, 404, false},
		"it fails, which says nothing of itself": {`{"name": "Echo", "capabilities": {}}`, 500, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				switch {
				case strings.HasSuffix(q.URL.Path, "/agent-card.json"):
					io.WriteString(w, c.card)
				case strings.HasSuffix(q.URL.Path, "/v1/tasks"):
					w.WriteHeader(c.tasks)
				default:
					http.NotFound(w, q)
				}
			}))
			t.Cleanup(server.Close)
			out := runAll(t, loaded(t, oneTest(`- {request: "GET ${api}/nothing", expect: {status: 200}}`)),
				Target{ExecutorURL: server.URL + "/agents/a"}, Options{})
			if got := strings.Contains(out.Because, says); got != c.wanted {
				t.Errorf("the verdict says %q", out.Because)
			}
			if fleet := strings.Contains(out.Because, "is played with --profile sac"); fleet != (name == "a fleet") {
				t.Errorf("the verdict says %q", out.Because)
			}
			if plain := strings.Contains(out.Because, "is judged with --profile a2a-1.0"); plain != strings.HasPrefix(name, "a plain server") {
				t.Errorf("the verdict says %q", out.Because)
			}
		})
	}
}

// TestSwappedTokens: whoever gives each of two tokens in the place of the other is told so; two tokens of which one is wrong are not
// taken for that.
func TestSwappedTokens(t *testing.T) {
	t.Parallel()
	const says = "takes them the other way round"
	for name, c := range map[string]struct {
		instance, admin string
		opens           bool // the admin's token opens the instance, too
		swapped         bool
	}{
		"as they are":                        {fakeToken, fakeAdmin, true, false},
		"swapped":                            {fakeAdmin, fakeToken, true, true},
		"swapped, each opening its own only": {fakeAdmin, fakeToken, false, true},
		"the admin's is wrong":               {fakeToken, "nobody's", true, false},
		"the instance's is wrong":            {"nobody's", fakeAdmin, true, false},
		"the admin's twice, where it opens no instance": {fakeAdmin, fakeAdmin, false, false},
		"the instance's as the admin's":                 {fakeToken, fakeToken + "x", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				shown := strings.TrimPrefix(q.Header.Get("Authorization"), "Bearer ")
				switch {
				case strings.HasSuffix(q.URL.Path, "/agent-card.json"):
					io.WriteString(w, `{"name": "x", "capabilities": {"extensions": [{"uri": "https://agentic-sandbox.aiwg.io/extensions/runtime/v1"}]}}`)
				case strings.HasSuffix(q.URL.Path, "/admin/instances") && shown == fakeAdmin, strings.HasSuffix(q.URL.Path, "/v1/tasks") && (shown == fakeToken || c.opens && shown == fakeAdmin):
					io.WriteString(w, `{"items": []}`)
				default:
					w.WriteHeader(http.StatusUnauthorized)
				}
			}))
			t.Cleanup(server.Close)
			out := runAll(t, loaded(t, oneTest(`- {request: "GET ${api}/tasks", expect: {status: 200}}`)),
				Target{ExecutorURL: server.URL + "/agents/a", Tokens: map[string]string{"instance": c.instance, "admin": c.admin}}, Options{})
			if got := strings.Contains(out.Because, says); got != c.swapped {
				t.Errorf("the verdict is %s: %s", out.Verdict, out.Because)
			}
		})
	}
}
