// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// known is what an outline says of a requirement.
type known struct {
	ID, Name string
	At       suites.Position
}

func knownOf(s *suites.Suite) (all []known) {
	for _, t := range s.Tests {
		all = append(all, known{t.ID, t.Name, t.At})
	}
	for _, u := range s.Untested {
		all = append(all, known{u.ID, "", u.At})
	}
	return all
}

// An outline finds in a bundled file what reading it finds, so that leaving files unread changes no selection.
func TestOutlinesSayWhatTheFilesSay(t *testing.T) {
	for _, name := range suites.Profiles() {
		whole := bundledProfile(t, name, nil)
		outlined := bundledProfile(t, name, func(_, _ string) bool { return false })
		if whole.Digest != outlined.Digest || len(whole.Suites) != len(outlined.Suites) {
			t.Fatalf("%s: %d suites with digest %s, outlined %d with %s", name, len(whole.Suites), whole.Digest, len(outlined.Suites), outlined.Digest)
		}
		for i, s := range outlined.Suites {
			if !s.Outlined || whole.Suites[i].Outlined || s.At.File != whole.Suites[i].At.File {
				t.Errorf("%s: outlined: %t, read: %t", s.At.File, s.Outlined, !whole.Suites[i].Outlined)
			}
			if diff := cmp.Diff(knownOf(whole.Suites[i]), knownOf(s)); diff != "" {
				t.Errorf("%s (-read +outlined):\n%s", s.At.File, diff)
			}
		}
	}
}

func TestFilesWithAWantedTestAreRead(t *testing.T) {
	called := bundledTest(t, "SSE-007").Name
	for name, wanted := range map[string]func(id, name string) bool{
		"by its id":   func(id, _ string) bool { return id == "SSE-007" },
		"by its name": func(_, name string) bool { return name == called },
	} {
		t.Run(name, func(t *testing.T) {
			read := 0
			for _, s := range bundledProfile(t, "agentic-sandbox-v2", wanted).Suites {
				for _, test := range s.Tests {
					if test.ID == "SSE-007" && (s.Outlined || len(test.Steps) == 0 || test.Suite != s) {
						t.Errorf("%s is wanted and not read", test.At)
					}
				}
				if !s.Outlined {
					read++
				}
			}
			if read != 1 {
				t.Errorf("%d files are read, want the one with SSE-007", read)
			}
		})
	}
}

func bundledTest(t *testing.T, id string) *suites.Test {
	t.Helper()
	for _, test := range bundledProfile(t, "agentic-sandbox-v2", nil).Tests() {
		if test.ID == id {
			return test
		}
	}
	t.Fatalf("there is no %s", id)
	return nil
}

func bundledProfile(t *testing.T, name string, wanted func(id, name string) bool) *suites.Profile {
	t.Helper()
	p, err := suites.LoadSelected(suites.Embedded(), name, wanted)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
