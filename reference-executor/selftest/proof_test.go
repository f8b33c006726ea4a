// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"slices"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A bundled profile that cannot be proved would be trusted for nothing.
func TestEveryBundledProfileHasAProof(t *testing.T) {
	t.Parallel()
	for _, name := range suites.Profiles() {
		if proofOf(name) == nil {
			t.Error(noProof(name))
		}
	}
	if names := Profiles(); !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("the profiles are %q, want them sorted and each once", names)
	}
	if Faults("no-such-profile") != nil {
		t.Error("an unknown profile has faults")
	}
	if _, err := Run(t.Context(), Options{Profile: "no-such-profile"}); err == nil || !strings.Contains(err.Error(), "agentic-sandbox-v2") {
		t.Errorf("of an unknown profile the error is %v, want one that says which there are", err)
	}
}

// Each deployment is there for tests, and each test has somewhere to be judged.
func TestDeploymentsAndTestsNeedEachOther(t *testing.T) {
	t.Parallel()
	for _, with := range proofs {
		if !slices.Contains(suites.Profiles(), with.profile) {
			continue
		}
		tests := bundled(t, with.profile).Tests()
		if len(tests) == 0 {
			continue
		}
		names := map[string]bool{}
		for _, d := range with.deployments {
			if names[d.name] {
				t.Errorf("%s: two deployments are called %q", with.profile, d.name)
			}
			names[d.name] = true
			if !slices.ContainsFunc(tests, d.judges) {
				t.Errorf("%s: no test can be judged in the deployment %q", with.profile, d.name)
			}
		}
		for _, test := range tests {
			if !lawfulSkip(test) && !slices.ContainsFunc(with.deployments, func(d deployment) bool { return d.judges(test) }) {
				t.Errorf("%s: %s can be judged in no deployment", test.At, test.ID)
			}
		}
		for _, id := range with.costly {
			if !slices.ContainsFunc(tests, func(test *suites.Test) bool { return test.ID == id }) {
				t.Errorf("%s: there is no test %s to be costly", with.profile, id)
			}
		}
	}
}

// Every deployment of every profile starts, says where it is, and ends; an unknown fault is an error.
func TestDeploymentsServe(t *testing.T) {
	t.Parallel()
	for _, with := range proofs {
		for _, d := range with.deployments {
			t.Run(with.profile+"/"+d.name, func(t *testing.T) {
				t.Parallel()
				asked := &recorder{asked: map[string]bool{}}
				s, err := d.serve(nil, asked.note)
				if err != nil {
					t.Fatal(err)
				}
				defer s.close()
				target := s.target()
				if target.ExecutorURL == "" || strings.Contains(s.alike(target.ExecutorURL), "127.0.0.1") {
					t.Errorf("the server is at %q, which is %q without its address", target.ExecutorURL, s.alike(target.ExecutorURL))
				}
				if broken, err := d.serve([]string{"no-such-fault"}, nil); err == nil {
					broken.close()
					t.Error("an unknown fault is taken")
				}
			})
		}
	}
}

// Every line of waiting.txt says what waits, and of which profile.
func TestWaitingIsRead(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSpace(waiting), "\n")
	if !slices.IsSorted(lines) {
		t.Error("waiting.txt is not sorted")
	}
	read := len(waits("word"))
	for _, profile := range Profiles() {
		read += len(waits("fault " + profile))
	}
	if read != len(lines) {
		t.Errorf("%d of the %d lines of waiting.txt are read", read, len(lines))
	}
}

// withSuites are the profiles that can be proved and whose suites are bundled: a server may be there before its suites are.
func withSuites() []string {
	return slices.DeleteFunc(Profiles(), func(profile string) bool { return !slices.Contains(suites.Profiles(), profile) })
}
