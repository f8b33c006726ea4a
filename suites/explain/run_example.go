// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"maps"
	"slices"
)

// linesOfRun shows one of the things that were seen in the whole run, and says what it is; nothing where it says nothing.
func (e example) linesOfRun() (of string, lines []string) {
	result := objectIn(e, "result")
	for _, name := range slices.Sorted(maps.Keys(result)) {
		list, _ := result[name].([]any)
		if len(list) == 0 || !slices.Contains(shownOfRun, name) {
			continue
		}
		element, is := list[0].(map[string]any)
		if !is {
			continue
		}
		answer := example{}
		for _, member := range []string{"status", "json", "text"} {
			if v, there := element[member]; there && v != whatever && (member != "text" || element["json"] == nil) {
				answer[member] = v
			}
		}
		if v, there := element["value"]; there {
			answer["json"] = v
		}
		if kind, there := element["media_type"]; there && kind != whatever {
			setIn(answer, "header", "Content-Type", kind)
		}
		if lines, says := answer.lines(); says {
			return withArticle(runNouns["result."+name].one) + ofTheRun, lines
		}
	}
	return "", nil
}

// shownOfRun are the lists of a whole run whose elements are, or hold, something that was sent.
var shownOfRun = []string{"answers", "errors", "tasks", "statuses", "messages", "parts", "artifacts", "items", "status_updates",
	"artifact_updates", "responses"}

func withArticle(noun string) string {
	if slices.Contains([]byte("aeiou"), noun[0]) {
		return "an " + noun
	}
	return "a " + noun
}
