// SPDX-License-Identifier: Apache-2.0

package dialect

import (
	"maps"
	"slices"
)

// underneath are the requirements about frames that a diagnostic run judges: those about behaviour. Requirements about the
// names and the form of frames would be judged of the translation, and are left out; so are those about what the dialect
// never says (updates of tasks, goodbyes, labels) and those that count frames, which the dialect counts otherwise.
var underneath = setOf(
	// the token in the header, and a session of its own
	"PTY-018", "PTY-117", "PTY-118",
	// retention, and the order of a replay
	"PTY-098", "PTY-099", "PTY-100", "PTY-101", "PTY-102", "PTY-103", "PTY-104",
	// the first picture
	"PTX-007", "PTX-048", "PTX-049", "PTX-052",
	// who leaves, and who is there
	"PTX-006", "PTX-017", "PTX-037", "PTX-038", "PTX-039", "PTX-040", "PTX-053", "PTX-054", "PTY-114",
	// nothing before a join
	"PTX-005", "PTX-028",
	// joins and input that are none
	"PTX-016", "PTX-026", "PTX-032", "PTY-043", "PTY-050", "PTY-128", "PTY-129",
	// roles and scopes
	"PTX-009", "PTX-010", "PTX-011", "PTX-012", "PTX-013", "PTX-014", "PTX-018", "PTX-020", "PTX-021", "PTX-022",
	"PTX-023", "PTX-024", "PTX-025", "PTX-027", "PTX-029", "PTX-031",
	"PTY-028", "PTY-029", "PTY-030", "PTY-031", "PTY-032",
	// the end of a session
	"PTX-055", "PTX-056", "PTX-057",
	// binary layouts
	"PTY-120", "PTY-121", "PTY-123", "PTY-124", "PTY-125", "PTY-126",
	// WebSocket: keepalive, reaping, framing
	"PTY-051", "PTY-053", "PTY-054", "PTY-108", "PTY-109", "PTY-113",
)

// unsaid are, by requirement, the rulings whose warnings a diagnostic run leaves out: they want what the dialect never says.
var unsaid = map[string]string{
	"PTX-053": "A41", // a goodbye
}

func setOf(ids ...string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// Judges says whether a diagnostic run judges a requirement about frames.
func Judges(id string) bool { return underneath[id] }

// Judged lists the ids of the requirements about frames that a diagnostic run judges.
func Judged() []string { return slices.Sorted(maps.Keys(underneath)) }

// LeavesOut says whether a diagnostic run leaves out the warning of a requirement that a ruling asks for.
func LeavesOut(id, ruling string) bool { return unsaid[id] == ruling }
