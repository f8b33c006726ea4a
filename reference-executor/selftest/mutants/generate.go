// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"cmp"
	"slices"
	"strings"
)

// Generate makes the mutants of everything that was recorded, sorted by id.
func Generate(r *Recording) []Mutant {
	var all []Mutant
	for site, seen := range r.sites {
		for _, operator := range operatorsFor(site, seen) {
			for _, mode := range Modes {
				if seen.fits(mode) && affordable(operator, mode) {
					all = append(all, Mutant{site, operator, mode})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b Mutant) int { return cmp.Compare(a.String(), b.String()) })
	return slices.CompactFunc(all, func(a, b Mutant) bool { return a == b })
}

// affordable leaves out what would take hours: a delay is a delay in every mode.
func affordable(operator, mode string) bool {
	return operator != Delay || mode == Always || mode == Nth
}

// fits says whether a mode covers some occurrence of the site; the mode Always, when it is the same as another one, is it.
func (s *seenSite) fits(mode string) bool {
	total, in := 0, 0
	for _, u := range s.tests {
		total += u.all
		in += u.in(mode)
	}
	switch mode {
	case Always:
		return true
	case Nth:
		return total >= 3
	}
	return in > 0 && in < total
}

func operatorsFor(site Site, seen *seenSite) []string {
	switch what, _, _ := strings.Cut(site.Part, " "); {
	case what == "status":
		return []string{Status, HTTP500}
	case what == "header":
		all := []string{Drop, Empty, WrongType, Truncate, Duplicate}
		if len(seen.values) > 1 {
			all = append(all, Other)
		}
		return all
	case what == "body" && strings.HasPrefix(site.Kind, deliveryKind):
		return []string{Empty, Truncate, Media}
	case what == "body":
		return []string{Empty, Truncate, Cut, Media, HTML, Duplicate, Delay}
	case what == "stream":
		return []string{Cut, Truncate, StaysOpen}
	case what == "event":
		return []string{Drop, Duplicate, Swap, Truncate, Empty, Delay}
	case what == "frame":
		return []string{Drop, Duplicate, Swap, Truncate, Empty, WrongType, Cut, Delay}
	case what == "code":
		return []string{WrongType, Other}
	case what == "reason", what == "field":
		all := []string{Drop, Empty, WrongType, Truncate}
		if len(seen.values) > 1 {
			all = append(all, Other)
		}
		return all
	case what == "delivery":
		return []string{Drop, Duplicate, Delay}
	case what == "method":
		return []string{WrongType}
	case what == "metric":
		return []string{Drop, Empty, WrongType, Truncate, Duplicate}
	case strings.HasPrefix(what, "json"):
		return valueOperators(seen.values, site.Part == "json")
	}
	return nil
}
