// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A root may have only what mending it mends: each of its signs is shown by a fault of it, and each of its faults exists.
func TestRootsHaveWhatTheirFaultsChange(t *testing.T) {
	t.Parallel()
	for _, name := range withSuites() {
		p := &trials{profile: bundled(t, name)}
		for _, root := range p.profile.Roots {
			if len(root.Faults) == 0 {
				t.Errorf("%s: the root %s has no fault that shows it", root.At, root.Name)
			}
			for _, fault := range root.Faults {
				if !slices.Contains(Faults(name), fault) {
					t.Errorf("%s: the root %s names the fault %s, which does not exist", root.At, root.Name, fault)
				}
			}
			for _, sign := range root.Shows { // which may have tests for servers that do as much elsewhere
				if !slices.ContainsFunc(p.profile.Tests(), func(test *suites.Test) bool {
					return slices.ContainsFunc(sign.Tests, func(pattern string) bool { is, err := path.Match(pattern, test.ID); return err == nil && is }) &&
						slices.ContainsFunc(root.Faults, func(fault string) bool { return names(test, fault) >= 0 || p.collateral(fault)(test.ID) })
				}) {
					t.Errorf("%s: the root %s has %s, which none of its faults is said to change", sign.At, root.Name, strings.Join(sign.Tests, ", "))
				}
			}
		}
	}
}

// A root whose signs nothing says, and one that is claimed under a fault which it does not name, are problems.
func TestRootsThatAreWrongAreFound(t *testing.T) {
	t.Parallel()
	const wrong = `roots:
  - root: nothing-says-so
    says: the executor says something else
    fix: Say it.
    leads: IDEM-013
    shows: [{tests: [IDEM-013, IDEM-014], says: the moon is made of cheese}]
    faults: message-ids-are-not-looked-at
  - root: of-another-fault
    says: the executor takes any messageId
    fix: Refuse those that are malformed.
    leads: IDEM-013
    shows: [{tests: [IDEM-013, IDEM-014], says: 'status is 2\d\d, want 400'}]
    faults: malformed-ids-are-unprocessable
`
	r, err := Run(t.Context(), Options{Suites: withRoots(t, "agentic-sandbox-v2", wrong), Narrow: true, Alone: true,
		Tests: []string{"IDEM-013", "IDEM-014"}, Faults: []string{"message-ids-are-not-looked-at"}})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, p := range r.Problems {
		_, says, _ := strings.Cut(p.String(), ": ")
		says, _, _ = strings.Cut(says, " (default")
		said = append(said, says)
	}
	want := []string{"the root nothing-says-so is not claimed under message-ids-are-not-looked-at",
		"the root of-another-fault is claimed under message-ids-are-not-looked-at, which it does not name"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("the problems are not as wanted (-want +got):\n%s", diff)
	}
}

// Two faults that have nothing to do with a root, each of which breaks one test of it, are not that root.
func TestTwoFaultsAreNoRoot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ faults, tests, root string }{
		{"tokens-known-by-prefix instance-token-provisions", "AUTH-002 AUTH-008", "admin-takes-any-token"},
		{"unknown-task-under-another-code push-configs-of-unknown-tasks", "TASK-011 TASK-012", "reads-of-unknown-tasks-succeed"},
	} {
		t.Run(c.root, func(t *testing.T) {
			t.Parallel()
			chosen := func(test *suites.Test) bool { return slices.Contains(strings.Fields(c.tests), test.ID) }
			run, err := (&trials{profile: bundled(t, sandbox.profile), proof: sandbox}).play(t.Context(), setups[0].deployment(), strings.Fields(c.faults), chosen, nil)
			if err != nil {
				t.Fatal(err)
			}
			run.Settle()
			if got := claimedRoots(run); slices.Contains(got, c.root) {
				t.Errorf("%s is claimed for %s", c.root, c.faults)
			}
			if passed := run.Summary.Pass; passed > 0 {
				t.Errorf("%d tests pass, want each to show its fault", passed)
			}
		})
	}
}

// withRoots are the bundled suites of a profile with other roots.
func withRoots(t *testing.T, profile, roots string) fs.FS {
	t.Helper()
	files := copied(t, profile)
	maps.DeleteFunc(files, func(name string, _ *fstest.MapFile) bool { return strings.HasPrefix(name, profile+"/roots") })
	files[profile+"/roots.yaml"] = &fstest.MapFile{Data: []byte(roots)}
	return files
}

// copied are the bundled suites of a profile, to be changed.
func copied(t *testing.T, profile string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(suites.Embedded(), profile, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(suites.Embedded(), name)
		files[name] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
