// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

func TestWhatAppliesAndWhyNot(t *testing.T) {
	t.Parallel()
	step := `steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]`
	out := runAll(t, loaded(t, strings.ReplaceAll(`
  - {id: T-001, test: a, must: m, source: s, applies: {claims: streaming}, STEPS}
  - {id: T-002, test: b, must: m, source: s, applies: {claims: [runtime/v1]}, STEPS}
  - {id: T-003, test: c, must: m, source: s, applies: {claims: [pushNotifications]}, STEPS}
  - {id: T-004, test: d, must: m, source: s, applies: {auth: enabled}, STEPS}
  - {id: T-005, test: e, must: m, source: s, applies: {auth: disabled}, STEPS}
  - {id: T-006, test: f, must: m, source: s, applies: {production: true}, STEPS}
  - {id: T-007, test: g, must: m, source: s, applies: {reserved: v2.2}, STEPS}
  - {id: T-008, test: h, must: m, source: s, slow: 40s, STEPS}
  - {id: T-009, test: i, must: m, source: s, given: [{hook: restart}], STEPS}
  - {id: T-010, test: j, must: m, source: s, steps: [{request: "POST ${api}/messages:send", json: {a: "${cue.completed}"}, expect: {status: 202}}]}
  - {id: T-011, test: k, must: m, source: s, steps: [{request: "GET ${api}/tasks", as: operator, expect: {status: 200}}]}
  - {id: T-012, test: l, must: m, source: s, steps: [{request: "GET ${api}/tasks", as: admin, expect: {status: 200}}]}
  - {id: T-013, test: m, must: m, source: s, steps: [{request: "GET ${api}/tasks?t=${token}", expect: {status: 200}}]}
  - {id: T-014, test: n, must: m, source: s, applies: {observers: 32}, STEPS}
  - {id: T-015, test: o, must: m, source: s, applies: {observers: 33}, STEPS}
`, "STEPS", step)), Target{ExecutorURL: (&fake{}).start(t)}, Options{})
	want := `T-001 pass
T-002 pass
T-003 skip claim:pushNotifications
T-004 skip auth-disabled
T-005 pass
T-006 skip production
T-007 skip reserved-v2.2
T-008 skip slow
T-009 skip no-hook:restart
T-010 skip no-cue:completed
T-011 skip no-token:operator
T-012 pass
T-013 skip no-token:instance
T-014 pass
T-015 skip few-observers`
	if diff := cmp.Diff(want, summary(out)); diff != "" {
		t.Error(diff)
	}
	for id, says := range map[string]string{"T-008": "--max-wait 40s", "T-009": "hooks: {restart:", "T-010": `cues: {completed: "..."}`, "T-011": "tokens: {operator:"} {
		if r := result(t, out, id); !strings.Contains(r.Reason.Detail, says) {
			t.Errorf("%s: %q does not say %q", id, r.Reason.Detail, says)
		}
	}
	if out.Verdict != report.Passed {
		t.Errorf("verdict is %s: %s", out.Verdict, out.Because)
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	steps := `
  - {id: T-001, test: a, must: m, source: s, applies: {auth: enabled}, steps: [{request: "GET ${api}/tasks", as: anonymous, expect: {status: 401}}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{request: "GET ${api}/tasks", expect: {status: 200}}]}
  - {id: T-003, test: c, must: m, source: s, steps: [{request: "GET ${admin}/instances", as: admin, expect: {status: 200}}]}
`
	passes := "T-001 pass\nT-002 pass\nT-003 pass"
	none := func(code string) string {
		return fmt.Sprintf("T-001 skip %s\nT-002 skip %s\nT-003 skip %s", code, code, code)
	}
	tests := []struct {
		name    string
		fake    *fake
		tokens  map[string]string
		want    string
		verdict report.Verdict
	}{
		{"each its own", &fake{token: "tttt", admin: "aaaa"}, map[string]string{"instance": "tttt", "admin": "aaaa"}, passes, report.Passed},
		{"one for both", &fake{token: "tttt", admin: "tttt"}, map[string]string{"instance": "tttt"}, passes, report.Passed},
		{"the admin's for both", &fake{token: "aaaa", admin: "aaaa"}, map[string]string{"admin": "aaaa"}, passes, report.Passed},
		{"the stand-in is refused", &fake{token: "tttt", admin: "aaaa"}, map[string]string{"instance": "tttt"}, "T-001 pass\nT-002 pass\nT-003 skip no-token:admin", report.Passed},
		{"wrong token", &fake{token: "tttt", admin: "aaaa"}, map[string]string{"instance": "xxxx", "admin": "aaaa"}, none("unauthorized"), report.Unauthorized},
		{"wrong admin token", &fake{token: "tttt", admin: "aaaa"}, map[string]string{"instance": "tttt", "admin": "xxxx"}, none("unauthorized"), report.Unauthorized},
		{"none, but one is needed", &fake{token: "tttt"}, nil, none("unauthorized"), report.Unauthorized},
		{"none, and none is needed", &fake{}, nil, "T-001 skip auth-disabled\nT-002 pass\nT-003 pass", report.Passed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := test.fake
			if f == nil {
				f = &fake{}
			}
			out := runAll(t, loaded(t, steps), Target{ExecutorURL: f.start(t) + "/agents/" + fakeInstance + "/", Tokens: test.tokens}, Options{})
			if diff := cmp.Diff(test.want, summary(out)); diff != "" {
				t.Error(diff)
			}
			if out.Verdict != test.verdict {
				t.Errorf("verdict is %s: %s", out.Verdict, out.Because)
			}
		})
	}
}

func TestRequireAuth(t *testing.T) {
	t.Parallel()
	out := runAll(t, loaded(t, `
  - {id: T-001, test: a, must: m, source: s, applies: {auth: enabled}, steps: [{request: "GET ${api}/tasks", as: anonymous, expect: {status: 401}}]}
`), Target{ExecutorURL: (&fake{}).start(t), RequireAuth: true}, Options{})
	if got := summary(out); got != "T-001 fail fail: status is 200, want 401" {
		t.Error(got)
	}
}

func TestWhereThingsAre(t *testing.T) {
	t.Parallel()
	base := "/agents/" + fakeInstance
	tests := []struct {
		name     string
		fake     *fake
		path     string
		instance string
		iid      string
		noted    string
	}{
		{name: "instance URL", path: base, iid: fakeInstance},
		{name: "instance URL with slashes", path: base + "//", iid: fakeInstance},
		{name: "instance URL below a prefix", fake: &fake{prefix: "/deep/down"}, path: base, iid: fakeInstance},
		{name: "root", path: "", iid: fakeInstance, noted: "found in the admin list"},
		{name: "root below a prefix", fake: &fake{prefix: "/deep"}, path: "/", iid: fakeInstance, noted: "found in the admin list"},
		{name: "root and the instance", path: "/", instance: fakeInstance, iid: fakeInstance},
		{name: "root, admin list refused, key set", fake: &fake{admin: "aaaa", routes: map[string]http.HandlerFunc{"jwks": nil}}, path: "", iid: fakeInstance, noted: "found in the key set"},
		{name: "nothing to be found", fake: &fake{admin: "aaaa"}, path: "", iid: "", noted: "judged as the instance"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := test.fake
			if f == nil {
				f = &fake{}
			}
			address := f.start(t)
			if _, keys := f.routes["jwks"]; keys {
				address = withKeys(t, f, address)
			}
			out := runAll(t, loaded(t, oneTest(`- {request: "GET ${api}/tasks", expect: {status: 200}}`)),
				Target{ExecutorURL: address + test.path, Instance: test.instance}, Options{})
			if out.Target.InstanceID != test.iid {
				t.Errorf("instance is %q", out.Target.InstanceID)
			}
			if (out.Summary.Pass == 1) != (test.iid != "") {
				t.Error(summary(out), out.Because)
			}
			noted := ""
			for _, p := range out.Preflight {
				noted += p.Problem + "\n"
			}
			if !strings.Contains(noted, test.noted) {
				t.Errorf("preflight says %q", noted)
			}
		})
	}
}

// withKeys puts a key set at the root of a fake.
func withKeys(t *testing.T, f *fake, _ string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/jwks.json", func(w http.ResponseWriter, q *http.Request) {
		fmt.Fprintf(w, `{"keys":[{"kid":"not-a-uuid"},{"kid":"018fc0a2-0000-7aaa-bbbb-ccccddddeeee"},{"kid":%q}]}`, fakeInstance)
	})
	mux.Handle("/", f)
	return serveHandler(t, mux)
}

func TestInstances(t *testing.T) {
	t.Parallel()
	ids, err := Instances(t.Context(), profiles.Of(profiles.Default), Target{ExecutorURL: (&fake{}).start(t)}, Options{Timeout: 5 * time.Second})
	if err != nil || !cmp.Equal(ids, []string{fakeInstance}) {
		t.Errorf("instances are %v, %v", ids, err)
	}
	if _, err := Instances(t.Context(), profiles.Of(profiles.Default), Target{ExecutorURL: (&fake{admin: "aaaa"}).start(t)}, Options{}); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("error is %v", err)
	}
}

func TestVerdictOfUnmeasuredSurfaces(t *testing.T) {
	t.Parallel()
	out := against(t, &fake{}, oneTest(`- {hook: restart, expect: {result: {is_a: object}}}`))
	if out.Verdict != report.Incomplete || !strings.Contains(out.Because, "tasks") {
		t.Errorf("verdict is %s: %s", out.Verdict, out.Because)
	}
}

func TestClaimsAreAudited(t *testing.T) {
	t.Parallel()
	f := &fake{routes: map[string]http.HandlerFunc{"GET /echo": func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("A2A-Extensions", "https://x.example/extensions/runtime/v1, https://x.example/extensions/other/v1")
		w.Header().Set("Content-Type", "application/json")
	}}}
	out := against(t, f, `
  - {id: T-001, test: a, must: m, source: s, applies: {claims: runtime/v1}, steps: [{request: "GET ${api}/echo", expect: {status: 200}}]}
  - {id: T-002, test: b, must: m, source: s, applies: {claims: runtime/v1}, steps: [{request: "GET ${api}/echo", expect: {status: 404}}]}
  - {id: T-003, test: c, must: m, source: s, applies: {claims: runtime/v1}, given: [{hook: x}], steps: [{request: "GET ${api}/echo", expect: {status: 404}}]}
`)
	var got []string
	for _, c := range out.Claims {
		got = append(got, fmt.Sprintf("%s %s declared=%t seen=%t %d/%d/%d/%d %v %v", c.Kind, c.Name, c.Declared, c.Seen, c.Passed, c.Failed, c.Warned, c.Unmeasured, c.Tests, c.Why))
	}
	want := []string{
		"binding HTTP+JSON declared=true seen=true 1/1/0/1 [T-001 T-002 T-003] [no-hook:x (1)]",
		"capability streaming declared=true seen=false 0/0/0/0 [] [no test of this run exercises it]",
		"extension https://x.example/extensions/other/v1 declared=false seen=true 0/0/0/0 [] [no test of this run exercises it]",
		"extension https://x.example/extensions/runtime/v1 declared=true seen=true 1/1/0/1 [T-001 T-002 T-003] [no-hook:x (1)]",
		"security bearer declared=true seen=false 0/0/0/0 [] [no test of this run exercises it]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if out.Target.CardName != "fake" || len(out.Target.CardSHA256) != 64 {
		t.Errorf("target is %+v", out.Target)
	}
}
