// SPDX-License-Identifier: Apache-2.0

package overview

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// Cell is how a surface of a target did, for a table: the outcome that decides, and a few characters that say it: "FAIL 2/45" for two of
// 45 that were measured, "blocked 3" where nothing was broken and three could not be measured, "ok 30/45" for 30 of 45 that were measured
// and hold. A surface of which nothing was asked is "".
func Cell(s report.Summary) (report.Outcome, string) {
	switch measured := s.Measured(); {
	case s.Total() == 0:
		return report.Skip, ""
	case s.Fail > 0:
		return report.Fail, fmt.Sprintf("FAIL %d/%d", s.Fail, measured)
	case s.Blocked > 0:
		return report.Blocked, fmt.Sprintf("blocked %d", s.Blocked)
	case measured == 0:
		return report.Skip, "not measured"
	case s.Waived > 0:
		return report.Warn, fmt.Sprintf("waived %d/%d", s.Waived, measured)
	default:
		return report.Pass, fmt.Sprintf("ok %d/%d", measured, s.Total())
	}
}

// CellMeans explains the cells of the tables.
const CellMeans = "FAIL 2/45: two of 45 measured requirements are broken. ok 30/45: nothing is broken or blocked, and 30 of 45 were measured."

// Measured are the targets of a profile that were played, the worst first.
func (o *Overview) Measured(profile string) []*Entry {
	var all []*Entry
	for i := range o.Entries {
		if e := &o.Entries[i]; e.Missing == "" && e.Profile == profile {
			all = append(all, e)
		}
	}
	return all
}

// Tests are the tests of all profiles, by profile and id.
func (o *Overview) Tests() map[[2]string]*Test {
	all := map[[2]string]*Test{}
	for i := range o.Profiles {
		p := &o.Profiles[i]
		for k := range p.Tests {
			all[[2]string{p.Name, p.Tests[k].ID}] = &p.Tests[k]
		}
	}
	return all
}

// BrokenBy are the requirements that all targets, several, or one of them break.
func (o *Overview) BrokenBy(by string) []Broken {
	var all []Broken
	for _, b := range o.Broken {
		if b.By == by {
			all = append(all, b)
		}
	}
	return all
}

// LabelText is the labels of a target on one line, by name: "region=eu, stage=test".
func (e *Entry) LabelText() string {
	var all []string
	for name, value := range e.Labels {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// PlayedBy is what played a target, on one line.
func (v *Version) PlayedBy() string {
	text := v.Tool.Name + " " + v.Tool.Version
	if v.Tool.Commit != "" {
		text += ", commit " + v.Tool.Commit
	}
	text += ", suites " + v.Digest
	if v.Contract != "" {
		text += ", contract " + v.Contract
	}
	return text
}

// Versions are what the targets were played by, each once.
func (o *Overview) Versions() []string {
	var all []string
	for i := range o.Entries {
		if e := &o.Entries[i]; e.Version != nil && !slices.Contains(all, e.Profile+": "+e.Version.PlayedBy()) {
			all = append(all, e.Profile+": "+e.Version.PlayedBy())
		}
	}
	slices.Sort(all)
	return all
}
