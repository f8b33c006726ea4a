// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"context"
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/faultsets"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

var (
	manySets = flag.Int("many", 0, "sets of faults at once to play of each profile, in place of the fixed ones")
	manySeed = flag.Uint64("seed", 1, "seed of the first of them")
)

// fixedSets are the seeds of the sets that are played of each profile with the other tests: few enough for that.
var fixedSets = map[string]struct {
	seed uint64
	sets int
}{
	"agentic-sandbox-v2": {407, 4},
	"a2a-1.0":            {407, 4},
	"openhands-v1":       {407, 2},
	"sac":                {407, 2},
}

// TestManyFaultsAtOnce is rule 8 for a few sets, of which only the tests are played that name a fault. Others, and with
// -collateral whole profiles, are played with
//
//	go test ./reference-executor/selftest -run TestManyFaultsAtOnce -v -args -profile a2a-1.0 -seed 100 -many 20
func TestManyFaultsAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("it plays a good part of the suites some times")
	}
	t.Parallel()
	for _, profile := range withSuites() {
		if *profileNamed != "" && *profileNamed != profile {
			continue
		}
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
			defer cancel()
			o := Options{Profile: profile, SetsOnly: true, Narrow: true, Seed: fixedSets[profile].seed, Many: fixedSets[profile].sets, Progress: func(line string) { t.Log(line) }}
			if *manySets > 0 {
				o.Seed, o.Many, o.Narrow = *manySeed, *manySets, !*collateral
			}
			r, err := Run(ctx, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range r.Problems {
				t.Error(p)
			}
			if r.ManyAtOnce.Sets != o.Many || r.ManyAtOnce.Tally.Failed == 0 {
				t.Errorf("%d sets were played and %d tests failed, want %d sets, and failures", r.ManyAtOnce.Sets, r.ManyAtOnce.Tally.Failed, o.Many)
			}
			t.Log(r.Sentence())
		})
	}
}

// TestRowsThatNoDeploymentPlaysLeaveATestProved: of the two forms of a message a listener takes one, so that a row is always left out.
func TestRowsThatNoDeploymentPlaysLeaveATestProved(t *testing.T) {
	t.Parallel()
	left := `case "envelope" was not measured (when-present:this-form-of-messages): the target did not show what the requirement is about`
	other := `case "late" was not measured (when-present:a-refusal): the target did not show what the requirement is about`
	for _, row := range []struct {
		proof  *proof
		result report.Result
		want   bool
	}{
		{agentFleet, report.Result{Outcome: report.Pass}, true},
		{agentFleet, report.Result{Outcome: report.Pass, Notes: []string{left}}, true},
		{agentFleet, report.Result{Outcome: report.Pass, Notes: []string{left, other}}, false},
		{agentFleet, report.Result{Outcome: report.Skip, Notes: []string{left}}, false},
		{anyAgent, report.Result{Outcome: report.Pass, Notes: []string{other}}, false},
	} {
		d := row.proof.deployments[0]
		m := &crowds{prover: &prover{trials: trials{proof: row.proof, healthy: map[string]map[string]report.Result{d.name: {"A-1": row.result}}}}}
		if got := m.provedIn(d, &suites.Test{ID: "A-1"}); got != row.want {
			t.Errorf("%s, %+v: it is proved: %v, want %v", row.proof.profile, row.result, got, row.want)
		}
	}
}

// What ERR-001 says of a page in place of an error is about an answer to what ERR-011 sends.
func TestWhatSendsMegabytesIsPlayedWithItsFaults(t *testing.T) {
	t.Parallel()
	m := &crowds{prover: &prover{trials: trials{proof: sandbox}}}
	for _, row := range []struct {
		id   string
		set  []string
		want bool
	}{
		{"ERR-001", nil, true},
		{"ERR-011", nil, false},
		{"ERR-011", []string{"op-not-advertised"}, false},
		{"ERR-011", []string{"op-not-advertised", "large-bodies-stop-at-a-proxy"}, true},
	} {
		tests := bundled(t, sandbox.profile).Tests()
		at := slices.IndexFunc(tests, func(test *suites.Test) bool { return test.ID == row.id })
		if got := m.inCrowds(sandbox.crowd(), tests[at], row.set...); got != row.want {
			t.Errorf("%s is played with %v on: %v, want %v", row.id, row.set, got, row.want)
		}
	}
}

// Where sets of faults are played, most tests are judged: else most faults of a set could not be seen.
func TestSetsArePlayedWhereMostTestsAre(t *testing.T) {
	t.Parallel()
	for _, profile := range withSuites() {
		p, here := proofOf(profile), 0
		if p.crowded != "" && p.crowd().name != p.crowded {
			t.Errorf("%s: there is no deployment %q", profile, p.crowded)
		}
		tests := bundled(t, profile).Tests()
		for _, test := range tests {
			if p.crowd().judges(test) {
				here++
			}
		}
		if 2*here < len(tests) {
			t.Errorf("%s: %d of %d tests are judged in the deployment %q, in which sets of faults are played", profile, here, len(tests), p.crowd().name)
		}
	}
}

// Every mask names faults of the reference server and tests that name the masked one.
func TestMasksNameWhatExists(t *testing.T) {
	t.Parallel()
	for _, profile := range withSuites() {
		masks, err := faultsets.Masks(profile)
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]bool{}
		for _, fault := range Faults(profile) {
			known[fault] = true
		}
		tests := map[string]bool{}
		for _, test := range bundled(t, profile).Tests() {
			for _, b := range test.BrokenBy {
				tests[test.ID+" "+b.Fault] = true
			}
		}
		for _, m := range masks {
			for _, by := range m.By {
				if !known[by] {
					t.Errorf("%s: there is no fault %s, which is said to mask %s", profile, by, m.Fault)
				}
			}
			for _, id := range m.Tests {
				if !tests[id+" "+m.Fault] {
					t.Errorf("%s: %s does not name %s, which is said to be masked", profile, id, m.Fault)
				}
			}
		}
	}
}
