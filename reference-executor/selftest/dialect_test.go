// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/dialect"
)

// playDialect plays the chosen tests against an executor whose terminals speak the compact dialect.
func playDialect(t *testing.T, read string, chosen func(*suites.Test) bool, faults ...string) *report.Run {
	t.Helper()
	profile, err := suites.LoadProfile(suites.Embedded(), "agentic-sandbox-v2")
	if err != nil {
		t.Fatal(err)
	}
	p := &trials{profile: profile, proof: sandbox}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	run, err := p.play(ctx, setup{
		name:   "speaking the compact PTY dialect",
		config: func(c *executor.Config) { c.PTYDialect = "compact" },
		target: func(target *runner.Target, _ *operator) { target.PTYDialect = read },
	}.deployment(), faults, chosen, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func onTerminals(test *suites.Test) bool {
	return strings.HasPrefix(test.Suite.Surface, "pty-") && !test.Last
}

// TestADialectIsOneFinding holds ruling A56: one headline, and what it keeps from being judged is folded under it.
func TestADialectIsOneFinding(t *testing.T) {
	t.Parallel()
	run := playDialect(t, "", func(test *suites.Test) bool { return onTerminals(test) || test.ID == "PTY-034" })
	const cause = "the executor speaks the compact dialect on its terminals, not pty-ws/v1 (ruling A56)"
	blocked, passed := 0, 0
	for i := range run.Results {
		result := &run.Results[i]
		switch result.Outcome {
		case report.Fail:
			if result.ID != "PTY-034" || len(result.Findings) != 1 || result.Findings[0].Ruling != "A56" ||
				!strings.HasPrefix(result.Findings[0].Problem, cause+": its greeting carries seq instead of sequence, and its greeting lists ") {
				t.Errorf("%s fails: %v, want nothing but the headline of PTY-034", result.ID, result.Findings)
			}
		case report.Blocked:
			if blocked++; result.Reason.Cause != cause {
				t.Errorf("%s is blocked by %q, want %q", result.ID, result.Reason.Cause, cause)
			}
		case report.Warn:
			t.Errorf("%s warns: %v", result.ID, result.Findings)
		case report.Pass:
			if passed++; !strings.Contains(result.Suite, "pty_upgrade") && !strings.Contains(result.Suite, "advertisement") && result.ID != "PTY-119" {
				t.Errorf("%s (%s) passes, want only what handshakes and the card show", result.ID, result.Name)
			}
		}
	}
	if blocked < 100 || passed == 0 {
		t.Errorf("%d tests are blocked by the dialect and %d pass, want more than 100 and some that judge handshakes", blocked, passed)
	}
	if run.Verdict != report.Failed || !strings.Contains(run.Because, "1 requirement is broken; "+cause+", which blocks ") {
		t.Errorf("the verdict is %s because %q, want a failure that names the dialect", run.Verdict, run.Because)
	}
}

// TestADialectFailsWithoutItsHeadline has only tests that are blocked: what a dialect blocks counts as broken.
func TestADialectFailsWithoutItsHeadline(t *testing.T) {
	t.Parallel()
	run := playDialect(t, "", func(test *suites.Test) bool { return test.ID == "PTY-058" || test.ID == "PTY-059" })
	if run.Verdict != report.Failed || !strings.HasSuffix(run.Because, "which blocks 2 requirements") {
		t.Errorf("the verdict is %s because %q, want a failure that says that 2 requirements are blocked", run.Verdict, run.Because)
	}
}

// TestTheDialectIsJudgedUnderneath reads the dialect: what a diagnostic run judges of frames holds, and all the rest says
// that it is not judged.
func TestTheDialectIsJudgedUnderneath(t *testing.T) {
	t.Parallel()
	run := playDialect(t, dialect.Compact, onTerminals)
	judged := 0
	for i := range run.Results {
		result := &run.Results[i]
		switch underneath := slices.Contains(dialect.Judged(), result.ID); {
		case underneath && result.Outcome == report.Pass:
			judged++
		case underneath || result.Outcome != report.Pass && result.Outcome != report.Skip:
			t.Errorf("%s (%s) is %s: %v %v, want a pass of what is judged and a skip of what is not", result.ID, result.Name, result.Outcome, result.Reason, result.Findings)
		}
	}
	if judged < 50 {
		t.Errorf("%d requirements about frames are judged, want 50 at least", judged)
	}
	line := report.OneLine(run)
	if run.Diagnostic != "pty-dialect:compact" || !strings.HasPrefix(line, "PASS, ") || !strings.Contains(line, ", DIAGNOSTIC (pty-dialect:compact), PARTIAL (") || strings.Contains(line, "conformant") {
		t.Errorf("the verdict is %q, want a pass that is labelled DIAGNOSTIC", line)
	}
}

// TestTheDialectHidesNoFault breaks behaviour below the dialect, one kind at a time.
func TestTheDialectHidesNoFault(t *testing.T) {
	t.Parallel()
	profile, err := suites.LoadProfile(suites.Embedded(), "agentic-sandbox-v2")
	if err != nil {
		t.Fatal(err)
	}
	// by test, how many of the faults that it names
	broken := map[string]int{"PTY-098": 2, "PTY-118": 1, "PTY-121": 1, "PTX-025": 1, "PTX-040": 1, "PTX-055": 1}
	for _, test := range profile.Tests() {
		for _, by := range test.BrokenBy[:min(broken[test.ID], len(test.BrokenBy))] {
			run := playDialect(t, dialect.Compact, func(other *suites.Test) bool { return other.ID == test.ID }, by.Fault)
			if outcome := run.Results[0].Outcome; outcome != report.Fail {
				t.Errorf("%s is %s under %s, want a failure", test.ID, outcome, by.Fault)
			}
		}
		delete(broken, test.ID)
	}
	for id := range broken {
		t.Errorf("the profile has no %s", id)
	}
}

// TestWhatFollowsInADialectIsBlocked: what a first picture or a leave that is not told keeps from being judged is no failure
// of its own, in a dialect either.
func TestWhatFollowsInADialectIsBlocked(t *testing.T) {
	t.Parallel()
	for fault, row := range map[string]struct {
		fails  string
		blocks []string
	}{
		"join-without-keyframe":           {"PTX-007", []string{"PTX-018", "PTX-052", "PTY-123"}},
		"observers-join-without-keyframe": {"PTX-007", []string{"PTX-018", "PTX-052", "PTY-123"}},
		"leave-silent":                    {"PTX-038", []string{"PTX-040"}},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			run := playDialect(t, dialect.Compact, func(test *suites.Test) bool {
				return test.ID == row.fails || slices.Contains(row.blocks, test.ID)
			}, fault)
			for i := range run.Results {
				result, want := &run.Results[i], report.Blocked
				if result.ID == row.fails {
					want = report.Fail
				}
				if result.Outcome != want {
					t.Errorf("%s is %s, want %s: %v %v", result.ID, result.Outcome, want, result.Reason, result.Findings)
				}
			}
		})
	}
}

// TestTheBindingIsNotReadAsADialect reads the dialect where pty-ws/v1 is spoken, which measures nothing.
func TestTheBindingIsNotReadAsADialect(t *testing.T) {
	t.Parallel()
	profile, err := suites.LoadProfile(suites.Embedded(), "agentic-sandbox-v2")
	if err != nil {
		t.Fatal(err)
	}
	p := &trials{profile: profile, proof: sandbox}
	run, err := p.play(t.Context(), setup{
		name:   "read as the compact PTY dialect",
		target: func(target *runner.Target, _ *operator) { target.PTYDialect = dialect.Compact },
	}.deployment(), nil, func(test *suites.Test) bool { return test.ID == "PTX-005" || test.ID == "PTX-012" }, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range run.Results {
		if result.Outcome != report.Blocked || !strings.Contains(result.Reason.Cause, "run without --pty-dialect") {
			t.Errorf("%s is %s (%v), want it blocked with a cause that says what to do", result.ID, result.Outcome, result.Reason)
		}
	}
}

// TestJudgedUnderneathExists holds that what a diagnostic run judges is in the profile.
func TestJudgedUnderneathExists(t *testing.T) {
	t.Parallel()
	profile, err := suites.LoadProfile(suites.Embedded(), "agentic-sandbox-v2")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, test := range profile.Tests() {
		known[test.ID] = true
	}
	for _, id := range dialect.Judged() {
		if !known[id] {
			t.Errorf("a diagnostic run would judge %s, which no suite has", id)
		}
	}
}
