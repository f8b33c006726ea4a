// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/needs"
)

//go:generate go test -run TestQuantifiers -update-quantifiers

var updateQuantifiers = flag.Bool("update-quantifiers", false, "write docs/quantifiers.md anew, and keep the reasons that stand there")

const quantifiersPage = "../../docs/quantifiers.md"

// quantifier finds the words by which a sentence speaks of more than one thing.
var quantifier = regexp.MustCompile(`(?i)\b(every|all|each|any|never|no|none|nothing|always|whatever|wherever)\b`)

const quantifiersHead = `<!-- Written by "go generate ./cmd/..."; edit only the last column of the tables, which is kept. -->

# What "every" means

A requirement about every answer, stream, frame or task is judged on every one that a run sees, whichever test
caused it. This table lists each requirement whose sentence, in the catalog or in its test, contains such a word, and what its test judges:

- **whole run**: everything of that kind from the first test of the run on ([watch](suite-format.md#watch-the-whole-run)), or the lists of the hook
  ` + "`whole-run`" + `. The test makes enough traffic of its own to be played alone.
- otherwise the requests, streams and connections of the test itself, with the number of its cases. The last column says why that is
  enough; an empty cell means that the reason is not written yet.
`

// TestQuantifiers: the page has every requirement whose sentence speaks of more than one thing, and says of each what its
// test looks at.
func TestQuantifiers(t *testing.T) {
	t.Parallel()
	old, err := os.ReadFile(quantifiersPage)
	if err != nil && !*updateQuantifiers {
		t.Fatal(err)
	}
	reasons := reasonsIn(old)
	var page bytes.Buffer
	page.WriteString(quantifiersHead)
	for _, name := range []string{"agentic-sandbox-v2", "a2a-1.0", "sac"} {
		fmt.Fprintf(&page, "\n## %s\n\n| Requirement | Words | Looked at | Why that is enough |\n|---|---|---|---|\n", name)
		profile, err := suites.LoadProfile(suites.Embedded(), name)
		if err != nil {
			t.Fatal(err)
		}
		required, err := catalog.Of(name)
		if err != nil {
			t.Fatal(err)
		}
		tests := map[string]*suites.Test{}
		for _, test := range profile.Tests() {
			tests[test.ID] = test
		}
		for _, r := range required {
			test := tests[r.ID]
			if test == nil {
				continue // no client can observe it
			}
			looked, whole := lookedAt(test)
			words := quantifiersIn(r.Summary + " " + test.Says)
			if len(words) == 0 && !whole {
				continue
			}
			reason := reasons[r.ID]
			if whole {
				reason = ""
			}
			fmt.Fprintf(&page, "| %s | %s | %s | %s |\n", r.ID, strings.Join(words, ", "), looked, reason)
			delete(reasons, r.ID)
		}
	}
	for id := range reasons {
		if !*updateQuantifiers {
			t.Errorf("%s gives a reason for %s, which is no row", quantifiersPage, id)
		}
	}
	if *updateQuantifiers {
		if err := os.WriteFile(quantifiersPage, page.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(old), page.String()); diff != "" {
		t.Errorf("%s is out of date; go generate ./... writes it anew (-have +want):\n%s", quantifiersPage, diff)
	}
}

func quantifiersIn(sentence string) []string {
	var words []string
	for _, word := range quantifier.FindAllString(sentence, -1) {
		if word = strings.ToLower(word); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// lookedAt is what a test looks at, and whether that is something of the whole run.
func lookedAt(t *suites.Test) (looked string, whole bool) {
	var watched []string
	own := map[string]int{}
	for s := range needs.Steps(t) {
		switch do := s.Do.(type) {
		case suites.Watch:
			if !slices.Contains(watched, do.What) {
				watched = append(watched, do.What)
			}
		case suites.Hook:
			if do.Name == hooks.WholeRun && !slices.Contains(watched, "the kept lists") {
				watched = append(watched, "the kept lists")
			}
		case suites.Request, suites.Poll:
			own["request"]++
		case suites.Stream:
			own["stream"]++
		case suites.Open:
			own["connection"]++
		case suites.Listen:
			own["receiver"]++
		}
	}
	if len(watched) > 0 {
		return "**whole run**: " + strings.Join(watched, ", "), true
	}
	var parts []string
	if len(t.Cases) > 0 {
		parts = append(parts, number(len(t.Cases), "case"))
	}
	for _, kind := range []string{"request", "stream", "connection", "receiver"} {
		if own[kind] > 0 {
			parts = append(parts, number(own[kind], kind))
		}
	}
	return strings.Join(parts, ", "), false
}

func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// reasonsIn are those of a page, by requirement.
func reasonsIn(page []byte) map[string]string {
	reasons := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(page)); lines.Scan(); {
		cells := strings.Split(strings.Trim(lines.Text(), "|"), " | ")
		if len(cells) != 4 {
			continue
		}
		if reason := strings.TrimSpace(cells[3]); reason != "" && reason != "Why that is enough" {
			reasons[strings.TrimSpace(cells[0])] = reason
		}
	}
	return reasons
}

// TestQuantifiersAreFound: the words are found in sentences as the catalogs have them, and nowhere else.
func TestQuantifiersAreFound(t *testing.T) {
	t.Parallel()
	for sentence, want := range map[string]string{
		"Every error is a problem document, and all of them have a code.": "every,all",
		"The token is NEVER shown in any answer":                          "never,any",
		"A note on nowhere and wallet":                                    "",
		"whatever its status, wherever it reports one":                    "whatever,wherever",
	} {
		if got := strings.Join(quantifiersIn(sentence), ","); got != want {
			t.Errorf("%s: got %q, want %q", sentence, got, want)
		}
	}
}
