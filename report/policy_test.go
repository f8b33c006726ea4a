// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBecameOfABaselineEntry(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		outcome Outcome
		expires string
		status  EntryStatus
		verdict Verdict
		says    string
	}{
		"a failure before the last day":      {Fail, "2026-12-31", EntryWaived, Passed, "is accepted until 2026-12-31"},
		"a failure on the last day":          {Fail, "2026-11-22", EntryWaived, Passed, "is accepted until"},
		"a failure on the day after":         {Fail, "2026-11-21", EntryExpired, Failed, "at b.yaml:1:3 expired after 2026-11-21, so its failure counts (owner me)"},
		"a pass":                             {Pass, "2026-12-31", EntryStale, Incomplete, "stale: remove it"},
		"a pass with a warning":              {Warn, "2026-12-31", EntryStale, Incomplete, "stale"},
		"a pass of what is accepted no more": {Pass, "2026-11-21", EntryStale, Incomplete, "stale: remove it (owner me); it expired after 2026-11-21"},
		"a skip":                             {Skip, "2026-12-31", EntryNotMeasured, Passed, "not measured (slow)"},
		"a skip of what is accepted no more": {Skip, "2026-11-21", EntryNotMeasured, Passed, "; it expired after"},
		"a block":                            {Blocked, "2026-12-31", EntryNotMeasured, Passed, "not measured (slow)"},
		"nothing":                            {"", "2026-12-31", EntryNotSelected, Passed, "not selected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &Baseline{Name: "b.yaml", Day: "2026-11-22", Entries: []Accepted{{ID: "A-2", At: "b.yaml:1:3", Reason: "known", Owner: "me", Expires: row.expires}}}
			run := &Run{Verdict: Passed, Results: []Result{{ID: "A-1", Outcome: Pass}}}
			if row.outcome != "" {
				r := Result{ID: "A-2", Outcome: row.outcome}
				if row.outcome == Skip || row.outcome == Blocked {
					r.Reason = &Reason{Code: "slow"}
				}
				if w, ok := b.Waivers()["A-2"]; ok && row.outcome == Fail {
					r.Waiver = &w
				}
				run.Results = append(run.Results, r)
			}
			Gate{Baseline: b}.Judge(run)
			entry := run.Policies[0].Entries[0]
			if entry.Status != row.status || run.Verdict != row.verdict || !strings.Contains(entry.Says, row.says) {
				t.Errorf("the entry is %s and the run %s because %q, want %s, %s, %q", entry.Status, run.Verdict, entry.Says, row.status, row.verdict, row.says)
			}
			if b.Entries[0].Status != "" {
				t.Error("judging has changed the baseline")
			}
		})
	}
}

func TestAPolicyNeverMakesAVerdictBetter(t *testing.T) {
	t.Parallel()
	for _, verdict := range []Verdict{Failed, Incomplete, Unreachable, Unauthorized} {
		run := &Run{Verdict: verdict, Results: []Result{{ID: "A-1", Outcome: Skip, Reason: &Reason{Code: "slow"}}}}
		Gate{Baseline: &Baseline{}, SkipBudget: &SkipBudget{Most: []Budget{{Code: "slow", Most: 9}}}, Strict: true}.Judge(run)
		if run.Verdict != verdict {
			t.Errorf("%s becomes %s", verdict, run.Verdict)
		}
		unmeasured := verdict == Unreachable || verdict == Unauthorized
		if unmeasured != (len(run.Policies) == 0) {
			t.Errorf("%s was held against %d policies", verdict, len(run.Policies))
		}
	}
}

func TestSkipsAreCountedUnderOneEntry(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		budget []Budget
		want   []string // of the policy
	}{
		"the code itself before its glob":    {[]Budget{{Code: "no-hook:*", Most: 1}, {Code: "no-hook:a", Most: 2}}, nil},
		"the longer glob before the shorter": {[]Budget{{Code: "*", Most: 9}, {Code: "no-*", Most: 0}, {Code: "no-hook:*", Most: 3}}, nil},
		"a glob counts all that it covers":   {[]Budget{{Code: "no-hook:*", Most: 2}}, []string{"b.yaml: skips for no-hook:*: 3, allowed 2 (A-1, A-2, A-3)"}},
		"what is not named is not limited":   {[]Budget{{Code: "no-hook:a", Most: 2}}, nil},
		"unless others says so": {[]Budget{{Code: "no-hook:a", Most: 2}, {Code: "others", Most: 1}},
			[]string{"b.yaml: skips for others: 2, allowed 1 (A-3, A-4)"}},
		"none are allowed": {[]Budget{{Code: "slow", Most: 0}}, []string{"b.yaml: skips for slow: 1, allowed 0 (A-4)"}},
	} {
		run := &Run{Verdict: Passed, Results: []Result{{ID: "A-0", Outcome: Pass}}}
		for i, code := range []string{"no-hook:a", "no-hook:a", "no-hook:b", "slow"} {
			run.Results = append(run.Results, Result{ID: "A-" + string(rune('1'+i)), Outcome: Skip, Reason: &Reason{Code: code}})
		}
		Gate{SkipBudget: &SkipBudget{Name: "b.yaml", Most: row.budget}}.Judge(run)
		if diff := cmp.Diff(row.want, run.Policy); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if (run.Verdict == Passed) != (len(row.want) == 0) {
			t.Errorf("%s: the verdict is %s", name, run.Verdict)
		}
	}
}

func TestMatchesReason(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		pattern, code string
		want          bool
	}{
		{"slow", "slow", true}, {"slow", "slower", false}, {"no-hook:*", "no-hook:restart", true}, {"no-hook:*", "no-hook:", true},
		{"no-hook:*", "no-cue:x", false}, {"claim:*", "claim:https://x/y", true}, {"*", "anything", true}, {"*:re*t", "no-hook:restart", true},
		{"*:re*t", "no-hook:restarts", false}, {"a*a", "a", false}, {"a*b*b", "ab", false}, {"[s]low", "slow", false},
	} {
		if got := MatchesReason(row.pattern, row.code); got != row.want {
			t.Errorf("%s covers %s: %v, want %v", row.pattern, row.code, got, row.want)
		}
	}
}

func TestStrictNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	pass := Result{ID: "A-1", Surface: "card", Outcome: Pass}
	skip := func(id, surface, code string) Result {
		return Result{ID: id, Surface: surface, Outcome: Skip, Reason: &Reason{Code: code}}
	}
	for name, row := range map[string]struct {
		run  Run
		want []string
	}{
		"nothing":                          {Run{Results: []Result{pass}}, nil},
		"what the card does not declare":   {Run{Results: []Result{pass, skip("A-2", "push", "claim:push"), skip("A-3", "card", "reserved-v2.2")}}, nil},
		"a part that was chosen":           {Run{Results: []Result{pass}, Partial: []string{"1 of the profile's 9 tests were selected", "--run"}}, nil},
		"a warning":                        {Run{Results: []Result{pass, {ID: "A-2", Outcome: Warn}}}, []string{"--strict: 1 warning: A-2"}},
		"a block":                          {Run{Results: []Result{pass, {ID: "A-2", Surface: "card", Outcome: Blocked}}}, []string{"--strict: 1 test is blocked: A-2"}},
		"a hook that was not configured":   {Run{Results: []Result{pass, skip("A-2", "card", "no-hook:x")}}, []string{"--strict: 1 test was not measured, no-hook:x: A-2"}},
		"a reason that nobody knows":       {Run{Results: []Result{pass, skip("A-2", "card", "just-so")}}, []string{"--strict: 1 test was not measured, just-so: A-2"}},
		"a surface without a token":        {Run{Results: []Result{pass, skip("A-2", "admin", "no-token:admin")}, Partial: []string{"no token for admin"}}, []string{"--strict: 1 test was not measured, no-token:admin: A-2", "--strict: nothing was measured on admin", "--strict: the run is partial: no token for admin"}},
		"a diagnosis":                      {Run{Results: []Result{pass}, Diagnostic: "pty-dialect:compact"}, []string{"--strict: the run is a diagnosis: pty-dialect:compact"}},
		"certificates that nobody checked": {Run{Results: []Result{pass}, Warnings: []string{"--insecure: x"}}, []string{"--strict: about this run: --insecure: x"}},
	} {
		row.run.Verdict = Passed
		Gate{Strict: true}.Judge(&row.run)
		if diff := cmp.Diff(row.want, row.run.Policy); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if want := map[bool]Verdict{true: Passed, false: Incomplete}[len(row.want) == 0]; row.run.Verdict != want {
			t.Errorf("%s: the verdict is %s, want %s", name, row.run.Verdict, want)
		}
	}
}

func TestNotForThisTargetHasNoDoubles(t *testing.T) {
	t.Parallel()
	sorted := slices.Sorted(slices.Values(notForThisTarget))
	if len(slices.Compact(sorted)) != len(notForThisTarget) {
		t.Error("a reason stands there twice")
	}
}
