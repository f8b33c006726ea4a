// SPDX-License-Identifier: Apache-2.0

package reviewed

import (
	"strings"
	"testing"
)

type entry struct {
	Profile string `yaml:"profile"`
	Reason  string `yaml:"reason"`
}

func (e entry) Whole() bool            { return e.Profile != "" && e.Reason != "" }
func (e entry) Of(profile string) bool { return e.Profile == profile }

func TestRead(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, text string
		read       int
		err        string
	}{
		{"whole", "- {profile: p, reason: r}", 1, ""},
		{"of another profile", "- {profile: q, reason: r}\n- {profile: p, reason: r}", 1, ""},
		{"without a reason", "- {profile: p}", 1, "list.yaml: an entry needs a profile and a reason: {Profile:p Reason:}"},
		{"two without a reason", "- {profile: p}\n- {profile: q}", 1, "\nlist.yaml: an entry needs a profile and a reason: {Profile:q Reason:}"},
		{"with a member that nobody reads", "- {profile: p, reason: r, by: g}", 0, "list.yaml: "},
		{"no list", "profile: p", 0, "list.yaml: "},
	} {
		got, err := Read[entry]("list.yaml", []byte(row.text), "p", "a profile and a reason")
		if len(got) != row.read || row.err == "" && err != nil || row.err != "" && (err == nil || !strings.Contains(err.Error(), row.err)) {
			t.Errorf("%s: %d are read, and the error is %v, want %d and %q", row.name, len(got), err, row.read, row.err)
		}
	}
}
