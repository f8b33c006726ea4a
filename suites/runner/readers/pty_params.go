// SPDX-License-Identifier: Apache-2.0

package readers

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

// ptyDefaults are the params of pty-extensions/v1 where a card declares none (extension, section 4.1).
var ptyDefaults = map[string]int{
	"max_controllers": 1, "max_observers": 32,
	"keyframe_interval_seconds": 5, "keyframe_interval_frames": 100,
	"replay_buffer_frames": 1000, "replay_buffer_retention_seconds": 86400,
	"default_cols": 120, "default_rows": 30,
}

// maxObservers is how many observers a card lets into a terminal.
func maxObservers(card map[string]any) int {
	params, _ := ptyParams(card).(map[string]any)
	if n, err := strconv.Atoi(jsontext.Text(params["max_observers"])); err == nil {
		return n
	}
	return ptyDefaults["max_observers"]
}

// ptyParams finds the params that a card declares of pty-extensions/v1, with the defaults of those that are left out
// or make no sense. A number in a text is read as that number: how params are written is for one requirement to say.
func ptyParams(v any) any {
	if _, is := Member(v, "capabilities").(map[string]any); !is {
		return assertions.Missing
	}
	declared := Member(Member(declared(v), "pty-extensions/v1"), "params")
	params := map[string]any{}
	for name, n := range ptyDefaults {
		least, most := 1, math.MaxInt32
		switch name {
		case "max_observers":
			least = 0
		case "default_cols", "default_rows":
			most = 1024
		}
		if given, is := assertions.Whole(json.Number(jsontext.Text(Member(declared, name)))); is && given >= int64(least) && given <= int64(most) {
			n = int(given)
		}
		params[name] = json.Number(strconv.Itoa(n))
	}
	return params
}
