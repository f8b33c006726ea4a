// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/base64"
	"fmt"
	"strings"
)

var artifactChunksWord = Word{
	Name: "artifact_chunks",
	Means: "is a list of stream events in which every chunk of an artifact that has append continues one that was begun before and " +
		"not ended by lastChunk (continue), or the last chunk of every artifact that came in several has lastChunk (end), and " +
		"there are such chunks",
	Takes:  Literal,
	Schema: `{"enum": ["continue", "end"]}`,
	Judge: func(got, want any) error {
		list, err := elements(got)
		if err != nil {
			return err
		}
		switch want {
		case "continue":
			return chunksContinue(list)
		case "end":
			return chunksEnd(list)
		}
		return fmt.Errorf("artifact_chunks was given %s, neither continue nor end", show(want))
	},
}

// chunksContinue says which chunk continues nothing.
func chunksContinue(list []any) error {
	ended := map[string]bool{} // by artifact that was begun
	continued := 0
	for i, event := range list {
		for _, a := range snapshotOf(event) {
			ended[a.id] = false
		}
		c, is := chunkOf(event)
		if !is {
			continue
		}
		if c.more {
			continued++
			over, begun := ended[c.id]
			switch {
			case !begun:
				return &Problem{Path: elementPath(i), Seen: "continues artifact " + show(c.id) + ", which nothing before it has begun", Wanted: "append only after the first chunk"}
			case over:
				return &Problem{Path: elementPath(i), Seen: "continues artifact " + show(c.id) + ", whose last chunk was marked as such before", Wanted: "nothing after lastChunk"}
			}
		}
		ended[c.id] = c.last
	}
	if continued == 0 {
		return &Problem{Seen: "has no chunk with append among " + count(len(list), "event")}
	}
	return nil
}

// chunksEnd says which artifact has no marked end.
func chunksEnd(list []any) error {
	var order []string
	chunks, at, marked := map[string]int{}, map[string]int{}, map[string]bool{}
	for i, event := range list {
		if c, is := chunkOf(event); is {
			if chunks[c.id]++; chunks[c.id] == 2 {
				order = append(order, c.id)
			}
			at[c.id], marked[c.id] = i, c.last
		}
	}
	for _, id := range order {
		if !marked[id] {
			return &Problem{Path: elementPath(at[id]), Seen: "is the last of " + count(chunks[id], "chunk") + " of artifact " + show(id) + ", and has no lastChunk"}
		}
	}
	if len(order) == 0 {
		return &Problem{Seen: "has no artifact that came in several chunks among " + count(len(list), "event")}
	}
	return nil
}

var assembledFromWord = Word{
	Name: "assembled_from",
	Means: "is a Task whose artifacts are those that these stream events bring: a chunk begins or replaces the artifact of its id, or " +
		"with append adds its parts; adjacent texts count as one, names and metadata do not count",
	Takes:  Literal,
	Schema: `{"type": "array"}`,
	Judge: func(got, want any) error {
		events, err := listArgument("assembled_from", want)
		if err != nil {
			return err
		}
		task, is := got.(map[string]any)
		if !is {
			return seen(got, "a Task")
		}
		stored := map[string]artifact{}
		for _, a := range artifactsIn(task) {
			stored[a.id] = a
		}
		came := assemble(events)
		for _, a := range came {
			other, there := stored[a.id]
			if !there {
				return &Problem{Path: ".artifacts", Seen: "has no artifact " + show(a.id), Wanted: "it, as the events brought it"}
			}
			if err := difference(other.contents(), a.contents()); err != nil {
				return &Problem{Path: ".artifacts", Seen: "has artifact " + show(a.id) + " with the parts " + show(other.contents()),
					Wanted: show(a.contents()) + ", as the events brought it"}
			}
			delete(stored, a.id)
		}
		for _, a := range artifactsIn(task) {
			if _, more := stored[a.id]; more {
				return &Problem{Path: ".artifacts", Seen: "has artifact " + show(a.id), Wanted: "only those that the events brought"}
			}
		}
		return nil
	},
}

var tellsTheSameAsWord = Word{
	Name: "tells_the_same_as",
	Means: "is a list of stream events that says the same as this other list: the same states, apart from the progress of submitted and " +
		"working, artifacts that have the same contents once they are put together, in the order in which they were begun, and the same " +
		"messages in place of a task; ids and the number of chunks do not count",
	Takes:  Literal,
	Schema: `{"type": "array"}`,
	Judge: func(got, want any) error {
		other, err := listArgument("tells_the_same_as", want)
		if err != nil {
			return err
		}
		list, err := filled(got)
		if err != nil {
			return err
		}
		if is, was := turns(list), turns(other); difference(is, was) != nil {
			return &Problem{Seen: "goes through the states " + show(is), Wanted: show(was) + ", as the other stream does"}
		}
		is, was := assemble(list), assemble(other)
		for i := range min(len(is), len(was)) {
			if difference(is[i].contents(), was[i].contents()) != nil {
				return &Problem{Seen: fmt.Sprintf("brings artifact %d with the parts %s", i+1, show(is[i].contents())), Wanted: show(was[i].contents()) + ", as the other stream does"}
			}
		}
		if len(is) != len(was) {
			return &Problem{Seen: "brings " + count(len(is), "artifact"), Wanted: fmt.Sprintf("%d, as the other stream does", len(was))}
		}
		if is, was := messagesIn(list), messagesIn(other); difference(is, was) != nil {
			return &Problem{Seen: "brings the messages " + show(is), Wanted: show(was) + ", as the other stream does"}
		}
		return nil
	},
}

// An artifact is what a Task holds of one, or a chunk of it.
type artifact struct {
	id    string
	parts []any
}

// A chunk is an artifactUpdate of a stream.
type chunk struct {
	artifact
	more, last bool // append, lastChunk
}

// chunkOf is the chunk that an event brings.
func chunkOf(event any) (chunk, bool) {
	update, is := MustPath("item.artifactUpdate").Find(event).(map[string]any)
	if !is {
		return chunk{}, false
	}
	return chunk{artifactOf(update["artifact"]), update["append"] == true, update["lastChunk"] == true}, true
}

func artifactOf(v any) artifact {
	members, _ := v.(map[string]any)
	id, _ := members["artifactId"].(string)
	parts, _ := members["parts"].([]any)
	return artifact{id, parts}
}

// artifactsIn are the artifacts of a Task.
func artifactsIn(task any) []artifact {
	members, _ := task.(map[string]any)
	list, _ := members["artifacts"].([]any)
	all := make([]artifact, len(list))
	for i := range list {
		all[i] = artifactOf(list[i])
	}
	return all
}

// snapshotOf are the artifacts of the Task that an event shows.
func snapshotOf(event any) []artifact { return artifactsIn(MustPath("item.task").Find(event)) }

// assemble puts together what events bring, in the order in which it was begun: what the first one shows, and all chunks.
func assemble(events []any) []artifact {
	var all []artifact
	at := map[string]int{}
	put := func(a artifact, more bool) {
		i, begun := at[a.id]
		switch {
		case !begun:
			at[a.id] = len(all)
			all = append(all, a)
		case more:
			all[i].parts = append(all[i].parts[:len(all[i].parts):len(all[i].parts)], a.parts...)
		default:
			all[i] = a
		}
	}
	for i, event := range events {
		if i == 0 {
			for _, a := range snapshotOf(event) {
				put(a, false)
			}
		}
		if c, is := chunkOf(event); is {
			put(c.artifact, c.more)
		}
	}
	return all
}

// contents are the parts without what describes them; texts next to each other, and bytes, are one.
func (a artifact) contents() []any { return contentsOf(a.parts) }

func contentsOf(parts []any) []any {
	all := []any{}
	for _, part := range parts {
		members, _ := part.(map[string]any)
		content := map[string]any{}
		for _, name := range []string{"text", "raw", "url", "data"} {
			if v, has := members[name]; has && (v != nil || name == "data") {
				content[name] = v
			}
		}
		if len(all) > 0 && joins(all[len(all)-1].(map[string]any), content) {
			continue
		}
		all = append(all, content)
	}
	return all
}

// joins adds a content to the one before it, where both are text, or both bytes.
func joins(before, content map[string]any) bool {
	if len(before) != 1 || len(content) != 1 {
		return false
	}
	if first, is := before["text"].(string); is {
		second, is := content["text"].(string)
		if is {
			before["text"] = first + second
		}
		return is
	}
	first, is := rawBytes(before["raw"])
	second, too := rawBytes(content["raw"])
	if is && too {
		before["raw"] = base64.StdEncoding.EncodeToString(append(first, second...))
	}
	return is && too
}

// rawBytes reads base64 as ProtoJSON does: both alphabets, with padding or without.
func rawBytes(v any) ([]byte, bool) {
	text, is := v.(string)
	if !is {
		return nil, false
	}
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	bytes, err := base64.RawStdEncoding.DecodeString(text)
	return bytes, err == nil
}

// turns are the states of a stream without repetition, and without the progress that depends on when it was looked at.
func turns(events []any) []any {
	all := []any{}
	for _, event := range events {
		state := MustPath("state").Find(event)
		if IsMissing(state) || equal(state, "submitted") || equal(state, "working") || len(all) > 0 && equal(all[len(all)-1], state) {
			continue
		}
		all = append(all, state)
	}
	return all
}

// messagesIn are the contents of the messages that events bring in place of a task.
func messagesIn(events []any) []any {
	all := []any{}
	for _, event := range events {
		if parts, is := MustPath("item.message.parts").Find(event).([]any); is {
			all = append(all, contentsOf(parts))
		}
	}
	return all
}
