// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

// TestWhatToConfigureNext: a test that was skipped for the first of what it lacks is counted under all of it, and what no operator can
// give is left out.
func TestWhatToConfigureNext(t *testing.T) {
	t.Parallel()
	const step = `steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]`
	admin := func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Authorization") != "Bearer "+fakeAdmin {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		fmt.Fprint(w, `{"items":[]}`)
	}
	one := map[string]string{"instance": fakeToken}
	two := map[string]string{"instance": fakeToken, "admin": fakeAdmin}
	for name, c := range map[string]struct {
		tests   string
		tokens  map[string]string
		hooks   map[string]Hook
		cues    map[string]any
		options Options
		want    string
	}{
		"all is measured":                     {tests: `{id: T-1, STEP}`, tokens: two, want: "nothing"},
		"what the target lacks":               {tests: `{id: T-1, applies: {claims: pushNotifications}, STEP}`, tokens: two, want: "nothing"},
		"a production deployment is not made": {tests: `{id: T-1, applies: {production: true}, STEP}`, tokens: two, want: "nothing"},
		"a hook": {tests: `{id: T-1, given: [{hook: restart}], STEP}
{id: T-2, given: [{hook: restart}], STEP}
{id: T-3, STEP}`, tokens: two, want: "+2 hook:restart = 3"},
		"a hook and a token": {tests: `{id: T-1, given: [{hook: restart}], STEP}
{id: T-2, given: [{hook: restart}, {request: "GET ${api}/tasks", as: operator}], STEP}`, tokens: two, want: "+1 hook:restart = 1, +1 token:operator = 2"},
		"the admin's token, where the instance's is refused there": {tests: `{id: T-1, steps: [{request: "GET ${admin}/instances", as: admin, expect: {status: 200}}]}
{id: T-2, given: [{hook: instance-token}], STEP}`, tokens: one, want: "+2 token:admin = 2"},
		"two tokens that are not known to differ": {tests: `{id: T-1, given: [{hook: instance-token}], STEP}`, tokens: map[string]string{"instance": fakeAdmin, "admin": fakeAdmin},
			want: "; if +1 hook:instance-token = 1"},
		"a token for a target that asks for none": {tests: `{id: T-1, steps: [{request: "GET ${api}/tasks", as: operator, expect: {status: 200}}]}`, want: "nothing"},
		"one row of several is enough": {tests: `{id: T-1, cases: [{cue: "${cue.failed}"}, {cue: "${cue.completed}"}], steps: [{request: "GET ${api}/tasks?t=${case.cue}", expect: {status: 200}}]}`,
			tokens: two, want: "+1 cue:completed = 1; cases of T-1 by cue:failed"},
		"a row that was played is enough": {tests: `{id: T-1, cases: [{cue: "${cue.failed}"}, {cue: x}], steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}`, tokens: two, want: "; cases of T-1 by cue:failed"},
		"a wait and a cue": {tests: `{id: T-1, slow: 150s, STEP}
{id: T-2, slow: 20s, steps: [{request: "GET ${api}/tasks?t=${cue.failed}", expect: {status: 200}}]}`, tokens: two, want: "+1 max-wait = 1, +1 cue:failed = 2"},
		"a session": {tests: `{id: T-1, given: [{hook: session}], STEP}
{id: T-2, slow: 20s, given: [{hook: session}], STEP}`, tokens: two, want: "+1 hook:create-session = 1, +1 max-wait = 2"},
		"sessions that are there": {tests: `{id: T-1, slow: 20s, given: [{hook: session}], STEP}`, tokens: two,
			hooks: map[string]Hook{"create-session": {Value: "s-1"}}, want: "+1 max-wait = 1"},
		"a certificate needs TLS":               {tests: `{id: T-1, given: [{hook: client-cert}], STEP}`, tokens: two, want: "nothing"},
		"a cue that is there and does not help": {tests: `{id: T-1, steps: [{request: "GET ${api}/tasks", skip_unless: {"no-cue:failed": {status: 201}}, expect: {status: 200}}]}`, tokens: two, cues: map[string]any{"failed": "x"}, want: "nothing"},
		"decided by what was seen":              {tests: `{id: T-1, steps: [{request: "GET ${api}/tasks", skip_unless: {"shared-credentials": {status: 201}}, expect: {status: 200}}]}`, tokens: two, want: "+1 hook:second-instance = 1"},
		"either of two statements":              {tests: `{id: T-1, steps: [{request: "GET ${api}/tasks", skip_unless: {"no-terminal-echo": {status: 201}}, expect: {status: 200}}]}`, tokens: two, want: "; if +1 hook:echo-session = 1, +1 hook:shell-session = 1"},
		"broken is measured": {tests: `{id: T-1, steps: [{request: "GET ${api}/tasks", expect: {status: 201}}]}
{id: T-2, given: [{hook: restart}], STEP}`, tokens: two, want: "+1 hook:restart = 2"},
		"a run that ended early does not know": {tests: `{id: T-1, steps: [{request: "GET ${api}/tasks", expect: {status: 201}}]}
{id: T-2, given: [{hook: restart}], STEP}`, tokens: two, options: Options{FailFast: true, Jobs: 1}, want: "nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			for i, test := range strings.Split(c.tests, "\n") {
				text.WriteString("  - " + strings.Replace(strings.Replace(test, "STEP", step, 1), "{", fmt.Sprintf("{test: t%d, must: m, source: s, ", i), 1) + "\n")
			}
			f := &fake{token: c.tokens["instance"], admin: c.tokens["admin"]}
			config := Target{ExecutorURL: f.start(t) + "/agents/" + fakeInstance, Tokens: c.tokens, Hooks: c.hooks, Cues: c.cues}
			if len(c.tokens) > 0 {
				config.AdminURL = serveHandler(t, http.HandlerFunc(admin))
			}
			out := runAll(t, loaded(t, text.String()), config, c.options)
			if got := reporttest.Next(out.Next); got != c.want {
				t.Errorf("got %s, want %s\n%s", got, c.want, summary(out))
			}
		})
	}
}
