// SPDX-License-Identifier: Apache-2.0

// Package coverage compares the suites of a profile with the catalog of its requirements: of every requirement it says
// whether it is tested, when it is judged, what it needs to be configured, and which faults its test catches. What a run has
// measured is a matter of the report.
package coverage

import (
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
	"github.com/roctinam/agentic-sandbox-conformance/suites/explain"
	"github.com/roctinam/agentic-sandbox-conformance/suites/needs"
)

// coverageForm names the form of the JSON, which only ever grows: schemas/coverage.schema.json.
const coverageForm = "agentic-sandbox-conformance/coverage/v1"

// A Coverage is, requirement by requirement, what the suites of a profile do about it.
type Coverage struct {
	Schema       string        `json:"schema"`
	Profile      string        `json:"profile"`
	Digest       string        `json:"digest"` // of the suites
	Total        Counts        `json:"total"`
	Surfaces     []Counts      `json:"surfaces"`
	Requirements []Requirement `json:"requirements"`
}

// Counts are the totals of a surface, or of all.
type Counts struct {
	Surface      string `json:"surface,omitempty"`
	Requirements int    `json:"requirements"`
	Must         int    `json:"must"` // MUST and MUST NOT
	Should       int    `json:"should"`
	May          int    `json:"may"`
	Tested       int    `json:"tested"`
	Untested     int    `json:"untested"`
	Reserved     int    `json:"reserved"`
	Missing      int    `json:"missing"`
	Unlisted     int    `json:"unlisted"`
	Faults       int    `json:"faults"` // different ones
}

// What is done about a requirement.
const (
	Tested   = "tested"
	Untested = "untested" // no client can observe it; Reason says why
	Reserved = "reserved" // the contract does not ask for it yet
	Missing  = "missing"  // nobody has written its test
	Unlisted = "unlisted" // it has a test, but the catalog does not know it
)

// A Requirement is one of the contract, with what is done about it.
type Requirement struct {
	ID      string   `json:"id"`
	Surface string   `json:"surface"`
	Level   string   `json:"level"`
	Verdict string   `json:"verdict,omitempty"` // warn or info: what becomes of it when broken, where the contract's catalog says so
	Summary string   `json:"summary"`
	Source  string   `json:"source"`
	Applies []string `json:"applies"` // conditions, all of which must hold; none: always
	Status  string   `json:"status"`
	Reason  string   `json:"reason,omitempty"` // why it is not tested
	Test    string   `json:"test,omitempty"`
	Suite   string   `json:"suite,omitempty"` // file
	Needs   []string `json:"lend"`            // what the operator has to configure: hook:X, cue:X, token:X, session
	Skips   []string `json:"skips"`           // reasons to skip it that are found out while it runs
	Waits   string   `json:"waits,omitempty"` // how long it waits by its nature
	Faults  []Kill   `json:"faults"`          // of the reference executor, that its test catches
}

// A Kill is a fault that a test catches.
type Kill struct {
	Name  string `json:"name"`
	Shows string `json:"shows"` // failure, warning or note
}

// Of compares the suites of a profile with the catalog of its requirements.
func Of(p *suites.Profile) (*Coverage, error) {
	required, err := catalog.Of(p.Name)
	if err != nil {
		return nil, err
	}
	c := &Coverage{Schema: coverageForm, Profile: p.Name, Digest: p.Digest, Surfaces: []Counts{}, Requirements: []Requirement{}}
	rows := map[string]Requirement{}
	var order []string // of the suites
	for _, s := range p.Suites {
		for _, t := range s.Tests {
			rows[t.ID] = coveredByTest(t)
			order = append(order, t.ID)
		}
		for _, u := range s.Untested {
			rows[u.ID] = Requirement{ID: u.ID, Surface: s.Surface, Level: string(u.Level), Summary: u.Says, Source: u.Source,
				Status: Untested, Reason: u.Because, Suite: u.At.File}
			order = append(order, u.ID)
		}
	}
	for _, r := range required {
		row, there := rows[r.ID]
		delete(rows, r.ID)
		c.Requirements = append(c.Requirements, row.required(r, there))
	}
	for _, id := range order {
		if row, left := rows[id]; left {
			if len(required) > 0 {
				row.Status = Unlisted
			}
			c.Requirements = append(c.Requirements, row)
		}
	}
	c.count()
	return c, nil
}

// MissingOf are the requirements of the profile's contract whose tests are still to be written.
func MissingOf(p *suites.Profile) ([]Requirement, error) {
	c, err := Of(p)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(c.Requirements, func(row Requirement) bool { return row.Status != Missing }), nil
}

func coveredByTest(t *suites.Test) Requirement {
	row := Requirement{ID: t.ID, Surface: t.Suite.Surface, Level: string(t.Level), Summary: t.Says, Source: t.Source,
		Status: Tested, Test: t.Name, Suite: t.At.File, Needs: needs.Of(t)}
	if t.Applies.Reserved != "" {
		row.Status, row.Reason = Reserved, "reserved for "+t.Applies.Reserved
	}
	if t.Slow > 0 {
		row.Waits = t.Slow.String()
	}
	for _, list := range [][]*suites.Step{t.Given, t.Steps} {
		for _, reason := range explain.SkipReasons(list) {
			if !slices.Contains(row.Skips, reason) {
				row.Skips = append(row.Skips, reason)
			}
		}
	}
	for _, b := range t.BrokenBy {
		if !slices.ContainsFunc(row.Faults, func(k Kill) bool { return k.Name == b.Fault }) {
			row.Faults = append(row.Faults, Kill{Name: b.Fault, Shows: t.Shows(b)})
		}
	}
	return row
}

// required is the row of a requirement of the catalog: the catalog says what is asked, the suites what is done about it.
func (row Requirement) required(r catalog.Requirement, there bool) Requirement {
	row.ID, row.Surface, row.Level, row.Verdict, row.Summary, row.Source = r.ID, r.Surface, r.Level, r.Verdict, r.Summary, r.Source
	for _, condition := range r.Conditions() {
		switch configured := ConfiguredAs(condition); {
		case configured == "":
			row.Applies = append(row.Applies, condition)
		case !there: // otherwise its test says what it needs
			row.Needs = append(row.Needs, configured)
		}
		if version, is := strings.CutPrefix(condition, "reserved:"); is && (!there || row.Status == Untested) {
			row.Status = Reserved
			if row.Reason == "" {
				row.Reason = "reserved for " + version
			}
			return row
		}
	}
	if !there {
		row.Status = Missing
	}
	return row
}

// ConfiguredAs is what the operator configures so that a condition of the catalog holds; "" when it is not for him to bring it about.
func ConfiguredAs(condition string) string {
	if len(catalog.Alternatives(condition)) > 1 {
		return ""
	}
	kind, what, _ := strings.Cut(condition, ":")
	switch {
	case kind == "needs-hook" && strings.HasSuffix(what, "-principal"), condition == "needs-hook:credentials":
		return ""
	case kind == "needs-hook":
		return "hook:" + what
	case condition == "needs-driver:multi-turn": // a dialogue is a question that is answered
		return "cue:input-required"
	case kind == "needs-driver":
		return "cue:" + strings.ReplaceAll(what, ":", "-")
	}
	return ""
}

// count fills in the totals, and empty lists where there is nothing to say: programs need not tell null from [].
func (c *Coverage) count() {
	faults := map[string]map[string]bool{"": {}}
	for i := range c.Requirements {
		row := &c.Requirements[i]
		if row.Faults == nil {
			row.Faults = []Kill{}
		}
		for _, list := range []*[]string{&row.Applies, &row.Needs, &row.Skips} {
			if *list == nil {
				*list = []string{}
			}
		}
		at := slices.IndexFunc(c.Surfaces, func(s Counts) bool { return s.Surface == row.Surface })
		if at < 0 {
			at = len(c.Surfaces)
			c.Surfaces = append(c.Surfaces, Counts{Surface: row.Surface})
			faults[row.Surface] = map[string]bool{}
		}
		c.Surfaces[at].add(row)
		c.Total.add(row)
		for _, fault := range row.Faults {
			faults[row.Surface][fault.Name], faults[""][fault.Name] = true, true
		}
	}
	for i := range c.Surfaces {
		c.Surfaces[i].Faults = len(faults[c.Surfaces[i].Surface])
	}
	c.Total.Faults = len(faults[""])
}

func (n *Counts) add(row *Requirement) {
	n.Requirements++
	switch {
	case strings.HasPrefix(row.Level, "MUST"):
		n.Must++
	case strings.HasPrefix(row.Level, "SHOULD"):
		n.Should++
	default:
		n.May++
	}
	switch row.Status {
	case Tested:
		n.Tested++
	case Untested:
		n.Untested++
	case Reserved:
		n.Reserved++
	case Missing:
		n.Missing++
	case Unlisted:
		n.Unlisted++
	}
}
