// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/json"
	"strings"
)

// requestFormFaults break what a request means in a form that is as good as the usual one, or as wrong.
var requestFormFaults = map[string]func(*behaviour){
	"media-types-of-later-parts-are-invalid": func(b *behaviour) {
		b.input.media = func(c *call, part object) *failure {
			f := knownMedia(c, part)
			message, _ := c.params["message"].(object)
			parts, _ := message["parts"].([]any)
			if first, is := parts[0].(object); is && f != nil && first["mediaType"] != part["mediaType"] {
				return violation("message.parts", "has a media type that is not known")
			}
			return f
		}
	},
	"unknown-media-types-of-streams-are-invalid": func(b *behaviour) {
		b.input.media = func(c *call, part object) *failure {
			f := knownMedia(c, part)
			if f != nil && isOp(c, "SendStreamingMessage") {
				return violation("message.parts", "has a media type that is not known")
			}
			return f
		}
	},
	"rpc-extended-card-without-params-is-unknown": func(b *behaviour) {
		b.rpc.params = func(c *call, v any) (object, *failure) {
			if v == nil && isOp(c, "GetExtendedAgentCard") {
				return nil, fail(unknownMethod, "there is no such method")
			}
			return readParams(v)
		}
	},
	"numbers-are-taken-for-texts": func(b *behaviour) {
		b.input.wrong = func(path string, v any) *failure {
			if _, is := v.(json.Number); is {
				return nil
			}
			return conformantInput.wrong(path, v)
		}
	},
	"parts-of-any-type-are-passed-over":      takesAnyType("]"),
	"references-of-any-type-are-passed-over": takesAnyType(".referenceTaskIds"),
	"media-types-of-any-type-are-taken":      takesAnyType(".mediaType"),
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
	"legacy-reads-are-in-the-current-form": func(b *behaviour) {
		b.legacy.result = func(c *call, result any) any {
			if isOp(c, "GetTask") {
				return result
			}
			return conformantLegacy.result(c, result)
		}
	},
	"legacy-streams-are-in-the-current-form": func(b *behaviour) {
		b.legacy.result = func(c *call, result any) any {
			if isOp(c, "SendStreamingMessage") {
				return result
			}
			return conformantLegacy.result(c, result)
		}
	},
	"legacy-reads-are-unknown": func(b *behaviour) {
		b.rpc.method = func(c *call, name string) *operation {
			if c.version == version03 && name == "tasks/get" {
				return nil
			}
			return conformantRPC.method(c, name)
		}
	},
	"version-header-of-reads-not-in-small-letters": readsBlindTo("a2a-version:"),
	"version-header-of-reads-not-in-capitals":      readsBlindTo("A2A-VERSION:"),
}

// takesAnyType takes whatever stands at the places whose path ends so, as if it were not there.
func takesAnyType(at string) func(*behaviour) {
	return func(b *behaviour) {
		b.input.wrong = func(path string, v any) *failure {
			if strings.HasSuffix(path, at) {
				return nil
			}
			return conformantInput.wrong(path, v)
		}
	}
}

// readsBlindTo has operations that only read not see the version where its header is written like this.
func readsBlindTo(name string) func(*behaviour) {
	return func(b *behaviour) {
		blindTo(name)(b)
		b.versions.asked = func(c *call) string {
			if asked := c.r.Header.Get("X2A-Version"); asked != "" && !isOp(c, "GetTask") && !isOp(c, "ListTasks") {
				return asked
			}
			return conformantVersions.asked(c)
		}
	}
}
