// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"fmt"
	"slices"
	"time"
)

// formFaults are about how values are written.
var formFaults = map[string]func(*behaviour){
	"statuses-without-time": shownStatus(func(_ task, v object) { delete(v, "timestamp") }),
	"new-tasks-without-time": shownStatus(func(t task, v object) {
		if t.state == submitted || t.state == working {
			delete(v, "timestamp")
		}
	}),
	"times-with-an-offset": stamped(func(at time.Time) any { return at.Format("2006-01-02T15:04:05.000") + "+00:00" }),
	"times-are-local": stamped(func(at time.Time) any {
		return at.In(time.FixedZone("", 2*60*60)).Format("2006-01-02T15:04:05.000Z07:00")
	}),
	"times-are-numbers":             stamped(func(at time.Time) any { return at.UnixMilli() }),
	"times-of-the-31st-of-february": stamped(func(at time.Time) any { return at.Format("2006-") + "02-31" + at.Format("T15:04:05.000Z") }),
	"times-are-whole-seconds":       stamped(func(at time.Time) any { return at.Format("2006-01-02T15:04:05Z") }),
	"times-in-nanoseconds":          stamped(func(at time.Time) any { return at.Format("2006-01-02T15:04:05.000000000Z") }),

	"context-id-is-said-twice": shownTask(func(t task, v object) { v["context_id"] = t.context }),
	"lists-in-snake-case": listed(func(v object) {
		v["next_page_token"] = v["nextPageToken"]
		v["total_size"] = v["totalSize"]
	}),
	"states-are-numbers": stated(func(state string) any { return slices.Index(states, state) + 1 }),
	"roles-are-numbers": func(b *behaviour) {
		b.output.message = func(_ *call, v object) { v["role"] = map[any]int{"ROLE_USER": 1, "ROLE_AGENT": 2}[v["role"]] }
	},

	"task-metadata-are-a-list":        shownTask(func(_ task, v object) { v["metadata"] = []any{} }),
	"artifact-metadata-are-a-text":    shownArtifact(func(v object) { v["metadata"] = "none" }),
	"part-metadata-are-a-list":        shownPart("text", func(v object) { v["metadata"] = []any{} }),
	"message-metadata-are-a-list":     agentMessage(func(v object) { v["metadata"] = []any{} }),
	"artifact-extensions-are-objects": shownArtifact(func(v object) { v["extensions"] = []any{object{"uri": "https://a2a.example/x"}} }),

	"kept-extensions-are-one-text": clientMessage(func(v object) {
		if list, is := v["extensions"].([]any); is && len(list) == 1 {
			v["extensions"] = list[0]
		}
	}),
	"kept-metadata-are-a-text": clientMessage(func(v object) {
		if metadata, is := v["metadata"].(object); is {
			v["metadata"] = fmt.Sprint(metadata)
		}
	}),
	"kept-metadata-of-parts-are-a-list": clientMessage(func(v object) {
		for _, part := range v["parts"].([]any) {
			if metadata, is := part.(object)["metadata"].(object); is {
				part.(object)["metadata"] = []any{metadata}
			}
		}
	}),

	"artifacts-are-null-when-there-are-none": shownTask(func(_ task, v object) {
		if _, has := v["artifacts"]; !has {
			v["artifacts"] = nil
		}
	}),
	"file-names-are-empty-when-there-are-none": shownPart("text", func(v object) {
		if _, has := v["filename"]; !has {
			v["filename"] = ""
		}
	}),
}

// stamped changes how times are written.
func stamped(write func(at time.Time) any) func(*behaviour) {
	return func(b *behaviour) { b.output.stamp = write }
}
