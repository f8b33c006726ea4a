// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strings"
	"testing"
)

func TestARemedyNamesWhatToConfigure(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"no-hook:restart":     "configure the hook: an entry `restart` under `hooks:` in the configuration file",
		"no-cue:completed":    "an entry `completed` under `cues:`",
		"no-token:operator":   "an entry `operator` under `tokens:`",
		"claim:streaming":     "the card does not declare the capability streaming",
		"claim:of-ones-own":   "the card does not declare `of-ones-own`",
		"slow":                "`--max-wait`",
		"reserved-v2.2":       "a later version",
		"task-ended-too-fast": "",
		"no-hook":             "",
		"no-hook:`<b>`":       "an entry `` `<b>` `` under",
	} {
		if got := remedy(code); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}
