// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// A Result is what became of one mutant.
type Result struct {
	ID     string `json:"id"`
	Fate   Fate   `json:"fate"`
	By     string `json:"by,omitempty"`     // the test that said so
	In     string `json:"in,omitempty"`     // the deployment
	Says   string `json:"says,omitempty"`   // its finding
	Reason string `json:"reason,omitempty"` // why it may survive
	Tests  int    `json:"tests,omitempty"`  // played
	MS     int64  `json:"ms,omitempty"`
}

// A Report is what came of the mutants of a profile.
type Report struct {
	Profile    string      `json:"profile"`
	Recorded   int         `json:"recorded"`   // tests that were recorded
	Tests      int         `json:"tests"`      // bundled tests
	Kinds      int         `json:"kinds"`      // of exchanges, events, frames and deliveries
	Sites      int         `json:"sites"`      // places in them
	Generated  int         `json:"generated"`  // mutants
	Seed       uint64      `json:"seed"`       // of the sample
	Results    []Result    `json:"results"`    // of those that were played, sorted by id
	Variations []Variation `json:"variations"` // lawful changes of everything
	Problems   []string    `json:"problems,omitempty"`
}

// A Variation is a lawful change of everything that passes, and what it changed in the verdicts: nothing, if all is well.
type Variation struct {
	Name    string   `json:"name"`
	Tests   int      `json:"tests"`
	Changed []string `json:"changed,omitempty"` // "CARD-001: pass became fail: ..."
}

// Sample are n of the mutants in an order that is always the same for a seed, and all of them for n 0. It takes them by
// turns from the strata (what is changed, how, and how often), so that what is rare is there too; within a stratum every
// mutant is as likely as any other. Every beginning of a sample is a sample.
func Sample(all []Mutant, n int, seed uint64) []Mutant {
	if n == 0 || n > len(all) {
		n = len(all)
	}
	strata := map[string][]Mutant{}
	for _, m := range all {
		stratum := m.what() + separator + m.Operator + separator + m.Mode
		strata[stratum] = append(strata[stratum], m)
	}
	var chosen []Mutant
	turn := make(map[Mutant]uint64, len(all))
	rank := make(map[Mutant]uint64, len(all))
	for stratum, members := range strata {
		of := make(map[Mutant]uint64, len(members))
		for _, m := range members {
			of[m] = draw(seed, m.String())
			rank[m] = draw(seed, stratum)
		}
		slices.SortFunc(members, func(a, b Mutant) int { return cmp.Compare(of[a], of[b]) })
		for i, m := range members {
			turn[m] = uint64(i)
		}
		chosen = append(chosen, members...)
	}
	slices.SortFunc(chosen, func(a, b Mutant) int { return cmp.Or(cmp.Compare(turn[a], turn[b]), cmp.Compare(rank[a], rank[b])) })
	return chosen[:n]
}

// draw is a number that is always the same for a seed and a text.
func draw(seed uint64, text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strconv.FormatUint(seed, 10) + text))
	x := h.Sum64()
	x ^= x >> 33 // the low bits of FNV are much alike for texts that are
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// A Tally counts results by fate.
type Tally struct {
	Played, Killed, Unrelated, Lawful, Blocked, Unreached, Unexplained int
}

func (t *Tally) add(r Result) {
	t.Played++
	switch {
	case r.Fate == Killed:
		t.Killed++
	case r.Reason != "":
		t.Lawful++
	case r.Fate == Unrelated:
		t.Unrelated++
	case r.Fate == Blocked:
		t.Blocked++
	case r.Fate == Unreached:
		t.Unreached++
	default:
		t.Unexplained++
	}
}

// share is what of the mutants that were reached is killed for the right reason, or lawful with a reason, in percent.
func (t *Tally) share() float64 {
	if t.Played == t.Unreached {
		return 0
	}
	return 100 * float64(t.Killed+t.Lawful) / float64(t.Played-t.Unreached)
}

// Tally counts all results, or those that are chosen.
func (r *Report) Tally(chosen func(Mutant) bool) Tally {
	var t Tally
	for _, result := range r.Results {
		m, err := Parse(result.ID)
		if err == nil && (chosen == nil || chosen(m)) {
			t.add(result)
		}
	}
	return t
}

// Sentence is the one line that says it.
func (r *Report) Sentence() string {
	t := r.Tally(nil)
	var said []string
	if len(r.Results) > 0 || len(r.Variations) == 0 {
		said = append(said, fmt.Sprintf("%d of %d mutants played: %d killed, %d lawful with a reason (%.1f %% together), %d killed by an unrelated requirement only, "+
			"%d blocked only, %d not reached, %d unexplained", t.Played, r.Generated, t.Killed, t.Lawful, t.share(), t.Unrelated, t.Blocked, t.Unreached, t.Unexplained))
	}
	if len(r.Variations) > 0 {
		changed := 0
		for _, v := range r.Variations {
			changed += len(v.Changed)
		}
		said = append(said, fmt.Sprintf("%d lawful variations changed %d verdicts", len(r.Variations), changed))
	}
	return r.Profile + ": " + strings.Join(said, "; ")
}
