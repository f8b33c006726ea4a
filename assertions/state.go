// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"strings"
)

var stateWord = Word{
	Name: "state",
	Means: "is a task state, or a task or status that has one, which fits when it is written as completed, input-required, ...: " +
		"TASK_STATE_INPUT_REQUIRED and INPUT_REQUIRED are input-required",
	Takes: Nested,
	Judge: func(got, want any) error {
		path, state := stateIn(got)
		text, is := state.(string)
		if !is {
			return &Problem{Path: path, Seen: "is " + show(state), Wanted: "a task state"}
		}
		return below(path, want.(Value).Judge(normalState(text)))
	},
}

// stateIn finds the state of a task, of a status, or the text itself.
func stateIn(got any) (path string, state any) {
	members, is := got.(map[string]any)
	if !is {
		return "", got
	}
	if status, is := members["status"].(map[string]any); is {
		return ".status.state", orMissing(status, "state")
	}
	return ".state", orMissing(members, "state")
}

func normalState(text string) string {
	text = strings.ToLower(text)
	return strings.ReplaceAll(strings.TrimPrefix(text, "task_state_"), "_", "-")
}
