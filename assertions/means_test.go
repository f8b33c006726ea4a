// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"strings"
	"testing"
)

// TestAllThatIsWantedStandsFirst: of a word that wants two things both stand before its first semicolon, behind which there are
// remarks: whoever tells a test without its remarks leaves nothing out.
func TestAllThatIsWantedStandsFirst(t *testing.T) {
	t.Parallel()
	for name, wants := range map[string]string{
		"losses_told":            "the stream frame after each of those is a Keyframe",
		"follow_lifecycle":       "some element has one",
		"contiguous":             "no number is used for two different frames",
		"keyframe_after_outputs": "there are more than that in all",
		"artifact_chunks":        "there are such chunks",
		"key_resolved_in":        "are the same there",
		"replay_ts":              "both have one in common",
		"replay_unaltered":       "both have one in common",
		"same_frames_as":         "both have some in common",
		"no_credentials":         "no text in a member called password",
		"grew":                   "has to be there now",
		"samples_grew":           "has to be there now",
	} {
		means := ByName(name).Means
		if first, _, _ := strings.Cut(means, "; "); !strings.Contains(first, wants) {
			t.Errorf("%s means %q, of which %q does not stand before the first semicolon", name, means, wants)
		}
	}
}
