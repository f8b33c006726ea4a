// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"regexp"
	"slices"
	"sync"
)

// A Recording is what tests were seen to use. The nil Recording notes nothing.
type Recording struct {
	mu    sync.Mutex
	sites map[Site]*seenSite
	tidy  []func() // notes of what may be no more than tidying up
}

// A seenSite is what was seen at a site.
type seenSite struct {
	values []string         // the first different ones
	tests  map[string]*uses // by test
}

// uses are how often a test met a site, by mode.
type uses struct {
	all, later, second, large int
}

func (u *uses) in(mode string) int {
	switch mode {
	case Later:
		return u.later
	case Second:
		return u.second
	case Large:
		return u.large
	}
	return u.all
}

const (
	maxValues = 8       // of a site
	maxValue  = 4 << 10 // bytes of one
)

// NewRecording is empty.
func NewRecording() *Recording { return &Recording{sites: map[Site]*seenSite{}} }

// A Notebook is what one test was seen to use, before its name is known to be of use.
type notebook struct {
	kind string
	c    circumstance
	r    *Recording
}

func (n notebook) note(part, value string) { n.r.note(Site{n.kind, part}, n.c, value) }

// note notes one occurrence, of the test "" until [Recording.As].
func (r *Recording) note(s Site, c circumstance, value string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.sites[s]
	if seen == nil {
		seen = &seenSite{tests: map[string]*uses{}}
		r.sites[s] = seen
	}
	if len(seen.values) < maxValues && len(value) <= maxValue && !slices.Contains(seen.values, value) {
		seen.values = append(seen.values, value)
	}
	u := seen.tests[""]
	if u == nil {
		u = &uses{}
		seen.tests[""] = u
	}
	u.all++
	for _, of := range []struct {
		is bool
		n  *int
	}{{c.later, &u.later}, {c.second, &u.second}, {c.large, &u.large}} {
		if of.is {
			*of.n++
		}
	}
}

func (r *Recording) exchange(kind string, c circumstance, h *head, body []byte) {
	if r == nil {
		return
	}
	note := func() { exchangeParts(h, body, notebook{kind, c, r}.note) }
	if !tidies.MatchString(kind) {
		note()
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tidy = append(r.tidy, note)
}

// tidies matches the kinds of exchanges with which a test takes back what it has made.
var tidies = regexp.MustCompile(`^DELETE |[:/]cancel [0-9]|^POST \S* CancelTask |^POST \S* DeleteTaskPushNotificationConfig `)

// Judged tells that the test has judged something: what it canceled and deleted before is part of what it looks at. What it
// cancels and deletes behind its last judgement is tidied up, nobody looks at it, and a mutant of it would say nothing.
func (r *Recording) Judged() {
	r.mu.Lock()
	notes := r.tidy
	r.tidy = nil
	r.mu.Unlock()
	for _, note := range notes {
		note()
	}
}

// Add takes over what another recording noted, as that of a test.
func (r *Recording) Add(test string, other *Recording) {
	other.mu.Lock()
	defer other.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	for site, seen := range other.sites {
		into := r.sites[site]
		if into == nil {
			into = &seenSite{tests: map[string]*uses{}}
			r.sites[site] = into
		}
		for _, value := range seen.values {
			if len(into.values) < maxValues && !slices.Contains(into.values, value) {
				into.values = append(into.values, value)
			}
		}
		if u := seen.tests[""]; u != nil {
			into.tests[test] = u
		}
	}
}

// Tests are the tests that met a mutant's site in its mode, sorted.
func (r *Recording) Tests(m Mutant) []string {
	seen := r.sites[m.Site]
	if seen == nil {
		return nil
	}
	var tests []string
	for test, u := range seen.tests {
		if u.in(m.Mode) > 0 {
			tests = append(tests, test)
		}
	}
	slices.Sort(tests)
	return tests
}

// AnyMode are the tests that met a mutant's site in whichever mode, sorted.
func (r *Recording) AnyMode(m Mutant) []string {
	m.Mode = Always
	return r.Tests(m)
}

// Values are those that were seen at a site.
func (r *Recording) Values(s Site) []string {
	if seen := r.sites[s]; seen != nil {
		return seen.values
	}
	return nil
}

// Weights is how many sites a test met: the fewer, the more it is about each.
func (r *Recording) Weights() map[string]int {
	weights := map[string]int{}
	for _, seen := range r.sites {
		for test := range seen.tests {
			weights[test]++
		}
	}
	return weights
}

// Size is how many kinds and sites there are.
func (r *Recording) Size() (kinds, sites int) {
	all := map[string]bool{}
	for site := range r.sites {
		all[site.Kind] = true
	}
	return len(all), len(r.sites)
}
