// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"encoding/json"
	"maps"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// An example that fits may be written such that it is more likely to be what a target sends: each of these says how, and false
// where there is nothing to write otherwise. Whether it fits then is for others to judge.

// withOneFrame is an example in which the frame that is taken is the only one that has come.
func withOneFrame(e example, _ form) (example, bool) {
	frames, is := e["frames"].([]any)
	if objectIn(e, "frame") == nil || !is || len(frames) != 1 {
		return nil, false
	}
	other, is := frames[0].(map[string]any)
	if !is {
		return nil, false
	}
	frame := copied(objectIn(e, "frame")).(map[string]any)
	merge(frame, other)
	one := maps.Clone(e)
	one["frame"], one["frames"] = frame, []any{frame}
	return one, true
}

// withItsStatus is an example of an operation that fails with the status of its error.
func withItsStatus(e example, f form) (example, bool) {
	name, _ := objectIn(e, "failure")["name"].(string)
	one := f.known(name)
	if one == nil || e["status"] == nil {
		return nil, false
	}
	other := maps.Clone(e)
	other["status"] = json.Number(one.status)
	return other, true
}

// withTheStatusInside is an example whose body repeats the status.
func withTheStatusInside(e example, _ form) (example, bool) {
	body := objectIn(e, "json")
	inside, is := body["status"].(json.Number)
	if number, whole := assertions.Whole(inside); !is || !whole || number > 99 {
		return nil, false
	}
	status, there := e["status"]
	if !there {
		return nil, false
	}
	other := example(copied(map[string]any(e)).(map[string]any))
	setIn(other, "json", "status", status)
	return other, true
}
