// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	isID        = regexp.MustCompile(`^(A2A-|OHV1-|SAC-)?[A-Z][A-Z0-9]*-[0-9]{3}$`)
	isCondition = regexp.MustCompile(`^(when-auth-enabled|when-https-host|production-only|(when-declared|when-not-declared|when-present|when-configured|binding|needs-hook|subprotocol|deferred-in|reserved):[A-Za-z0-9+./<>=_-]+|needs-driver:[a-z-]+(:[a-z]+)?|slow:[0-9]+)$`)
	levels      = []string{"MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"}
)

// TestFiles keeps every list well formed, and one requirement a line.
func TestFiles(t *testing.T) {
	t.Parallel()
	owner := map[string]string{} // by id
	for _, profile := range Profiles() {
		all, err := Of(profile)
		if err != nil || len(all) == 0 {
			t.Errorf("%s: %d requirements, error %v", profile, len(all), err)
		}
		name := profile + ".json"
		text, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(text, []byte("\n")); lines != len(all)+2 {
			t.Errorf("%s has %d lines, want one for each of %d requirements and the two brackets", name, lines, len(all))
		}
		strict := json.NewDecoder(bytes.NewReader(text))
		strict.DisallowUnknownFields()
		if err := strict.Decode(new([]Requirement)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, r := range all {
			if !isID.MatchString(r.ID) || owner[r.ID] != "" {
				t.Errorf("%s: the id %q is malformed, or stands in %s already", profile, r.ID, owner[r.ID])
			}
			owner[r.ID] = profile
			if !slices.Contains(levels, r.Level) || r.Surface == "" || r.Summary == "" || r.Source == "" || r.Applies == "" {
				t.Errorf("%s: %s is incomplete: %+v", profile, r.ID, r)
			}
			if !slices.Contains([]string{"", "warn", "info"}, r.Verdict) {
				t.Errorf("%s: %s has the verdict %q", profile, r.ID, r.Verdict)
			}
			for _, condition := range r.Conditions() {
				for _, alternative := range Alternatives(condition) {
					if !isCondition.MatchString(alternative) {
						t.Errorf("%s: %s applies under %q, which is no condition", profile, r.ID, alternative)
					}
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
}

// TestConditions reads both ways of joining them.
func TestConditions(t *testing.T) {
	t.Parallel()
	for applies, want := range map[string][][]string{
		"always": nil,
		"when-declared:streaming + needs-hook:webhook":                         {{"when-declared:streaming"}, {"needs-hook:webhook"}},
		"binding:HTTP+JSON":                                                    {{"binding:HTTP+JSON"}},
		"binding:HTTP+JSON or binding:JSONRPC":                                 {{"binding:HTTP+JSON", "binding:JSONRPC"}},
		"when-declared:streaming and binding:HTTP+JSON":                        {{"when-declared:streaming"}, {"binding:HTTP+JSON"}},
		"needs-driver:artifact:raw or needs-driver:artifact:url":               {{"needs-driver:artifact:raw", "needs-driver:artifact:url"}},
		"binding:GRPC and when-https-host":                                     {{"binding:GRPC"}, {"when-https-host"}},
		"when-declared:x and needs-driver:failed or needs-driver:rejected":     {{"when-declared:x"}, {"needs-driver:failed", "needs-driver:rejected"}},
		"when-not-declared:security":                                           {{"when-not-declared:security"}},
		"when-declared:pushNotifications  and\n needs-hook:webhook":            {{"when-declared:pushNotifications"}, {"needs-hook:webhook"}},
		"when-declared:security and needs-hook:credentials and when-present:x": {{"when-declared:security"}, {"needs-hook:credentials"}, {"when-present:x"}},
	} {
		var got [][]string
		for _, condition := range (Requirement{Applies: applies}).Conditions() {
			got = append(got, Alternatives(condition))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("conditions of %q (-want +got):\n%s", applies, diff)
		}
	}
}

// TestProfiles counts what the contracts hold.
func TestProfiles(t *testing.T) {
	t.Parallel()
	got := map[string]int{}
	for _, profile := range Profiles() {
		all, err := Of(profile)
		if err != nil {
			t.Fatal(err)
		}
		got[profile] = len(all)
	}
	if diff := cmp.Diff(map[string]int{"a2a-1.0": 361, "agentic-sandbox-v2": 495, "openhands-v1": 190, "sac": 140}, got); diff != "" {
		t.Errorf("requirements (-want +got; write the new number here when the contract has got or lost some):\n%s", diff)
	}
}
