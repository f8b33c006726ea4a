// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// TestTaken: of each trial the test is known that the fault makes take longer by most, and the slowest trials come first.
func TestTaken(t *testing.T) {
	t.Parallel()
	d := deployment{name: "default"}
	p := &prover{trials: trials{healthy: map[string]map[string]report.Result{"default": {"T-1": {DurationMS: 100}, "T-2": {DurationMS: 3000}}}}}
	result := func(id string, ms int64) report.Result { return report.Result{ID: id, DurationMS: ms} }
	p.took("quick", d, []report.Result{result("T-1", 90), result("T-2", 2900)})
	p.took("slow", d, []report.Result{result("T-1", 60100), result("T-2", 4000), result("T-3", 1)})
	p.took("elsewhere", d, []report.Result{result("T-3", 1)})
	want := []Taken{
		{Fault: "slow", Deployment: "default", Tests: 2, MS: 64100, WithoutMS: 3100, Longest: "T-1", LongestMS: 60100, BeforeMS: 100},
		{Fault: "quick", Deployment: "default", Tests: 2, MS: 2990, WithoutMS: 3100, Longest: "T-1", LongestMS: 90, BeforeMS: 100},
	}
	if diff := cmp.Diff(want, bySlowness(p.taken)); diff != "" {
		t.Errorf("what the trials took (-want +got):\n%s", diff)
	}
}

// TestSlowestOnAPage: ten faults stand between the comments of the profile, and the rest of the page is as it was.
func TestSlowestOnAPage(t *testing.T) {
	t.Parallel()
	r := &Report{Profile: "p", Faults: 12}
	for n := range 12 {
		r.Taken = append(r.Taken, Taken{Fault: fmt.Sprintf("fault-%d", n), Deployment: "default", Tests: 1, Longest: "T-1", LongestMS: int64(1000 * (12 - n))})
	}
	page, err := r.WithSlowest([]byte("before\n<!-- slowest faults of p: generated -->\nold\n<!-- slowest faults of p: end -->\nafter\n"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if !strings.HasPrefix(text, "before\n") || !strings.HasSuffix(text, "\nafter\n") || strings.Contains(text, "old") {
		t.Errorf("the page is %q", text)
	}
	if !strings.Contains(text, "`fault-9` (default)") || strings.Contains(text, "fault-10") || !strings.Contains(text, "the slowest by 12.0 s") {
		t.Errorf("the page has not the ten slowest: %q", text)
	}
	if !strings.Contains(text, "\n12 faults were played in 12 trials. ") {
		t.Errorf("the page does not say what was played: %q", text)
	}
	if again, err := r.WithSlowest(page); err != nil || string(again) != text {
		t.Errorf("written once more, the page is another one (%v)", err)
	}
	r.Focus = &Focus{Tests: []string{"T-1", "T-2"}, Left: 8}
	if part, err := r.WithSlowest(page); err != nil || !strings.Contains(string(part), "\n12 faults of 2 of the profile's 10 tests were played in ") {
		t.Errorf("of a few tests, the page is %q (%v)", part, err)
	}
	if _, err := r.WithSlowest([]byte("nothing")); err == nil || !strings.Contains(err.Error(), "slowest faults of p: generated") {
		t.Errorf("a page without the place gives %v", err)
	}
}
