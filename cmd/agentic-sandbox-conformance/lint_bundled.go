// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
	"github.com/roctinam/agentic-sandbox-conformance/suites/needs"
)

// adviceOnBundled advises on what working copies of bundled suites name and what is not there: requirements that the catalog of
// the profile lacks or has otherwise, and faults that its reference server does not have.
func adviceOnBundled(own *suites.Profile) ([]suites.Problem, error) {
	var all []suites.Problem
	for _, s := range own.Suites {
		profile := suites.BundledAs(s.At.File)
		if profile == "" {
			continue
		}
		required, err := catalog.Of(profile)
		if err != nil {
			return nil, err
		}
		byID := map[string]catalog.Requirement{}
		for _, r := range required {
			byID[r.ID] = r
		}
		faults := selftest.Faults(profile)
		for _, u := range s.Untested {
			if _, known := byID[u.ID]; !known {
				all = append(all, outsideTheCatalog(profile, u.ID, u.At))
			}
		}
		for _, t := range s.Tests {
			r, known := byID[t.ID]
			if !known {
				all = append(all, outsideTheCatalog(profile, t.ID, t.At))
			} else {
				for _, difference := range plainDifferences(r, t) {
					all = append(all, suites.Problem{At: t.At, What: t.ID + " " + difference})
				}
			}
			for _, b := range t.BrokenBy {
				all = append(all, noFault(profile, faults, b)...)
			}
		}
	}
	return all, nil
}

// noFault advises on a fault that the reference server of a profile does not have, or for which there is no such server.
func noFault(profile string, faults []string, b suites.Breakage) []suites.Problem {
	switch {
	case len(faults) == 0:
		return []suites.Problem{{At: b.At, What: fmt.Sprintf("nothing has the fault %s: there is no reference server of %s", b.Fault, profile)}}
	case !slices.Contains(faults, b.Fault):
		return []suites.Problem{{At: b.At, What: fmt.Sprintf("the reference server of %s has no fault %q%s", profile, b.Fault, spelling.DidYouMean(b.Fault, faults))}}
	}
	return nil
}

// outsideTheCatalog advises on the id of a requirement that the catalog lacks.
func outsideTheCatalog(profile, id string, at suites.Position) suites.Problem {
	return suites.Problem{At: at, What: fmt.Sprintf("%s is not in the catalog; add its line to suites/catalog/%s.json", id, profile)}
}

// plainDifferences are those between a requirement and its test that nothing excuses: how strict it is, and where reports show it.
func plainDifferences(r catalog.Requirement, t *suites.Test) []string {
	var all []string
	if !levelFits(r, t) {
		all = append(all, fmt.Sprintf("is %s, in the catalog %s", t.Level, strings.TrimSpace(r.Level+" "+r.Verdict)))
	}
	if r.Surface != t.Suite.Surface {
		all = append(all, fmt.Sprintf("is on the surface %s, in the catalog on %s", t.Suite.Surface, r.Surface))
	}
	return all
}

// levelFits says whether a test is as strict as its requirement: as the level says, or, where the catalog says what becomes
// of it instead, as weak as that, or as the level says with parts that are softened.
func levelFits(r catalog.Requirement, t *suites.Test) bool {
	has := strength(string(t.Level))
	switch {
	case r.Verdict != "":
		return has == map[string]string{"warn": "SHOULD", "info": "MAY"}[r.Verdict] || has == strength(r.Level) && softens(t)
	case strength(r.Level) == "SHOULD" && has == "MUST":
		return softensToWarning(t)
	}
	return has == strength(r.Level)
}

// strength is the level without its direction: whether a sentence says what must be or what must not be is a matter of
// its wording.
func strength(level string) string { return strings.TrimSuffix(level, " NOT") }

// softensToWarning says whether a part of the test only warns. A requirement of level SHOULD, whose catalog entry names a
// part that fails all the same, is written as a MUST or a MUST NOT that softens the rest.
func softensToWarning(t *suites.Test) bool {
	for s := range needs.Steps(t) {
		for _, soft := range s.Softened {
			if !soft.Note {
				return true
			}
		}
	}
	return false
}

// softens says whether a part of the test is less than a failure.
func softens(t *suites.Test) bool {
	for s := range needs.Steps(t) {
		if len(s.Softened) > 0 {
			return true
		}
	}
	return false
}
