// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"
	"strings"
)

// lackedAt are the parts that answers of each route lack, by all that was found in a run.
type lackedAt map[string][]string

// oneDocument begins the path of what is the same document for everybody who asks: what lacks a part lacks what would stand in it.
const oneDocument = "/.well-known/"

// lackedIn collects the parts that documents lack.
func (r *causeRun) lackedIn() lackedAt {
	all := lackedAt{}
	for i := range r.symptoms {
		for k := range r.symptoms[i] {
			d := &r.symptoms[i][k]
			if part := lackedPart(d); part != "" && strings.HasPrefix(d.route, "GET ") && strings.Contains(d.route, oneDocument) && !slices.Contains(all[d.route], part) {
				all[d.route] = append(all[d.route], part)
			}
		}
	}
	return all
}

// around is the largest part that answers of a route lack and that the given part would stand in; the part itself when there is none.
func (l lackedAt) around(route, part string) string {
	largest := part
	for _, other := range l[route] {
		if len(other) < len(largest) && (strings.HasPrefix(part, other+".") || strings.HasPrefix(part, other+"[")) {
			largest = other
		}
	}
	return largest
}

// findingKey is [findingKey], and what lacks a part because a larger one is not there goes with the larger one.
func (l lackedAt) findingKey(d *symptom) string {
	key, part := findingKey(d), lackedPart(d)
	if key == "" || part == "" {
		return key
	}
	return d.route + "\x00" + l.around(d.route, part)
}
