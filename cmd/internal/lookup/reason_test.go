// SPDX-License-Identifier: Apache-2.0

package lookup

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
	"github.com/roctinam/agentic-sandbox-conformance/suites/explain"
)

// TestEveryReasonIsExplained: the page on reports has a row for every reason for which a bundled test can be skipped, explain says
// it in lines that can be read, and says nothing of a test twice.
func TestEveryReasonIsExplained(t *testing.T) {
	t.Parallel()
	for _, name := range suites.Profiles() {
		p, err := suites.LoadProfile(suites.Embedded(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range knownReasons(p) {
			if code != "blocked" && docs.ReasonMeans(code) == "" {
				t.Errorf("%s: docs/reading-a-report.md does not say what %s means", name, code)
			}
			if code != "blocked" && phrases.Lacking(code) == code {
				t.Errorf("%s: a report counts the tests that are skipped for %s without saying what that is", name, code)
			}
			var b bytes.Buffer
			(&Lookup{W: &b}).reason([]*suites.Profile{p}, code)
			noLongLine(t, name+" "+code, b.String())
			for line := range strings.Lines(b.String()) {
				if strings.HasPrefix(line, "    ") && strings.Contains(line, "it does not hold that: failure.name is") {
					t.Errorf("%s: %s says by a double negation when it skips: %s", name, code, line)
				}
			}
		}
		rulings, err := catalog.Rulings(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rulings {
			var b bytes.Buffer
			explain.Ruling(&b, r)
			noLongLine(t, name+" "+r.ID, b.String())
		}
	}
}

func noLongLine(t *testing.T, of, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 120 {
			t.Errorf("%s has a line of %d characters: %s", of, n, line)
		}
	}
}

// TestConditionsOfASkipAreToldOnce: a test that has the same condition in many steps shows it once, and tests that have the same
// conditions stand together.
func TestConditionsOfASkipAreToldOnce(t *testing.T) {
	t.Parallel()
	p, err := suites.LoadProfile(suites.Embedded(), "a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	(&Lookup{W: &b}).reason([]*suites.Profile{p}, "unnamed-error")
	blocks := strings.Split(b.String(), "\n  A2A-")
	for _, block := range blocks {
		if strings.Count(block, `    skipped when: failure.name is "unnamed".`) > 1 {
			t.Errorf("a test shows a condition more than once:\n%s", block)
		}
	}
	if n := strings.Count(b.String(), `    skipped when: failure.name is "unnamed".`); n != 1 {
		t.Errorf("tests with the same condition show it %d times, want once for all of them:\n%s", n, &b)
	}
	means := "  The error response does not say which A2A error it is"
	if !strings.Contains(b.String(), means) {
		t.Errorf("the page does not say %q:\n%s", means, &b)
	}
}

func TestFlowLines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"a short one", "a: {b: 1, c: 2}", []string{"a: {b: 1, c: 2}"}},
		{"a long one", "a: {bbbb: 1111, cccc: 2222, dddd: 3333}", []string{"a: {bbbb: 1111,", "cccc: 2222,", "dddd: 3333}"}},
		{"a comma in a text is none", `a: {b: 1, c: "one, two, three, four"}`, []string{"a: {b: 1,", `c: "one, two, three, four"}`}},
		{"nowhere to break", "a: {bbbbbbbbbbbbbbbbbbbbbbbbbbbb: 1}", []string{"a: {bbbbbbbbbbbbbbbbbbbbbbbbbbbb: 1}"}},
	} {
		if got := flowLines(test.text, 19); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q in lines of 19 is %q, want %q", test.name, test.text, got, test.want)
		}
	}
}
