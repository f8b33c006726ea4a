// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"context"
	"flag"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

var collateral = flag.Bool("collateral", false, "play all tests under every fault, to see what else it changes")

var only = flag.String("only", "", "prove only the tests whose id begins with one of these, comma separated")

var profileNamed = flag.String("profile", "", "prove this profile only")

// TestMain collects garbage a quarter as often: what a dozen servers and runs hold at once is little beside what they use up.
func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}

// TestEveryCheckCanFail is the self-test of the bundled suites. With -only CARD-,SSE-001 it proves a part of them, in the
// profiles that have such ids, and without -collateral it looks at nothing else:
//
//	go test ./reference-executor/selftest -run TestEveryCheckCanFail -v -args -only CARD-
func TestEveryCheckCanFail(t *testing.T) {
	if testing.Short() {
		t.Skip("the self-test takes minutes")
	}
	t.Parallel()
	chosen := chosenTests(t, *profileNamed, *only)
	for _, profile := range Profiles() {
		ids, is := chosen[profile]
		if !is {
			continue
		}
		t.Run(profile, func(t *testing.T) {
			t.Parallel() // most of the time of each is waiting for what a fault keeps from coming
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
			defer cancel()
			options := Options{Profile: profile, Vacuous: true, Narrow: !*collateral}
			// Otherwise two thousand lines of what went well hide what did not.
			if testing.Verbose() {
				options.Progress = func(line string) { t.Log(line) }
			}
			if *only != "" {
				options.Vacuous, options.Alone, options.Tests = false, options.Narrow, ids
			}
			r, err := Run(ctx, options)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range r.Problems {
				t.Error(p)
			}
			t.Log(r.Sentence())
		})
	}
}

// chosenTests are the ids that begin with one of the prefixes, comma separated, by profile; all when there is no prefix.
func chosenTests(t *testing.T, named, prefixes string) map[string][]string {
	t.Helper()
	if named != "" && !slices.Contains(Profiles(), named) {
		t.Fatal(noProof(named))
	}
	chosen := map[string][]string{}
	for _, name := range suites.Profiles() {
		if named != "" && name != named {
			continue
		}
		for _, test := range bundled(t, name).Tests() {
			if slices.ContainsFunc(strings.Split(prefixes, ","), func(prefix string) bool { return strings.HasPrefix(test.ID, prefix) }) {
				chosen[name] = append(chosen[name], test.ID)
			}
		}
	}
	if len(chosen) == 0 {
		t.Fatalf("no bundled test is meant by -profile %q -only %q", named, prefixes)
	}
	return chosen
}

func bundled(t *testing.T, name string) *suites.Profile {
	t.Helper()
	profile, err := suites.LoadProfile(suites.Embedded(), name)
	if err != nil {
		t.Fatal(err)
	}
	return profile
}
