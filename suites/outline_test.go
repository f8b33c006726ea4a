// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"reflect"
	"slices"
	"strings"
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
			if s.At.File != whole.Suites[i].At.File {
				t.Errorf("%s was outlined as %s", whole.Suites[i].At.File, s.At.File)
			}
			for j, test := range s.Tests {
				if !test.Outlined || whole.Suites[i].Tests[j].Outlined {
					t.Errorf("%s: outlined: %t, read: %t", test.ID, test.Outlined, !whole.Suites[i].Tests[j].Outlined)
				}
			}
			if diff := cmp.Diff(knownOf(whole.Suites[i]), knownOf(s)); diff != "" {
				t.Errorf("%s (-read +outlined):\n%s", s.At.File, diff)
			}
		}
	}
}

func TestWantedTestsAreRead(t *testing.T) {
	called := bundledTest(t, "SSE-007").Name
	for name, wanted := range map[string]func(id, name string) bool{
		"by its id":   func(id, _ string) bool { return id == "SSE-007" },
		"by its name": func(_, name string) bool { return name == called },
	} {
		t.Run(name, func(t *testing.T) {
			var read []string
			for _, s := range bundledProfile(t, "agentic-sandbox-v2", wanted).Suites {
				for _, test := range s.Tests {
					if test.Suite != s {
						t.Errorf("%s does not know its suite", test.ID)
					}
					if !test.Outlined {
						read = append(read, test.ID)
					}
				}
			}
			if want := []string{"SSE-007"}; !slices.Equal(read, want) {
				t.Errorf("%q are read, want %q", read, want)
			}
		})
	}
}

// A test that is read without the others of its file is the test that it is in the file, down to the places of its steps.
func TestWantedTestsAreWhatTheFilesSay(t *testing.T) {
	for _, name := range suites.Profiles() {
		whole := bundledProfile(t, name, nil)
		var ids []string
		for _, test := range whole.Tests() {
			ids = append(ids, test.ID)
		}
		for part := range 7 { // of a file, some tests are read and some are not
			some := bundledProfile(t, name, func(id, _ string) bool { return slices.Index(ids, id)%7 == part })
			for i, test := range some.Tests() {
				if i%7 != part {
					continue
				}
				got, want := *test, *whole.Tests()[i]
				got.Suite, want.Suite = nil, nil
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s, read without the tests beside it, is\n%+v\nwant\n%+v", want.ID, got, want)
				}
			}
			if len(some.Roots) != len(whole.Roots) || len(some.SideEffects) != len(whole.SideEffects) {
				t.Errorf("%s: %d roots and %d side effects are read, want %d and %d", name, len(some.Roots), len(some.SideEffects), len(whole.Roots), len(whole.SideEffects))
			}
		}
	}
}

func TestWhatSpeaksOfSeveralTestsIsReadForSeveral(t *testing.T) {
	for _, wanted := range []string{"", "SSE-007", "SSE-007 SSE-008"} {
		p := bundledProfile(t, "agentic-sandbox-v2", func(id, _ string) bool { return strings.Contains(wanted, id) })
		if several := strings.Contains(wanted, " "); several != (len(p.Roots) > 0) || several != (len(p.SideEffects) > 0) {
			t.Errorf("for %q, %d roots and %d side effects are read", wanted, len(p.Roots), len(p.SideEffects))
		}
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
