// SPDX-License-Identifier: Apache-2.0

package faultsets

import (
	"strings"
	"testing"
)

func TestReadMasks(t *testing.T) {
	t.Parallel()
	whole := "- {profile: p, fault: f, by: [g, h], tests: [A-1], reason: no stream is left to see it on}\n"
	for _, row := range []struct{ name, text, err string }{
		{"whole", whole, ""},
		{"of another profile", strings.Replace(whole, "profile: p", "profile: q", 1), ""},
		{"without a reason", "- {profile: p, fault: f, by: [g], tests: [A-1]}", "needs a profile"},
		{"by nothing", "- {profile: p, fault: f, tests: [A-1], reason: r}", "needs a profile"},
		{"with a member that nobody reads", "- {profile: p, fault: f, hides: [g]}", "masks.yaml"},
	} {
		got, err := readMasks([]byte(row.text), "p")
		switch {
		case row.err == "" && err != nil || row.err != "" && (err == nil || !strings.Contains(err.Error(), row.err)):
			t.Errorf("%s: the error is %v, want %q", row.name, err, row.err)
		case row.name == "whole" && (len(got) != 1 || !got[0].covers("f", "A-1") || got[0].covers("f", "A-2") || !got[0].hiddenBy("h") || got[0].hiddenBy("f")):
			t.Errorf("%s: the masks are %+v", row.name, got)
		case row.name == "of another profile" && len(got) != 0:
			t.Errorf("%s: the masks are %+v", row.name, got)
		}
	}
}

func TestBundledMasksAreRead(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"agentic-sandbox-v2", "a2a-1.0", "sac"} {
		if _, err := Masks(profile); err != nil {
			t.Error(err)
		}
	}
}
