// SPDX-License-Identifier: Apache-2.0

package consistency

import (
	"maps"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// shown is an artifact, or a chunk of one, that was shown before its task had ended, or that an event brought.
type shown struct {
	task, id string
	value    any
	at       string
	in       *Answer
	snapshot bool // of the Task with which a stream began
}

// A begun is an artifact that an event of a stream began.
type begun struct {
	stream any
	id     string
}

// update is an artifact, or a chunk of one, that an event brings.
func (b *Book) update(a *Answer, update map[string]any) {
	artifact, _ := update["artifact"].(map[string]any)
	task, id := text(update["taskId"]), text(artifact["artifactId"])
	t := b.known(map[string]any{"id": task})
	if t == nil || id == "" {
		return
	}
	if update["append"] != true {
		t.anew[begun{a.Stream, id}]++
		same := func(parts any) bool { return assertions.SameProtoJSON(artifact["parts"], parts) == nil }
		if !slices.ContainsFunc(t.starts[id], same) {
			t.starts[id] = append(t.starts[id], artifact["parts"])
		}
	}
	b.keep(shown{task, id, artifact, a.At + "/artifactUpdate/artifact", a, false})
}

// waits keeps the artifacts of a task with which a stream began before it had ended.
func (b *Book) waits(v view) {
	for id, artifact := range artifactsOf(v.task) {
		b.keep(shown{text(v.task["id"]), id, artifact.value, v.at + artifact.at, v.in, true})
	}
}

func (b *Book) keep(s shown) {
	if len(b.artifacts) < maxArtifacts {
		b.artifacts = append(b.artifacts, s)
	}
}

// strays are slips about artifacts which are not those that the task was left with: nothing takes an artifact away again.
// An artifact that was begun anew has replaced another one, and what only snapshots have shown may have been replaced. So may
// what deliveries have shown, which need not be of every event, and what a stream has shown that was not followed to its end.
func (b *Book) strays() []any {
	var slips []any
	add := func(s *shown, at string, is, want any) {
		if len(slips) < MaxSlips {
			slips = append(slips, newSlip("artifact", s.in, at, is, want))
		}
	}
	for i := range b.artifacts {
		s := &b.artifacts[i]
		t := b.tasks[s.task]
		if t == nil || t.made > 1 || t.ended == nil {
			continue
		}
		kept := artifactsOf(t.ended.task)
		artifact, there := kept[s.id]
		switch {
		case len(kept) == 0: // whether any are kept is for others to say
		case !there:
			add(s, s.at+"/artifactId", s.id, slices.Sorted(maps.Keys(kept)))
		case len(t.starts[s.id]) == 1 && b.followed(s, t) && !isIn(member(s.value, "parts"), member(artifact.value, "parts")):
			add(s, s.at+"/parts", member(s.value, "parts"), member(artifact.value, "parts"))
		}
	}
	return slips
}

// followed says whether the stream of what was shown was followed to the end of its task, and did not replace it.
func (b *Book) followed(s *shown, t *known) bool {
	most := 1
	if s.snapshot {
		most = 0
	}
	return b.ends[s.in.Stream] && t.anew[begun{s.in.Stream, s.id}] <= most
}

// isIn says whether parts can be some of others: their texts, one behind the other, stand in those of the others, and their
// files and data are among them.
func isIn(parts, of any) bool {
	some, is := parts.([]any)
	all, kept := of.([]any)
	if !is || !kept { // another requirement
		return true
	}
	if !strings.Contains(textsIn(all), textsIn(some)) {
		return false
	}
	all = slices.Clone(all)
	for _, part := range some {
		if _, is := member(part, "text").(string); is {
			continue
		}
		at := slices.IndexFunc(all, func(other any) bool { return sameContent(part, other) })
		if at < 0 {
			return false
		}
		all = slices.Delete(all, at, at+1)
	}
	return true
}

func textsIn(parts []any) string {
	var all strings.Builder
	for _, part := range parts {
		all.WriteString(text(member(part, "text")))
	}
	return all.String()
}

func sameContent(a, b any) bool {
	for _, name := range []string{"raw", "url", "data"} {
		first, second := member(a, name), member(b, name)
		if assertions.IsMissing(first) != assertions.IsMissing(second) {
			return false
		}
		if !assertions.IsMissing(first) && assertions.SameProtoJSON(map[string]any{name: first}, map[string]any{name: second}) != nil {
			return false
		}
	}
	return true
}
