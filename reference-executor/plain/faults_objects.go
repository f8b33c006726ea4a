// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/base64"
	"strings"
)

// objectFaults are about the objects of the data model.
var objectFaults = map[string]func(*behaviour){
	"list-of-ids": listedTask(func(_ task, v object) object { return object{"id": v["id"]} }),
	"list-of-bare-ids": listed(func(v object) {
		list := v["tasks"].([]any)
		for i := range list {
			list[i] = list[i].(object)["id"]
		}
	}),
	"list-with-empty-ids": listedTask(func(_ task, v object) object {
		v["id"] = ""
		return v
	}),
	"history-is-an-object": shownTask(func(_ task, v object) {
		if _, has := v["history"]; has {
			v["history"] = object{}
		}
	}),
	"artifacts-are-an-object": shownTask(func(_ task, v object) {
		if _, has := v["artifacts"]; has {
			v["artifacts"] = object{}
		}
	}),

	"new-tasks-are-in-no-state": stated(func(state string) any {
		if state == submitted || state == working {
			return "TASK_STATE_UNSPECIFIED"
		}
		return state
	}),
	"states-without-their-prefix": stated(func(state string) any { return strings.TrimPrefix(state, "TASK_STATE_") }),
	"status-without-state":        shownStatus(func(_ task, v object) { delete(v, "state") }),

	"status-messages-without-id": shownStatus(func(_ task, v object) {
		if message, has := v["message"].(object); has {
			delete(message, "messageId")
		}
	}),
	"direct-messages-without-id": func(b *behaviour) {
		b.output.wrapper = func(_ *call, _ string, v object) object {
			if message, has := v["message"].(object); has {
				delete(message, "messageId")
			}
			return v
		}
	},
	"agent-speaks-as-the-user":     agentMessage(func(v object) { v["role"] = "ROLE_USER" }),
	"agent-messages-without-parts": agentMessage(func(v object) { v["parts"] = []any{} }),
	"client-speaks-as-the-agent":   clientMessage(func(v object) { v["role"] = "ROLE_AGENT" }),
	"client-is-misquoted": clientMessage(func(v object) {
		for _, part := range v["parts"].([]any) {
			if text, has := part.(object)["text"].(string); has {
				part.(object)["text"] = strings.ToUpper(text)
			}
		}
	}),

	"parts-with-text-and-url":    shownPart("text", func(v object) { v["url"] = "https://a2a.example/text" }),
	"parts-without-content":      shownPart("data", func(v object) { delete(v, "data") }),
	"data-beside-raw":            shownPart("raw", func(v object) { v["data"] = nil }),
	"url-is-an-object":           shownPart("url", func(v object) { v["url"] = object{"href": v["url"]} }),
	"filename-is-a-number":       shownPart("raw", func(v object) { v["filename"] = 1 }),
	"raw-is-latin-1":             shownPart("raw", rawAsLatin1),
	"raw-is-base64url":           shownPart("raw", func(v object) { v["raw"] = base64.URLEncoding.EncodeToString(rawBytes(v)) }),
	"raw-is-not-padded":          shownPart("raw", func(v object) { v["raw"] = base64.RawStdEncoding.EncodeToString(rawBytes(v)) }),
	"files-without-media-type":   shownPart("url", func(v object) { delete(v, "mediaType") }),
	"media-type-is-an-extension": shownPart("raw", func(v object) { v["mediaType"] = "png" }),
	"file-urls-are-paths":        shownPart("url", func(v object) { v["url"] = "/files/report.pdf" }),
	"file-urls-without-scheme":   shownPart("url", func(v object) { v["url"] = "a2a.example/files/report.pdf" }),

	"artifacts-share-an-id": shownTask(func(_ task, v object) {
		if list, has := v["artifacts"].([]any); has {
			v["artifacts"] = append(list, clone(list[0]))
		}
	}),
	"artifacts-without-id":    shownArtifact(func(v object) { delete(v, "artifactId") }),
	"artifacts-without-parts": shownArtifact(func(v object) { v["parts"] = []any{} }),
	"results-are-only-said":   shownTask(onlySaid),
}

// onlySaid shows the first artifact of a task as what the agent says, and no artifacts.
func onlySaid(t task, v object) {
	shown, _ := v["artifacts"].([]any)
	if len(shown) == 0 {
		return
	}
	v["status"].(object)["message"] = object{
		"messageId": t.artifacts[0].id, "role": "ROLE_AGENT", "parts": shown[0].(object)["parts"],
	}
	delete(v, "artifacts")
}

// listedTask changes a task in a list.
func listedTask(change func(t task, v object) object) func(*behaviour) {
	return func(b *behaviour) { b.output.listed = func(_ *call, t task, v object) object { return change(t, v) } }
}

// shownTask, shownStatus and shownArtifact change such an object wherever it is shown.
func shownTask(change func(t task, v object)) func(*behaviour) {
	return func(b *behaviour) { b.output.task = func(_ *call, t task, v object) { change(t, v) } }
}

func shownStatus(change func(t task, v object)) func(*behaviour) {
	return func(b *behaviour) { b.output.status = func(_ *call, t task, v object) { change(t, v) } }
}

func shownArtifact(change func(v object)) func(*behaviour) {
	return func(b *behaviour) { b.output.artifact = func(_ *call, v object) { change(v) } }
}

// shownPart changes the parts that have this content.
func shownPart(content string, change func(v object)) func(*behaviour) {
	return func(b *behaviour) {
		b.output.part = func(_ *call, v object) {
			if _, has := v[content]; has {
				change(v)
			}
		}
	}
}

// stated changes how states are written.
func stated(write func(state string) any) func(*behaviour) {
	return func(b *behaviour) { b.output.state = func(_ *call, t task) any { return write(t.state) } }
}

// agentMessage and clientMessage change the messages of one side wherever they are shown.
func agentMessage(change func(v object)) func(*behaviour) { return messageOf("ROLE_AGENT", change) }

func clientMessage(change func(v object)) func(*behaviour) { return messageOf("ROLE_USER", change) }

func messageOf(role string, change func(v object)) func(*behaviour) {
	return func(b *behaviour) {
		b.output.message = func(_ *call, v object) {
			if v["role"] == role {
				change(v)
			}
		}
	}
}

// rawBytes are what the raw of a part stands for.
func rawBytes(part object) []byte {
	text, _ := part["raw"].(string)
	content, _ := base64.StdEncoding.DecodeString(text) // it was checked when it came
	return content
}

// rawAsLatin1 writes the bytes of a file as the characters of these numbers.
func rawAsLatin1(part object) {
	var text strings.Builder
	for _, b := range rawBytes(part) {
		text.WriteRune(rune(b))
	}
	part["raw"] = text.String()
}
