// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	isID        = regexp.MustCompile(`^[A-Z][A-Z0-9]*-[0-9]{3}$`)
	isCondition = regexp.MustCompile(`^(when-auth-enabled|production-only|(when-declared|when-present|when-configured|needs-hook|subprotocol|deferred-in|reserved):[A-Za-z0-9./<>=_-]+|slow:[0-9]+)$`)
	levels      = []string{"MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"}
)

// TestFiles keeps every list well formed, and one requirement a line.
func TestFiles(t *testing.T) {
	t.Parallel()
	names, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		profile := strings.TrimSuffix(name.Name(), ".json")
		all, err := Of(profile)
		if err != nil || len(all) == 0 {
			t.Errorf("%s: %d requirements, error %v", profile, len(all), err)
		}
		text, err := files.ReadFile(name.Name())
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(text, []byte("\n")); lines != len(all)+2 {
			t.Errorf("%s has %d lines, want one for each of %d requirements and the two brackets", name.Name(), lines, len(all))
		}
		strict := json.NewDecoder(bytes.NewReader(text))
		strict.DisallowUnknownFields()
		if err := strict.Decode(new([]Requirement)); err != nil {
			t.Errorf("%s: %v", name.Name(), err)
		}
		seen := map[string]bool{}
		for _, r := range all {
			if !isID.MatchString(r.ID) || seen[r.ID] {
				t.Errorf("%s: the id %q is malformed, or stands twice", profile, r.ID)
			}
			seen[r.ID] = true
			if !slices.Contains(levels, r.Level) || r.Surface == "" || r.Summary == "" || r.Source == "" || r.Applies == "" {
				t.Errorf("%s: %s is incomplete: %+v", profile, r.ID, r)
			}
			for _, condition := range r.Conditions() {
				if !isCondition.MatchString(condition) {
					t.Errorf("%s: %s applies under %q, which is no condition", profile, r.ID, condition)
				}
			}
		}
	}
}

// TestOf finds nothing for a profile without a list.
func TestOf(t *testing.T) {
	t.Parallel()
	if all, err := Of("own"); all != nil || err != nil {
		t.Errorf("Of(own) is %v, %v, want nothing", all, err)
	}
	r := Requirement{Applies: "when-declared:streaming + needs-hook:webhook"}
	if got, want := r.Conditions(), []string{"when-declared:streaming", "needs-hook:webhook"}; !slices.Equal(got, want) {
		t.Errorf("conditions are %q, want %q", got, want)
	}
	if got := (Requirement{Applies: "always"}).Conditions(); got != nil {
		t.Errorf("conditions are %q, want none", got)
	}
}
