// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// A Taken is how long the tests took that were played under a fault, in milliseconds, beside how long the same tests take without it.
// Tests run side by side, so that the one that takes longest says most of what a run takes.
type Taken struct {
	Fault      string `json:"fault"`
	Deployment string `json:"deployment"`
	Tests      int    `json:"tests"`      // that were played, and are judged without the fault
	MS         int64  `json:"ms"`         // of all of them, as if they were played one by one
	WithoutMS  int64  `json:"without_ms"` // of the same, without the fault
	Longest    string `json:"longest"`    // the test that the fault makes take longer by most
	LongestMS  int64  `json:"longest_ms"`
	BeforeMS   int64  `json:"before_ms"` // of that test, without the fault
}

// longer is by how much the fault makes one test take longer.
func (t Taken) longer() int64 { return t.LongestMS - t.BeforeMS }

// took notes how long the tests took under a fault.
func (p *prover) took(fault string, d deployment, results []report.Result) {
	taken := Taken{Fault: fault, Deployment: d.name}
	for _, r := range results {
		before, judged := p.healthy[d.name][r.ID]
		if !judged {
			continue
		}
		taken.Tests++
		taken.MS += r.DurationMS
		taken.WithoutMS += before.DurationMS
		if taken.Longest == "" || r.DurationMS-before.DurationMS > taken.longer() {
			taken.Longest, taken.LongestMS, taken.BeforeMS = r.ID, r.DurationMS, before.DurationMS
		}
	}
	if taken.Tests == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken = append(p.taken, taken)
}

// slowest is how many faults are shown that make tests take longer.
const slowest = 10

// bySlowness are the faults that make a test take longer, first those that do by most.
func bySlowness(taken []Taken) []Taken {
	slices.SortFunc(taken, func(a, b Taken) int {
		return cmp.Or(cmp.Compare(b.longer(), a.longer()), cmp.Compare(a.Fault, b.Fault), cmp.Compare(a.Deployment, b.Deployment))
	})
	return taken
}

// Slowest is a table of the ten faults that make a test take longer by most, as Markdown, with a sentence before it.
func (r *Report) Slowest() []byte {
	var b bytes.Buffer
	var most int64
	more := 0
	for _, t := range r.Taken {
		most = max(most, t.longer())
		if t.longer() >= 1000 {
			more++
		}
	}
	of := ""
	if r.Focus != nil && r.Focus.Left > 0 {
		of = fmt.Sprintf(" of %d of the profile's %d tests", len(r.Focus.Tests), len(r.Focus.Tests)+r.Focus.Left)
	}
	fmt.Fprintf(&b, "%d faults%s were played in %d trials. In %d of these a test took longer by a second or more, in the slowest by %s.\n\n",
		r.Faults, of, len(r.Taken), more, inSeconds(most))
	fmt.Fprintf(&b, "| Fault | Tests played | Together | Without it | Test that takes longer | Takes | Without it |\n|---|--:|--:|--:|---|--:|--:|\n")
	for _, t := range r.Taken[:min(slowest, len(r.Taken))] {
		fmt.Fprintf(&b, "| `%s` (%s) | %d | %s | %s | %s | %s | %s |\n", t.Fault, t.Deployment, t.Tests, inSeconds(t.MS), inSeconds(t.WithoutMS), t.Longest,
			inSeconds(t.LongestMS), inSeconds(t.BeforeMS))
	}
	return b.Bytes()
}

// WithSlowest is a page with the table in place of the one that it has for the profile, between two comments.
func (r *Report) WithSlowest(page []byte) ([]byte, error) {
	begin, end := fmt.Appendf(nil, "<!-- slowest faults of %s: generated -->\n", r.Profile), fmt.Appendf(nil, "<!-- slowest faults of %s: end -->", r.Profile)
	before, rest, begins := bytes.Cut(page, begin)
	_, after, ends := bytes.Cut(rest, end)
	if !begins || !ends {
		return nil, fmt.Errorf("there is no place for the slowest faults of %s: want the lines %q and %q", r.Profile, begin[:len(begin)-1], end)
	}
	return slices.Concat(before, begin, []byte("\n"), r.Slowest(), []byte("\n"), end, after), nil
}

func inSeconds(ms int64) string { return fmt.Sprintf("%.1f s", float64(ms)/1000) }
