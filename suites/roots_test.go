// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

const suiteForRoots = `suite: S
tests:
  - id: T-1
    test: one
    must: hold
    source: s
    steps: [{request: "GET ${base}", expect: {status: 200}}]
  - id: T-2
    test: two
    must: hold
    source: s
    steps: [{request: "GET ${base}", expect: {status: 200}}]
`

func loadRoots(roots string) (*suites.Profile, error) {
	return suites.LoadProfile(fstest.MapFS{
		"p/s.yaml":     &fstest.MapFile{Data: []byte(suiteForRoots)},
		"p/roots.yaml": &fstest.MapFile{Data: []byte(roots)},
	}, "p")
}

func TestRootsAreRead(t *testing.T) {
	t.Parallel()
	p, err := loadRoots(`roots:
  - root: nothing-works
    says: the target does nothing
    fix: Do something.
    leads: T-1
    shows:
      - {tests: [T-1, T-2], says: 'status is 5\d\d'}
      - {tests: "U-*", says: gone, sometimes: true}
    faults: [a, b]
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Suites) != 1 || len(p.Roots) != 1 {
		t.Fatalf("%d suites and %d roots were read, want one of each", len(p.Suites), len(p.Roots))
	}
	root := p.Roots[0]
	if root.Name != "nothing-works" || root.Least != 2 || strings.Join(root.Tests(), " ") != "T-1 T-2 U-*" || !root.Shows[1].Sometimes || len(root.Faults) != 2 {
		t.Errorf("the root is %+v", root)
	}
	var advice []string
	for _, a := range suites.Lint(p) {
		if strings.Contains(a.At.File, "roots.yaml") {
			advice = append(advice, a.At.String()+": "+a.What)
		}
	}
	if want := "p/roots.yaml:8:9: U-* shows the root nothing-works, and is no test"; strings.Join(advice, "\n") != want {
		t.Errorf("the advice is\n%s\nwant\n%s", strings.Join(advice, "\n"), want)
	}
}

func TestMistakesInRootsAreNamed(t *testing.T) {
	t.Parallel()
	const whole = "roots: [{root: a, says: s, fix: f, leads: T-1, shows: [{tests: [T-1, T-2], says: x}]}]"
	for name, c := range map[string]struct{ old, becomes, want string }{
		"no roots":                {whole, "{}", "p/roots.yaml:1:1: roots.yaml needs roots"},
		"another key":             {"fix: f", "mend: f, fix: f", `p/roots.yaml:1:28: a root has no key "mend"`},
		"without its sentence":    {"says: s, ", "", "p/roots.yaml:1:9: a root needs says"},
		"no regular expression":   {"says: x", "says: '('", "p/roots.yaml:1:82: says is no regular expression: missing closing ): `(`"},
		"a lead that is no sign":  {"leads: T-1", "leads: T-3", "p/roots.yaml:1:9: T-3 leads the root a and does not show it"},
		"fewer tests than needed": {"[T-1, T-2]", "T-1", "p/roots.yaml:1:9: the root a is shown by 1 tests at most and needs 2"},
		"least below two":         {"fix: f", "fix: f, least: 1", "p/roots.yaml:1:43: least is 1, want a whole number from 2 to 1000"},
		"twice":                   {"x}]}]", "x}]}, {root: a, says: s, fix: f, leads: T-1, shows: [{tests: [T-1, T-2], says: x}]}]", "p/roots.yaml:1:88: the root a is already at p/roots.yaml:1:9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(whole, c.old, c.becomes, 1)
			if text == whole {
				t.Fatal("the change changes nothing")
			}
			_, err := loadRoots(text)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s\nfails with %v, want %s", text, err, c.want)
			}
		})
	}
}

// Where roots are many they stand in several files of a folder; a name stands for one of them in all.
func TestRootsStandInSeveralFiles(t *testing.T) {
	t.Parallel()
	const first = "roots: [{root: a, says: s, fix: f, leads: T-1, shows: [{tests: [T-1, T-2], says: x}]}]"
	for second, want := range map[string]string{
		strings.Replace(first, "root: a", "root: b", 1): "",
		first: "p/roots_more.yaml:1:9: the root a is already at p/roots.yaml:1:9",
	} {
		p, err := suites.LoadProfile(fstest.MapFS{
			"p/s.yaml":          &fstest.MapFile{Data: []byte(suiteForRoots)},
			"p/roots.yaml":      &fstest.MapFile{Data: []byte(first)},
			"p/roots_more.yaml": &fstest.MapFile{Data: []byte(second)},
		}, "p")
		switch {
		case want != "" && (err == nil || err.Error() != want):
			t.Errorf("it fails with %v, want %s", err, want)
		case want == "" && err != nil:
			t.Error(err)
		case want == "" && (len(p.Roots) != 2 || len(p.Suites) != 1):
			t.Errorf("%d roots and %d suites were read, want 2 and 1", len(p.Roots), len(p.Suites))
		}
	}
}

// Every member of a bundled root is a test, and every root is shown by a fault.
func TestBundledRootsAreWhole(t *testing.T) {
	t.Parallel()
	for _, name := range suites.Profiles() {
		p, err := suites.LoadProfile(suites.Embedded(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, advice := range suites.Lint(p) {
			t.Error(advice)
		}
	}
}
