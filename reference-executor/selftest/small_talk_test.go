// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// What needs a task asks for one: an agent that answers small talk with a message is looked at as closely as one that makes a
// task of it. A part that goes on only with a task, and asks for none, is left out without a word.
func TestFaultsShowWhereSmallTalkIsAnsweredByMessages(t *testing.T) {
	if testing.Short() {
		t.Skip("it plays a run for each fault")
	}
	for _, row := range []struct{ id, fault, beside string }{
		{"A2A-ERR-001", "deletions-of-nothing-are-refused-twice-in-one-body", ""},
		{"A2A-ERR-009", "deletions-of-nothing-are-refused-with-a-web-page", ""},
		{"A2A-ERR-011", "cancels-find-tasks-by-their-context", ""},
		{"A2A-PUSH-023", "webhooks-of-messages-lose-the-query", ""},
		{"A2A-PUSH-024", "push-cuts-long-bodies", "deliveries-are-tasks"}, // elsewhere what is delivered of such a task is short
		{"A2A-PUSH-027", "webhooks-of-messages-get-no-credentials", ""},
		{"A2A-REST-007", "tasks-can-be-deleted", ""},
		{"A2A-REST-030", "messages-find-tasks-by-their-context", ""},
		{"A2A-REST-036", "one-reference-is-enough", ""},
		{"A2A-REST-046", "contexts-of-lists-are-patterns", ""},
		{"A2A-REST-046", "contexts-of-lists-ignore-case", ""},
		{"A2A-REST-050", "list-looks-at-whole-seconds", ""},
		{"A2A-REST-081", "pushed-times-have-an-offset", ""},
		{"A2A-SEC-010", "ended-tasks-of-others-cannot-be-subscribed", ""},
		{"A2A-STREAM-027", "subscriptions-find-tasks-by-their-context", ""},
		{"A2A-VER-007", "legacy-reads-are-unknown", ""},
	} {
		t.Run(row.id+" under "+row.fault, func(t *testing.T) {
			t.Parallel()
			profile := bundled(t, anyAgent.profile)
			tests := profile.Tests()
			test := tests[slices.IndexFunc(tests, func(test *suites.Test) bool { return test.ID == row.id })]
			at := slices.IndexFunc(test.BrokenBy, func(b suites.Breakage) bool { return b.Fault == row.fault })
			if at < 0 {
				t.Fatalf("%s names no fault %s", row.id, row.fault)
			}
			d := anyAgent.deployments[slices.IndexFunc(anyAgent.deployments, func(d deployment) bool { return d.judges(test) })]
			on := []string{row.fault, "echoes-are-messages"}
			if row.beside != "" {
				on = append(on, row.beside)
			}
			s, err := d.serve(on, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.close)
			options := runner.Options{Jobs: 24, MaxWait: time.Hour, HoldFactor: hold, Seed: 1, Select: func(other *suites.Test) bool { return other.ID == row.id }}
			out, err := runner.Start(t.Context(), profiles.Of(profile.Name), s.target(), options).Play(profile, options)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range out.Results {
				if r.ID == row.id && (r.Outcome != outcomes[test.Shows(test.BrokenBy[at])] || !regexp.MustCompile(test.BrokenBy[at].Says).MatchString(reason(r))) {
					t.Errorf("%s is %s, and does not say %q: %s", r.ID, r.Outcome, test.BrokenBy[at].Says, reason(r))
				}
			}
			if !slices.ContainsFunc(out.Results, func(r report.Result) bool { return r.ID == row.id }) {
				t.Errorf("%s was not played", row.id)
			}
		})
	}
}
