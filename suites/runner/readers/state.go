// SPDX-License-Identifier: Apache-2.0

package readers

import (
	"encoding/json"
	"strings"
)

// IsFinal says whether a task that is in a state has ended.
func IsFinal(state string) bool {
	return state == "completed" || state == "failed" || state == "canceled" || state == "rejected"
}

// numberedStates are the states of A2A 1.0 (a2a.proto TaskState) by their numbers.
var numberedStates = map[json.Number]string{
	"1": "submitted", "2": "working", "3": "completed", "4": "failed",
	"5": "canceled", "6": "input-required", "7": "rejected", "8": "auth-required",
}

// stateOf is the state that a status carries, in the contract's spelling: TASK_STATE_INPUT_REQUIRED and 6 are
// input-required.
func stateOf(status any) string {
	members, _ := status.(map[string]any)
	if number, is := members["state"].(json.Number); is {
		return numberedStates[number]
	}
	state, _ := members["state"].(string)
	state = strings.TrimPrefix(strings.ToLower(state), "task_state_")
	return strings.ReplaceAll(state, "_", "-")
}
