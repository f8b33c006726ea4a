// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"slices"
)

// restNullDataFaults are about parts whose data are null, which is a value.
var restNullDataFaults = map[string]func(*behaviour){
	"null-data-become-an-empty-text": nullData(func(part object) any {
		delete(part, "data")
		part["text"] = ""
		return part
	}),
	"lists-lose-null-data":   shownNullData("ListTasks", func(part object) { delete(part, "data") }),
	"answers-lose-null-data": shownNullData("SendMessage", func(part object) { part["data"] = object{} }),
	"null-data-are-lost":     nullData(func(object) any { return nil }),
	"null-data-are-a-fault": func(b *behaviour) {
		b.input.media = func(c *call, part object) *failure {
			if v, given := part["data"]; given && v == nil {
				return fail(internal, "invalid memory address or nil pointer dereference")
			}
			return knownMedia(c, part)
		}
	},
	"null-data-at-the-beginning-are-lost": func(b *behaviour) {
		b.input.keeps = func(_, message object) object {
			parts, _ := message["parts"].([]any)
			if len(parts) == 0 {
				return message
			}
			if first, is := parts[0].(object); is && first["data"] == nil {
				delete(first, "data")
			}
			return message
		}
	},
	"null-data-with-metadata-are-lost": func(b *behaviour) {
		b.input.keeps = func(_, message object) object {
			parts, _ := message["parts"].([]any)
			for _, v := range parts {
				part, _ := v.(object)
				if data, given := part["data"]; given && data == nil && part["metadata"] != nil {
					delete(part, "data")
				}
			}
			return message
		}
	},
}

// nullData keeps something else of such parts; nil: nothing.
func nullData(kept func(part object) any) func(*behaviour) {
	return func(b *behaviour) {
		b.input.keeps = func(_, message object) object {
			parts, _ := message["parts"].([]any)
			for i, v := range parts {
				part, _ := v.(object)
				if data, given := part["data"]; given && data == nil {
					parts[i] = kept(part)
				}
			}
			message["parts"] = slices.DeleteFunc(parts, func(v any) bool { return v == nil })
			return message
		}
	}
}

// shownNullData changes such parts where one operation shows them.
func shownNullData(operation string, change func(part object)) func(*behaviour) {
	return func(b *behaviour) {
		b.output.part = func(c *call, part object) {
			if data, given := part["data"]; given && data == nil && isOp(c, operation) {
				change(part)
			}
		}
	}
}
