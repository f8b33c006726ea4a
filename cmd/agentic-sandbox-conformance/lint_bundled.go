// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
)

// adviceOnBundled advises on what working copies of bundled suites name and what is not there: requirements that the catalog of
// the profile lacks, and faults that its reference server does not have.
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
		var ids []string
		for _, r := range required {
			ids = append(ids, r.ID)
		}
		faults := selftest.Faults(profile)
		for _, u := range s.Untested {
			all = append(all, outsideTheCatalog(profile, ids, u.ID, u.At)...)
		}
		for _, t := range s.Tests {
			all = append(all, outsideTheCatalog(profile, ids, t.ID, t.At)...)
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
func outsideTheCatalog(profile string, ids []string, id string, at suites.Position) []suites.Problem {
	if slices.Contains(ids, id) {
		return nil
	}
	return []suites.Problem{{At: at, What: fmt.Sprintf("%s is not in the catalog; add its line to suites/catalog/%s.json", id, profile)}}
}
