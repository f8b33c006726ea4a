// SPDX-License-Identifier: Apache-2.0

package docs

import "testing"

func TestReasonMeans(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"claim:streaming": "the card does not declare it",
		"drove-elsewhere": "the message that was to bring the agent into a state brought it into another one",
		"not-supported":   "the target does not offer what the requirement is about",
		"time-is-up":      "the run ended first",
		"reserved-v2.2":   "belongs to a later version of the contract",
		"slow":            "waits longer than `--max-wait` allows",
		"slower":          "",
		"claim":           "",
		"Reason":          "",
	} {
		if got := ReasonMeans(code); got != want {
			t.Errorf("%s means %q, want %q", code, got, want)
		}
	}
}
