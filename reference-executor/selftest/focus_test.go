// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// What an author is told of one test is what the whole self-test says of it; nothing is played beside it, and that is said.
func TestFocusedOnOneTest(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, old, new string   // an edit of the file of CARD-001
		problems       []string // what begins each of them, without its place
		proved, kills  int
		beside         bool // others are played when it is looked at again
	}{
		{name: "as it is", proved: 1, kills: 5},
		{
			name: "it fails on the correct executor",
			old:  "          status: 200\n          # Where the body", new: "          status: 205\n          # Where the body",
			problems: []string{"CARD-001 is not passed but fail on the correct executor (default deployment): status is 200, want 205", "CARD-001 passes in no deployment"},
		},
		{
			name: "a fault does not break it",
			old:  "cards-of-any-type-are-accepted: ", new: "replay-marked-twice: ",
			problems: []string{"CARD-001 passes under replay-marked-twice"}, kills: 5, beside: true,
		},
		{
			name: "it is broken for another reason",
			old:  ": status is 202 .GET [^ ]* in", new: ": the moon is made of cheese in",
			problems: []string{`CARD-001 fails under cards-of-any-type-are-accepted, but no finding matches "the moon is made of cheese`}, kills: 5,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var told []string
			r, err := Run(t.Context(), Options{Suites: edited(t, "agentic-sandbox-v2/card.yaml", row.old, row.new), Tests: []string{"CARD-001"}, Focused: true,
				Progress: func(line string) { told = append(told, line) }})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Problems) != len(row.problems) {
				t.Errorf("the problems are %v, want %q", r.Problems, row.problems)
			}
			for i := range min(len(r.Problems), len(row.problems)) {
				if !strings.HasPrefix(r.Problems[i].Says, row.problems[i]) {
					t.Errorf("a problem is %q, want %q", r.Problems[i].Says, row.problems[i])
				}
			}
			if r.Proved != row.proved || len(r.Kills) != row.kills {
				t.Errorf("%d tests are proved by %d kills, want %d by %d", r.Proved, len(r.Kills), row.proved, row.kills)
			}
			if !strings.Contains(r.Sentence(), " of 1 tests proved") || (len(r.Focus.Beside) == 1) != row.beside || !slices.Equal(r.Focus.Deployments, []string{"default"}) {
				t.Errorf("the sentence is %q, %+v was played", r.Sentence(), r.Focus)
			}
			if first := told[slices.IndexFunc(told, func(line string) bool { return strings.HasPrefix(line, "correct executor") })]; !strings.Contains(first, " of 1 tests pass") {
				t.Errorf("it begins with %q, want one test to be played", first)
			}
		})
	}
}

// A test that looks at the whole run, and has nothing to look at alone, is played once more with those that show it something.
func TestFocusedOnWhatLooksAround(t *testing.T) {
	t.Parallel()
	const two = `suite: Cards
contract: an example
tests:
  - id: CARD-901
    test: the_card_is_served
    must: serve the card
    steps: [{request: "GET ${base}/.well-known/agent-card.json", expect: {status: 200}}]
    broken_by: {card-only-at-the-root: status is 404}
  - id: CARD-902
    test: every_card_is_served
    must: serve every card
    last: true
    steps:
      - watch: answers
        where: {request.path: {ends_with: /agent-card.json}}
        expect: {status: 200}
    broken_by: {card-only-at-the-root: status is 404}
`
	r, err := Run(t.Context(), Options{Suites: fstest.MapFS{"agentic-sandbox-v2/two.yaml": {Data: []byte(two)}}, Tests: []string{"CARD-902"}, Focused: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Problems) > 0 || r.Proved != 1 || len(r.Kills) != 1 {
		t.Errorf("%s: %v", r.Sentence(), r.Problems)
	}
	want := []Beside{{[]string{"CARD-902"}, "CARD-901, under card-only-at-the-root"}, {[]string{"CARD-902"}, "all others, in the deployment default"}}
	if diff := cmp.Diff(want, r.Focus.Beside); diff != "" {
		t.Errorf("what was played beside it (-want +got):\n%s", diff)
	}
}

// What was played, and what was not, are said in words.
func TestFocusIsTold(t *testing.T) {
	t.Parallel()
	f := Focus{Tests: []string{"A-1", "A-2"}, Deployments: []string{"default", "durable"}, Faults: []string{"one", "two"}, Left: 7, profile: "p"}
	f.beside([]string{"A-1"}, "B-1, B-2, under one")
	want := []string{
		"played: A-1, A-2 on the correct executor (default, durable) and under 2 faults (one, two)",
		"played beside A-1, which looks at the whole run: B-1, B-2, under one",
		"not played: the other 7 tests of p, so what else these faults change and which roots they show is not known; self-test --profile p --fault one,two looks for that, which can take minutes",
	}
	if diff := cmp.Diff(want, f.Lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// edited are the bundled suites of a profile with one text of a file replaced by another; as they are, if it is empty.
func edited(t *testing.T, file, old, other string) fs.FS {
	t.Helper()
	profile, _, _ := strings.Cut(file, "/")
	files := copied(t, profile)
	if text := string(files[file].Data); old != "" {
		if strings.Count(text, old) != 1 {
			t.Fatalf("%s has %q %d times, want it once", file, old, strings.Count(text, old))
		}
		files[file].Data = []byte(strings.Replace(text, old, other, 1))
	}
	return files
}
