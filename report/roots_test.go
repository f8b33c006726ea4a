// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ignoresTaskID is the root of the tests below: two tests must break, a third may.
var ignoresTaskID = Root{Name: "task-id-ignored", Says: "taskId is ignored", Fix: "Look it up.", Leads: []string{"T-1"}, Least: 2, Signs: []RootSign{
	{Tests: []string{"T-1", "T-2"}, Says: `^status is 2\d\d, want 4`},
	{Tests: []string{"H-*", "T-*"}, Says: `is still open`, Sometimes: true},
}}

// told is a failure that says something.
func told(id string, says ...string) Result {
	r := Result{ID: id, Outcome: Fail}
	for _, s := range says {
		r.Findings = append(r.Findings, Finding{Problem: s, Severity: Fail})
	}
	return r
}

func passed(id string) Result { return Result{ID: id, Outcome: Pass} }

func TestRootsAreClaimedByWhatFindingsSay(t *testing.T) {
	t.Parallel()
	const taken = "status is 202, want 409"
	for name, c := range map[string]struct {
		results []Result
		want    string // the tests of the root; empty: it is not claimed
	}{
		"all that it must break say so":                   {[]Result{told("T-1", taken), told("T-2", taken)}, "T-1 T-2"},
		"with what it may break":                          {[]Result{told("T-1", taken), told("T-2", taken), told("H-7", "the prompt is still open")}, "T-1 T-2 H-7"},
		"what it may break says something else":           {[]Result{told("T-1", taken), told("T-2", taken), told("H-7", "no answer")}, "T-1 T-2"},
		"one that it must break passes":                   {[]Result{told("T-1", taken), passed("T-2"), told("H-7", "the prompt is still open")}, ""},
		"one that it must break was left out of the run":  {[]Result{told("T-1", taken), told("H-7", "the prompt is still open")}, ""},
		"one that it must break does not apply":           {[]Result{told("T-1", taken), {ID: "T-2", Outcome: Skip}, told("H-7", "the prompt is still open")}, "T-1 H-7"},
		"one that it must break fails for another reason": {[]Result{told("T-1", taken), told("T-2", "no answer"), told("H-7", "the prompt is still open")}, "T-1 H-7"},
		"the leading one fails for another reason":        {[]Result{told("T-1", "no answer"), told("T-2", taken), told("H-7", "the prompt is still open")}, ""},
		"only one says so":                                {[]Result{told("T-1", taken), told("T-2", "no answer")}, ""},
		"the leading one only shows what may come of it":  {[]Result{told("T-1", "the task is still open"), told("T-2", taken), told("H-7", "the prompt is still open")}, ""},
		"a test with another finding stands for itself":   {[]Result{told("T-1", taken, "json is missing"), told("T-2", taken), told("H-7", "the prompt is still open")}, "T-2 H-7"},
		"a waived failure stands with its waiver":         {[]Result{{ID: "T-1", Outcome: Fail, Waiver: &Waiver{Reason: "known"}, Findings: told("", taken).Findings}, told("T-2", taken)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := &Run{Roots: []Root{ignoresTaskID}, Results: c.results}
			run.Settle()
			got := ""
			for _, cause := range run.Causes {
				if cause.ID == "root-task-id-ignored" {
					got = strings.Join(cause.Tests, " ")
					if cause.Kind != CauseRoot || cause.Says != ignoresTaskID.Says || cause.Fix != ignoresTaskID.Fix {
						t.Errorf("the cause is %+v", cause)
					}
				}
			}
			if got != c.want {
				t.Errorf("the root has %q, want %q", got, c.want)
			}
		})
	}
}

// Of two roots that one test may show, the one that explains more has it, whichever comes first.
func TestTheRootThatExplainsMostIsClaimedFirst(t *testing.T) {
	t.Parallel()
	small := Root{Name: "small", Leads: []string{"T-1"}, Least: 2, Signs: []RootSign{{Tests: []string{"T-1", "T-2"}, Says: "wrong"}}}
	large := Root{Name: "large", Leads: []string{"T-3"}, Least: 2, Signs: []RootSign{{Tests: []string{"T-1", "T-2", "T-3"}, Says: "wrong"}}}
	for _, roots := range [][]Root{{small, large}, {large, small}} {
		run := &Run{Roots: roots, Results: []Result{told("T-1", "wrong"), told("T-2", "wrong"), told("T-3", "wrong")}}
		run.Settle()
		var ids []string
		for _, c := range run.Causes {
			ids = append(ids, c.ID)
		}
		if diff := cmp.Diff([]string{"root-large"}, ids); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// Causes come by how many failures they explain: blocked tests are consequences.
func TestTheCauseWithMostFailuresComesFirst(t *testing.T) {
	t.Parallel()
	blocked := func(id string) Result {
		return Result{ID: id, Outcome: Blocked, Reason: &Reason{Code: "blocked", Cause: "no session"}}
	}
	run := &Run{Roots: []Root{ignoresTaskID}, Results: []Result{blocked("B-1"), blocked("B-2"), blocked("B-3"), told("T-1", "status is 200, want 4"), told("T-2", "status is 200, want 4")}}
	run.Settle()
	if len(run.Causes) != 2 || run.Causes[0].Kind != CauseRoot {
		t.Errorf("the causes are %+v, want the root first", run.Causes)
	}
}

// A report of somebody else's can hold roots that are nonsense: they are no causes, and cost nothing.
func TestRootsThatMakeNoSenseAreIgnored(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{"no regular expression": "(", "too long": strings.Repeat("a", maxSign+1)} {
		root := ignoresTaskID
		root.Signs = []RootSign{{Tests: []string{"T-1", "T-2", "[", "*"}, Says: says, Sometimes: true}}
		run := &Run{Roots: []Root{root}, Results: []Result{told("T-1", "a"), told("T-2", "b")}}
		run.Settle()
		if len(run.Causes) != 0 {
			t.Errorf("%s: the causes are %+v", name, run.Causes)
		}
	}
}
