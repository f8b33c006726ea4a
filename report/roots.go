// SPDX-License-Identifier: Apache-2.0

package report

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// A Root is one thing about a target that breaks several requirements, as its suites describe it. Which of a run's tests
// met it is decided by what their findings say; see [CauseRoot].
type Root struct {
	Name  string     `json:"name"`
	Says  string     `json:"says"`  // what the target does, in one sentence
	Fix   string     `json:"fix"`   // what to change, in one sentence
	Leads []string   `json:"leads"` // ids of tests, one of which must show it
	Least int        `json:"least"` // how many tests must show it
	Signs []RootSign `json:"signs"`
}

// A RootSign is what findings of some tests say when the root is there.
type RootSign struct {
	Tests     []string `json:"tests"`               // ids, or patterns of them with *
	Says      string   `json:"says"`                // a regular expression that each of their findings matches
	Sometimes bool     `json:"sometimes,omitempty"` // the root may be there though one of these passes
}

// Bounds of what a report that somebody else wrote can make us compute.
const (
	maxRoots = 1000
	maxSign  = 4000 // bytes of a regular expression
)

// A suspect is a root with its tests in this run.
type suspect struct {
	*Root
	shown    []int // results with a finding that says so
	foldable []int // of them, those of which nothing says anything else
}

// foldRoots looks for the roots that the suites describe, the one that explains most first. A root is claimed only when
// enough tests show it, one that leads it among them, and of those that it would have to break none passes or was left out of
// the run. A test with findings
// of other kinds as well shows the root, and still stands for itself.
func (r *causeRun) foldRoots() {
	at := map[string]int{}
	for i := range r.Results {
		at[r.Results[i].ID] = i
	}
	left := make([]*Root, 0, min(len(r.Roots), maxRoots))
	for i := range r.Roots[:min(len(r.Roots), maxRoots)] {
		left = append(left, &r.Roots[i])
	}
	signs := map[*RootSign]*regexp.Regexp{}
	for len(left) > 0 {
		var best *suspect
		left = slices.DeleteFunc(left, func(root *Root) bool {
			s := r.suspected(root, at, signs)
			if s != nil && (best == nil || len(s.foldable) > len(best.foldable)) {
				best = s
			}
			return s == nil // with fewer tests left it will not be claimed either
		})
		if best == nil {
			return
		}
		left = slices.DeleteFunc(left, func(root *Root) bool { return root == best.Root })
		c := Cause{ID: CauseRoot + "-" + best.Name, Kind: CauseRoot, Says: show.Clip(best.Says, 1000), Fix: show.Clip(best.Fix, 1000)}
		for _, i := range best.foldable {
			r.Results[i].Cause = c.ID
			c.Tests = append(c.Tests, r.Results[i].ID)
		}
		for _, i := range best.shown {
			if !slices.Contains(best.foldable, i) {
				r.partly[c.ID] = append(r.partly[c.ID], i)
			}
		}
		slices.Sort(r.partly[c.ID])
		r.Causes = append(r.Causes, c)
	}
}

// suspected is the root with the tests that show it, nil when it cannot be claimed.
func (r *causeRun) suspected(root *Root, at map[string]int, signs map[*RootSign]*regexp.Regexp) *suspect {
	s := &suspect{Root: root}
	led := false
	for k := range root.Signs {
		sign := &root.Signs[k]
		some, whole := sign.results(r.Run, at)
		if !whole && !sign.Sometimes { // nobody knows whether it would pass
			return nil
		}
		for _, i := range some {
			id := r.Results[i].ID
			switch {
			case r.Results[i].Outcome == Pass:
				if !sign.Sometimes {
					return nil
				}
			case r.Results[i].Cause == "" && len(r.symptoms[i]) > 0 && !slices.Contains(s.shown, i):
				some, every := root.told(id, r.symptoms[i], signs)
				if !some {
					continue
				}
				s.shown = append(s.shown, i)
				led = led || slices.Contains(root.Leads, id) && root.isShownBy(id, r.symptoms[i], signs)
				if every {
					s.foldable = append(s.foldable, i)
				}
			}
		}
	}
	if !led || len(s.shown) < max(root.Least, fewestFolded) || len(s.foldable) < fewestFolded {
		return nil
	}
	slices.Sort(s.foldable)
	return s
}

// told says whether some, and whether all, of what decides the outcome of a test is as the root has it.
func (root *Root) told(id string, symptoms []symptom, signs map[*RootSign]*regexp.Regexp) (some, every bool) {
	every = true
	for i := range symptoms {
		said := false
		for k := range root.Signs {
			if sign := &root.Signs[k]; sign.of(id) {
				said = said || sign.fits(&symptoms[i], signs)
			}
		}
		some, every = some || said, every && said
	}
	return some, every
}

// isShownBy says whether a test shows the root and not only what comes of it: by a sign that stands under sometimes only a test does that has no
// other.
func (root *Root) isShownBy(id string, symptoms []symptom, signs map[*RootSign]*regexp.Regexp) bool {
	own := false
	for k := range root.Signs {
		sign := &root.Signs[k]
		if sign.Sometimes || !sign.of(id) {
			continue
		}
		own = true
		if slices.ContainsFunc(symptoms, func(one symptom) bool { return sign.fits(&one, signs) }) {
			return true
		}
	}
	return !own
}

// of says whether the sign is one of a test.
func (s *RootSign) of(id string) bool {
	return slices.ContainsFunc(s.Tests, func(pattern string) bool {
		is, err := path.Match(pattern, id)
		return err == nil && is
	})
}

// results are those of the run that the sign is about, and whether each test that it names is among them.
func (s *RootSign) results(r *Run, at map[string]int) (some []int, whole bool) {
	whole = true
	for _, id := range s.Tests {
		if i, played := at[id]; played {
			some = append(some, i)
		} else if strings.Contains(id, "*") {
			for i := range r.Results {
				if is, err := path.Match(id, r.Results[i].ID); err == nil && is {
					some = append(some, i)
				}
			}
		} else {
			whole = false
		}
	}
	return some, whole
}

// fits says whether a finding is what the sign says, by itself or behind the route that it is about.
func (s *RootSign) fits(d *symptom, signs map[*RootSign]*regexp.Regexp) bool {
	says, known := signs[s]
	if !known {
		if len(s.Says) <= maxSign {
			says, _ = regexp.Compile(s.Says) // one that does not compile is no sign of anything
		}
		signs[s] = says
	}
	return says != nil && (says.MatchString(d.sentence) || d.route != "" && says.MatchString(d.route+": "+d.sentence))
}
