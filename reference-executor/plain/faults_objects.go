// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
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
	"direct-messages-have-a-context-of-their-own": func(b *behaviour) {
		b.output.wrapper = func(_ *call, _ string, v object) object {
			if message, has := v["message"].(object); has {
				message["contextId"] = uuid.NewString()
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
	"data-of-the-client-come-back-beside-a-text": keptParts(func(part object) {
		if part["data"] != nil {
			part["text"] = ""
		}
	}),
	"artifacts-are-named-7": func(b *behaviour) {
		b.output.artifact = func(_ *call, v object) { v["name"] = 7 }
	},
	"agent-messages-refer-to-a-text": func(b *behaviour) {
		b.output.message = func(_ *call, v object) {
			if v["role"] == "ROLE_AGENT" {
				v["referenceTaskIds"] = "none"
			}
		}
	},
	"lists-misquote-the-agent": listedHistory(func(message object) any {
		if message["role"] == "ROLE_AGENT" {
			message["parts"] = []any{object{"text": "nothing of the kind"}}
		}
		return message
	}),
	"streamed-file-urls-are-paths": streamedPart("url", func(part object) { part["url"] = "/files/report.pdf" }),
	"streamed-files-without-media-type": itemsWith("artifactUpdate", func(update, _ object) {
		parts, _ := update["artifact"].(object)["parts"].([]any)
		for _, part := range parts {
			if part, is := part.(object); is && part["text"] == nil {
				delete(part, "mediaType")
			}
		}
	}),
	"listed-file-urls-are-paths": func(b *behaviour) {
		b.output.part = func(c *call, v object) {
			if isOp(c, "ListTasks") && v["url"] != nil {
				v["url"] = "/files/report.pdf"
			}
		}
	},
	"empty-lists-in-data-become-null": func(b *behaviour) {
		b.input.keeps = func(_, kept object) object {
			kept = clone(kept).(object)
			partsWith(kept, func(part object) { part["data"] = nullEmpty(part["data"]) }, "data")
			return kept
		}
	},
	"only-files-keep-their-names": func(b *behaviour) {
		b.input.keeps = func(_, kept object) object {
			partsWith(kept, func(part object) { delete(part, "filename") }, "text", "data")
			return kept
		}
	},
	"results-that-nobody-waits-for-are-only-said": func(b *behaviour) {
		var unawaited sync.Map // by task
		b.tasks.id = func(c *call, message object) string {
			id := conformantTasks.id(c, message)
			if conf, _ := c.params["configuration"].(object); conf["returnImmediately"] == true && scenarioOf(textOf(message)) == "completed" {
				unawaited.Store(id, true)
			}
			return id
		}
		b.output.task = func(_ *call, t task, v object) {
			if _, found := unawaited.Load(t.id); found {
				onlySaid(t, v)
			}
		}
	},
	"listed-contexts-are-numbers": listedTask(func(_ task, v object) object {
		v["contextId"] = 7
		return v
	}),
	"status-messages-are-texts": shownStatus(func(_ task, v object) {
		if _, says := v["message"]; says {
			v["message"] = "done"
		}
	}),
	"status-messages-of-task-7": shownStatus(func(_ task, v object) {
		if message, says := v["message"].(object); says {
			message["taskId"] = 7
		}
	}),
	"lists-misquote-the-client": listedHistory(func(message object) any {
		for _, part := range message["parts"].([]any) {
			if text, has := part.(object)["text"].(string); has {
				part.(object)["text"] = strings.ToUpper(text) + "!"
			}
		}
		return message
	}),
	"questions-are-kept-as-the-users": shownTask(func(_ task, v object) {
		history, _ := v["history"].([]any)
		for _, message := range history {
			message.(object)["role"] = "ROLE_USER"
		}
	}),
	"listed-files-have-no-media-type": func(b *behaviour) {
		b.output.part = func(c *call, v object) {
			if isOp(c, "ListTasks") && (v["raw"] != nil || v["url"] != nil) {
				delete(v, "mediaType")
			}
		}
	},
	"results-of-streams-are-only-said": func(b *behaviour) {
		var streamed sync.Map // by task
		b.tasks.id = func(c *call, message object) string {
			id := conformantTasks.id(c, message)
			if isOp(c, "SendStreamingMessage") && scenarioOf(textOf(message)) == "completed" {
				streamed.Store(id, true)
			}
			return id
		}
		b.output.task = func(_ *call, t task, v object) {
			if _, found := streamed.Load(t.id); found {
				onlySaid(t, v)
			}
		}
	},
	"lists-show-bare-texts-as-history": listedHistory(func(object) any { return "hello" }),
	"lists-show-histories-without-ids": listedHistory(func(message object) any {
		if message["role"] == "ROLE_USER" {
			delete(message, "messageId")
		}
		return message
	}),
	"histories-lose-media-types": keptParts(func(part object) { delete(part, "mediaType") }),
	"messages-show-raw-in-url-safe-letters": func(b *behaviour) {
		b.output.message = func(_ *call, v object) {
			for _, part := range v["parts"].([]any) {
				if raw, is := part.(object)["raw"].(string); is {
					part.(object)["raw"] = strings.NewReplacer("+", "-", "/", "_").Replace(raw)
				}
			}
		}
	},
	"texts-are-trimmed": keptTexts(strings.TrimSpace),
	"texts-are-escaped": keptTexts(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace),
	"long-texts-are-cut": keptTexts(func(text string) string {
		return strings.ToValidUTF8(text[:min(len(text), 64<<10)], "")
	}),
	"data-that-are-false-are-lost": keptParts(func(part object) {
		if v, given := part["data"]; given && slices.Contains([]any{false, "", json.Number("0")}, v) {
			delete(part, "data")
		}
	}),
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

// partsWith changes the parts of a message that have one of some contents.
func partsWith(message object, change func(part object), contents ...string) {
	parts, _ := message["parts"].([]any)
	for _, part := range parts {
		for _, name := range contents {
			if part, is := part.(object); is && part[name] != nil {
				change(part)
			}
		}
	}
}

// nullEmpty puts null in place of every list that has no element.
func nullEmpty(v any) any {
	switch v := v.(type) {
	case object:
		for name, member := range v {
			v[name] = nullEmpty(member)
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
		for i := range v {
			v[i] = nullEmpty(v[i])
		}
	}
	return v
}

// listedHistory changes the messages in the histories of listed tasks.
func listedHistory(change func(message object) any) func(*behaviour) {
	return listedTask(func(_ task, v object) object {
		history, _ := v["history"].([]any)
		for i, message := range history {
			history[i] = change(message.(object))
		}
		return v
	})
}

// keptParts changes the parts of what clients send before they are kept.
func keptParts(change func(part object)) func(*behaviour) {
	return func(b *behaviour) {
		b.input.keeps = func(message, kept object) object {
			parts, _ := kept["parts"].([]any)
			for _, part := range parts {
				if part, ok := part.(object); ok {
					change(part)
				}
			}
			return conformantInput.keeps(message, kept)
		}
	}
}

// keptTexts does it to the texts alone.
func keptTexts(change func(text string) string) func(*behaviour) {
	return keptParts(func(part object) {
		if text, is := part["text"].(string); is {
			part["text"] = change(text)
		}
	})
}

// jsonText is a text as it is encoded; empty: it is none.
func jsonText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.RawMessage:
		var text string
		if json.Unmarshal(v, &text) == nil {
			return text
		}
	}
	return ""
}
