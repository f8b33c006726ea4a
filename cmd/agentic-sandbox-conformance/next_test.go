// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/demo"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// TestNextIsWhatComes: what a run with one token promises of the next step is what a run with that step measures, and so for the last
// step, and for the statements that are true.
func TestNextIsWhatComes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		profile string
		some    []string // tests that take little time, of each way to lack something
		true    []string // the statements that are true of the reference server
	}{
		{defaultProfile, []string{"ADM-00*", "ADM-013", "ADM-014", "AUTH-00[4-9]", "HITL-00[1249]", "HITL-021", "ADP-*", "V1-011", "OUT-*", "PTX-02[0467]", "TASK-012"},
			[]string{"hook:echo-session", "hook:storage"}},
		{demo.PlainProfile, []string{"A2A-REST-06[258]", "A2A-SEC-009", "A2A-SEC-022"}, []string{"hook:oversized-requests", "hook:protected-action"}},
	} {
		t.Run(row.profile, func(t *testing.T) {
			t.Parallel()
			server, err := referenceServers[row.profile].demo(t.Context(), nil, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(server.Close)
			all, err := server.Target(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			profile, err := suites.LoadProfile(suites.Embedded(), row.profile)
			if err != nil {
				t.Fatal(err)
			}
			play := func(given []string) *report.Run {
				t.Helper()
				target, wait := onlyGiven(t, all, given)
				out, err := runner.Run(t.Context(), profile, target, runner.Options{MaxWait: wait, Seed: 1, Select: func(x *suites.Test) bool {
					return x.Slow <= 3*time.Second && slices.ContainsFunc(row.some, func(glob string) bool { is, err := path.Match(glob, x.ID); return is && err == nil })
				}})
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			before := play(nil)
			if before.Next == nil || len(before.Next.Steps) < 4 {
				t.Fatalf("a run with one token has these steps: %+v", before.Next)
			}
			measured := func(out *report.Run) []string {
				var ids []string
				for _, r := range out.Results {
					if r.Outcome == report.Pass || r.Outcome == report.Fail || r.Outcome == report.Warn {
						ids = append(ids, r.ID)
					}
				}
				slices.Sort(ids)
				return ids
			}
			had := measured(before)
			check := func(what string, given []string, promised int, adds []string) {
				t.Helper()
				out := play(given)
				if got := out.Summary.Measured(); got != promised {
					t.Errorf("%s: %d requirements are measured, %d were promised", what, got, promised)
				}
				want := slices.Concat(had, adds)
				slices.Sort(want)
				if diff := cmp.Diff(want, measured(out)); diff != "" {
					t.Errorf("%s (-promised +measured):\n%s", what, diff)
				}
			}
			steps := before.Next.Steps
			check("the first step", steps[0].Configure, steps[0].Measured, steps[0].Tests)
			var given, adds []string
			for _, s := range steps {
				given, adds = append(given, s.Configure...), append(adds, s.Tests...)
			}
			check("all steps", given, steps[len(steps)-1].Measured, adds)
			promised := steps[len(steps)-1].Measured
			for _, s := range before.Next.IfTrue {
				if !slices.ContainsFunc(s.Configure, func(name string) bool { return !slices.Contains(row.true, name) && !slices.Contains(given, name) }) {
					given, adds, promised = append(given, s.Configure...), append(adds, s.Tests...), promised+s.Adds
				}
			}
			check("all steps and the statements that are true", given, promised, adds)
		})
	}
}

// onlyGiven is a target with the token of the instance and what has been given, and how long a test may wait.
func onlyGiven(t *testing.T, all runner.Target, given []string) (runner.Target, time.Duration) {
	t.Helper()
	some := all
	some.Tokens, some.Hooks, some.Cues = map[string]string{"instance": all.Tokens["instance"]}, map[string]runner.Hook{}, map[string]any{}
	wait := time.Nanosecond
	for _, name := range given {
		kind, rest, _ := strings.Cut(name, ":")
		there := true
		switch kind {
		case "token":
			some.Tokens[rest], there = all.Tokens[rest]
		case "hook":
			some.Hooks[rest], there = all.Hooks[rest]
		case "cue":
			some.Cues[rest], there = all.Cues[rest]
		case "max-wait":
			wait = 3 * time.Second
		default:
			there = false
		}
		if !there {
			t.Fatalf("nobody can give %s", name)
		}
	}
	return some, wait
}
