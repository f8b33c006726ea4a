// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// DiffSchema names the form of a comparison as JSON; it only ever grows.
const DiffSchema = "agentic-sandbox-conformance/diff/v1"

// A Diff is what changed between two runs.
type Diff struct {
	Schema          string       `json:"schema"`
	Regression      bool         `json:"regression"` // see Compare
	Because         string       `json:"because"`    // in one sentence
	Old             Side         `json:"old"`
	New             Side         `json:"new"`
	Differs         []Difference `json:"differs"`         // what makes the runs less comparable
	NewlyFailing    []Change     `json:"newlyFailing"`    // broken, and was not, or was not there or measured
	NewlyUnmeasured []Change     `json:"newlyUnmeasured"` // was measured
	NewlyWarned     []Change     `json:"newlyWarned"`     // warned about, and was neither that nor broken
	Fixed           []Change     `json:"fixed"`           // was broken
	NewlyMeasured   []Change     `json:"newlyMeasured"`   // holds, and was not measured
	NoLongerWarned  []Change     `json:"noLongerWarned"`
	StillFailing    []Change     `json:"stillFailing"`
	Waivers         []Change     `json:"waivers"`   // new, changed or gone
	Catalogue       []Change     `json:"catalogue"` // tests that were added, removed, or ask something else
}

// A Side is one of the two runs.
type Side struct {
	Verdict    Verdict   `json:"verdict"`
	Heading    string    `json:"heading"` // the verdict with its labels
	StartedAt  time.Time `json:"startedAt"`
	Target     Target    `json:"target"`
	Suites     SuiteSet  `json:"suites"`
	Tool       Tool      `json:"tool"`
	Summary    Summary   `json:"summary"`
	Partial    []string  `json:"partial,omitempty"`
	Diagnostic string    `json:"diagnostic,omitempty"`
}

// A Difference is something about the runs themselves that is not the same.
type Difference struct {
	What string `json:"what"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// A Change is one test that is not as it was.
type Change struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Level      string `json:"level"`
	Surface    string `json:"surface"`
	Old        string `json:"old"` // an outcome, "waived", "not selected", or "absent": the catalogue did not have it
	New        string `json:"new"`
	Says       string `json:"says,omitempty"`       // the finding, the reason, or what changed
	Regression bool   `json:"regression,omitempty"` // it makes the comparison a regression
}

// What a test is in a run besides its outcomes.
const (
	stateWaived      = "waived"
	stateNotSelected = "not selected"
	stateAbsent      = "absent"
)

// Compare says what changed from the old run to the new one. A regression is a MUST that is broken now, not waived, and was
// not broken; unless allowUnmeasured, a MUST that was measured and is not any more; and a new run that measured nothing.
func Compare(old, new *Run, allowUnmeasured bool) *Diff {
	was, is := old.Settled().Run, new.Settled().Run
	d := &Diff{Schema: DiffSchema, Old: was.side(), New: is.side(), Differs: differences(was, is)}
	for _, pair := range pairs(was, is) {
		d.add(pair, allowUnmeasured)
	}
	d.conclude()
	return d
}

func (r *Run) side() Side {
	return Side{Verdict: r.Verdict, Heading: r.Heading(), StartedAt: r.StartedAt, Target: r.Target, Suites: r.Suites, Tool: r.Tool,
		Summary: r.Summary, Partial: r.Partial, Diagnostic: r.Diagnostic}
}

// A pair is one test in both runs; a result is nil where the run has none.
type pair struct {
	old, new           *Result
	oldState, newState string
}

// pairs are the tests of both runs: those of the new one in its order, then those that only the old one has.
func pairs(was, is *Run) []pair {
	first := func(r *Run) map[string]*Result {
		byID := map[string]*Result{}
		for i := range r.Results {
			if id := r.Results[i].ID; byID[id] == nil {
				byID[id] = &r.Results[i]
			}
		}
		return byID
	}
	old, new := first(was), first(is)
	same := was.Suites.Digest == is.Suites.Digest && was.Suites.Profile == is.Suites.Profile
	var all []pair
	for i := range is.Results {
		if r := &is.Results[i]; new[r.ID] == r {
			all = append(all, pair{old[r.ID], r, state(old[r.ID], same || was.narrowed()), state(r, false)})
		}
	}
	for i := range was.Results {
		if r := &was.Results[i]; old[r.ID] == r && new[r.ID] == nil {
			all = append(all, pair{r, nil, state(r, false), state(nil, same || is.narrowed())})
		}
	}
	return all
}

// narrowed reports whether the operator asked for a part of the profile.
func (r *Run) narrowed() bool { return slices.ContainsFunc(r.Partial, bySelection) }

func state(r *Result, leftOut bool) string {
	switch {
	case r == nil && leftOut:
		return stateNotSelected
	case r == nil:
		return stateAbsent
	case r.Waived():
		return stateWaived
	case r.Blocked():
		return string(Blocked)
	}
	return string(r.Outcome)
}

func isBroken(state string) bool { return state == string(Fail) || state == stateWaived }

func holds(state string) bool { return state == string(Pass) || state == string(Warn) }

func isUnmeasured(state string) bool {
	return state == string(Skip) || state == string(Blocked) || state == stateNotSelected
}

// add puts the pair where it belongs.
func (d *Diff) add(p pair, allowUnmeasured bool) {
	was, is := p.oldState, p.newState
	to := func(list *[]Change, says string, regression bool) {
		r := cmp.Or(p.new, p.old)
		*list = append(*list, Change{ID: r.ID, Name: r.Name, Level: r.Level, Surface: r.Surface, Old: was, New: is, Says: says, Regression: regression})
	}
	if says := p.asksElse(); says != "" {
		to(&d.Catalogue, says, false)
	}
	if says := p.waiver(); says != "" {
		to(&d.Waivers, says, false)
	}
	switch {
	case isBroken(is) && isBroken(was):
		to(&d.StillFailing, p.new.Headline(), false)
	case isBroken(is):
		to(&d.NewlyFailing, p.new.Headline(), is == string(Fail))
	case isBroken(was) && holds(is):
		to(&d.Fixed, "", false)
	case (isBroken(was) || holds(was)) && isUnmeasured(is):
		must := strings.HasPrefix(p.old.Level, "MUST") || p.new != nil && strings.HasPrefix(p.new.Level, "MUST")
		to(&d.NewlyUnmeasured, p.whyNot(), must && !allowUnmeasured)
	case isUnmeasured(was) && holds(is):
		to(&d.NewlyMeasured, "", false)
	case was == string(Warn) && is == string(Pass):
		to(&d.NoLongerWarned, "", false)
	}
	if is == string(Warn) && was != string(Warn) && !isBroken(was) {
		to(&d.NewlyWarned, p.new.Headline(), false)
	}
}

// whyNot is why the test is not measured any more.
func (p pair) whyNot() string {
	switch {
	case p.new == nil:
		return "the run left it out"
	case p.new.Blocked():
		return p.new.BlockedBy()
	}
	return p.new.ReasonText()
}

// asksElse is what changed about the test itself; empty when nothing did.
func (p pair) asksElse() string {
	switch {
	case p.oldState == stateAbsent:
		return "added: " + p.new.Level + " " + p.new.Requirement
	case p.newState == stateAbsent:
		return "removed: " + p.old.Level + " " + p.old.Requirement
	case p.old == nil || p.new == nil:
		return ""
	}
	var changed []string
	for _, part := range []struct{ what, old, new string }{
		{"level", p.old.Level, p.new.Level}, {"sentence", p.old.Requirement, p.new.Requirement}, {"source", p.old.Source, p.new.Source},
		{"name", p.old.Name, p.new.Name}, {"surface", p.old.Surface, p.new.Surface},
	} {
		if part.old != part.new {
			changed = append(changed, fmt.Sprintf("%s was %q, is %q", part.what, part.old, part.new))
		}
	}
	return strings.Join(changed, "; ")
}

// waiver is what changed about the waiver of a failure; empty when nothing did.
func (p pair) waiver() string {
	was, is := p.oldState == stateWaived, p.newState == stateWaived
	switch {
	case was && is && *p.old.Waiver != *p.new.Waiver:
		return "was: " + p.old.WaiverText() + "; is: " + p.new.WaiverText()
	case is && !was:
		return "new: " + p.new.WaiverText()
	case was && !is:
		return "gone; was: " + p.old.WaiverText()
	}
	return ""
}

// conclude says in one sentence what it comes to.
func (d *Diff) conclude() {
	var parts []string
	count := func(list []Change, what string) {
		n := 0
		for _, c := range list {
			if c.Regression {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	count(d.NewlyFailing, "newly failing")
	count(d.NewlyUnmeasured, "not measured any more")
	if d.New.Summary.Measured() == 0 { // without evidence nothing is as good as it was
		parts = []string{"nothing was measured in the new run"}
	}
	d.Regression = len(parts) > 0
	if d.Because = strings.Join(parts, ", "); !d.Regression {
		d.Because = "no MUST is newly broken or has lost its measurement"
		if slices.ContainsFunc(d.NewlyUnmeasured, func(c Change) bool { return strings.HasPrefix(c.Level, "MUST") }) {
			d.Because = "no MUST is newly broken; some have lost their measurement, which is allowed"
		}
	}
	for _, list := range []*[]Change{&d.NewlyFailing, &d.NewlyUnmeasured, &d.NewlyWarned, &d.Fixed, &d.NewlyMeasured, &d.NoLongerWarned, &d.StillFailing, &d.Waivers, &d.Catalogue} {
		*list = append([]Change{}, *list...) // never nil
	}
	d.Differs = append([]Difference{}, d.Differs...)
}

// WriteDiffJSON writes a comparison as JSON; schemas/diff.schema.json defines the form.
func WriteDiffJSON(w io.Writer, d *Diff) error { return WriteForm(w, d) }

// idleFlags say nothing about what was asked.
var idleFlags = []string{"report-out", "report-format", "title", "verbose", "quiet", "no-color", "seed", "impl-commit"}

// differences are those between the runs themselves.
func differences(was, is *Run) []Difference {
	var all []Difference
	add := func(what, old, new string) {
		if old != new {
			all = append(all, Difference{what, old, new})
		}
	}
	add("target", was.Target.ExecutorURL, is.Target.ExecutorURL)
	add("instance", was.Target.InstanceID, is.Target.InstanceID)
	add("admin API", was.Target.AdminURL, is.Target.AdminURL)
	add("card SHA-256", was.Target.CardSHA256, is.Target.CardSHA256)
	add("implementation commit", was.Target.ImplCommit, is.Target.ImplCommit)
	add("profile", was.Suites.Profile, is.Suites.Profile)
	add("contract revision", was.Suites.Contract.Revision(), is.Suites.Contract.Revision())
	add("suites digest", was.Suites.Digest, is.Suites.Digest)
	add("tool", was.Tool.Name+" "+was.Tool.Version, is.Tool.Name+" "+is.Tool.Version)
	add("diagnostic", was.Diagnostic, is.Diagnostic)
	add("partial", strings.Join(was.Partial, ", "), strings.Join(is.Partial, ", "))
	old, new := map[string]string{}, map[string]string{}
	var names []string
	for _, side := range []struct {
		flags []Flag
		into  map[string]string
	}{{was.Flags, old}, {is.Flags, new}} {
		for _, f := range side.flags {
			name := strings.TrimLeft(f.Name, "-")
			if side.into[name] = f.Value; !slices.Contains(names, name) && !slices.Contains(idleFlags, name) && name != "executor-url" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		add("--"+name, old[name], new[name])
	}
	if is.StartedAt.Before(was.StartedAt) {
		add("order: the old run is the younger one; are they swapped?", was.StartedAt.Format(time.RFC3339), is.StartedAt.Format(time.RFC3339))
	}
	return all
}
