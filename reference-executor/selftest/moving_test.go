// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"context"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// TestTasksThatMoveHideNoFault plays a test about pages on a server that takes its time for a page, as a busy machine does,
// while its tasks are at work. One that moves between two pages goes to the front, past the walk: if nothing waits for the
// tasks to come to rest, later pages have nothing to be too long with.
func TestTasksThatMoveHideNoFault(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := cards[0]
	c.config = func(c *plain.Config) { c.Work = 2 * time.Second }
	moving := declaringDeployments([]card{c})[0]
	moving.serve = func(faults []string, _ func(point string)) (subject, error) {
		return newAgent(c, faults, func(point string) {
			if point == "list.page" {
				time.Sleep(300 * time.Millisecond)
			}
		})
	}
	chosen := func(test *suites.Test) bool { return test.ID == "A2A-REST-053" }
	run, err := (&trials{profile: bundled(t, anyAgent.profile), proof: anyAgent}).play(ctx, moving, []string{"later-pages-ignore-their-size"}, chosen, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Results {
		if r := run.Results[i]; r.ID == "A2A-REST-053" && r.Outcome != report.Fail {
			t.Errorf("%s is %s (%s), want %s", r.ID, r.Outcome, reason(r), report.Fail)
		}
	}
}
