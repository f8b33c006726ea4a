// SPDX-License-Identifier: Apache-2.0

package plain

// filePlaceFaults show files rightly where one task is read, and wrongly in lists or in streams.
var filePlaceFaults = map[string]func(*behaviour){
	"listed-files-have-names-of-0-3": func(b *behaviour) {
		b.output.part = func(c *call, v object) {
			if isOp(c, "ListTasks") && v["mediaType"] != nil && (v["raw"] != nil || v["url"] != nil) {
				v["mimeType"] = v["mediaType"]
			}
		}
	},
	"streamed-files-have-names-of-0-3": streamedPart("raw", func(part object) { part["mimeType"] = part["mediaType"] }),
	"streamed-file-urls-are-paths":     streamedPart("url", func(part object) { part["url"] = "/files/report.pdf" }),
	"streamed-files-without-media-type": itemsWith("artifactUpdate", func(update, _ object) {
		parts, _ := update["artifact"].(object)["parts"].([]any)
		for _, part := range parts {
			if part, is := part.(object); is && part["text"] == nil {
				delete(part, "mediaType")
			}
		}
	}),
	"streams-nest-texts": streamedPart("text", func(part object) { part["text"] = object{"text": part["text"]} }),
	"listed-file-urls-are-paths": func(b *behaviour) {
		b.output.part = func(c *call, v object) {
			if isOp(c, "ListTasks") && v["url"] != nil {
				v["url"] = "/files/report.pdf"
			}
		}
	},
}
