// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// An executor that delivers from one queue and tries dead webhooks for long is told so by the requirement about that, and by
// no other: nothing that a run registers holds the deliveries of its other tests up, nor those of the next run. It is the
// same where it takes any URL for a webhook.
func TestOneQueueOfDeliveriesCostsOneRequirement(t *testing.T) {
	if testing.Short() {
		t.Skip("it plays four runs")
	}
	for _, row := range []struct {
		faults []string
		fail   []string // and warn
	}{
		{[]string{"push-in-one-queue-with-long-retries"}, []string{"PUSH-021"}},
		{[]string{"push-in-one-queue-with-long-retries", "push-any-url-accepted"}, []string{"PUSH-011", "PUSH-021"}},
	} {
		t.Run(strings.Join(row.faults, " and "), func(t *testing.T) {
			t.Parallel()
			profile := bundled(t, sandbox.profile)
			d := sandbox.deployments[0]
			s, err := d.serve(row.faults, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.close)
			for run := range 2 {
				options := runner.Options{Jobs: 24, MaxWait: time.Hour, HoldFactor: hold, Seed: 1,
					Select: func(test *suites.Test) bool { return d.judges(test) && touchesPushes(test) }}
				out, err := runner.Start(t.Context(), profiles.Of(profile.Name), s.target(), options).Play(profile, options)
				if err != nil {
					t.Fatal(err)
				}
				var broken []string
				for _, r := range out.Results {
					switch r.Outcome {
					case report.Fail, report.Warn:
						broken = append(broken, r.ID)
					case report.Blocked:
						t.Errorf("run %d: %s is blocked: %s", run+1, r.ID, r.Reason.Detail)
					}
				}
				if slices.Sort(broken); !slices.Equal(broken, row.fail) {
					t.Errorf("run %d: broken are %v, want %v; it said %q", run+1, broken, row.fail, out.Warnings)
				}
			}
		})
	}
}

// The same of A2A 1.0, where all of the profile is played: what the failing webhooks of other tests hold up has no verdict. It is
// one run: on a quiet machine two of work that is long enough for a busy one ask more often than a run keeps answers.
func TestOneQueueOfDeliveriesCostsOneRequirementOfA2A(t *testing.T) {
	if testing.Short() {
		t.Skip("it plays the whole profile, which takes more than a minute")
	}
	t.Parallel()
	heldUp := []string{"A2A-PUSH-027", "A2A-PUSH-030"} // they have webhooks that fail beside those that they look at
	profile := bundled(t, anyAgent.profile)
	d := anyAgent.deployments[0]
	// One after the other they take their time, which is no matter of the queue where nothing is waited for less than that.
	const slower = 3
	c := cards[0]
	c.config = func(config *plain.Config) {
		config.Work *= 2 * slower // a task is at work until its webhooks are registered, on a busy machine as well
	}
	s, err := newAgent(c, []string{"push-in-one-queue-with-long-retries"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	options := runner.Options{Jobs: 24, MaxWait: time.Hour, HoldFactor: slower * hold, Seed: 1, Select: d.judges}
	out, err := runner.Start(t.Context(), profiles.Of(profile.Name), s.target(), options).Play(profile, options)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out.Results {
		switch {
		case r.ID == "A2A-PUSH-021":
			if r.Outcome != report.Fail {
				t.Errorf("%s is %s (%s)", r.ID, r.Outcome, reason(r))
			}
		case r.Outcome == report.Blocked && slices.Contains(heldUp, r.ID):
		case r.Outcome == report.Fail, r.Outcome == report.Warn, r.Outcome == report.Blocked:
			t.Errorf("%s is %s (%s)", r.ID, r.Outcome, reason(r))
		}
	}
}

// touchesPushes says whether a test registers webhooks.
func touchesPushes(test *suites.Test) bool {
	return test.Suite.Surface == "push" || slices.Contains([]string{"TASK-012", "TASK-033", "AUTH-001", "AUTH-005", "OBS-016"}, test.ID)
}
