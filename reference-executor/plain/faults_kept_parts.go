// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"slices"
	"strings"
)

// keptPartFaults change what clients send on its way into the history.
var keptPartFaults = map[string]func(*behaviour){
	"neighbouring-texts-become-one": func(b *behaviour) {
		b.input.keeps = func(message, kept object) object {
			parts, _ := kept["parts"].([]any)
			joined := []any{}
			for _, v := range parts {
				part, _ := v.(object)
				text, is := part["text"].(string)
				if last := len(joined) - 1; is && len(part) == 1 && last >= 0 {
					before, _ := joined[last].(object)
					if first, is := before["text"].(string); is && len(before) == 1 {
						joined[last] = object{"text": first + "\n" + text}
						continue
					}
				}
				joined = append(joined, v)
			}
			kept["parts"] = joined
			return conformantInput.keeps(message, kept)
		}
	},
	"media-types-lose-their-parameters": keptParts(func(part object) {
		if media, is := part["mediaType"].(string); is {
			bare, _, _ := strings.Cut(media, ";")
			part["mediaType"] = strings.TrimSpace(bare)
		}
	}),
	"line-ends-become-one-character": keptTexts(func(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }),
	"joiners-are-lost":               keptTexts(func(text string) string { return strings.ReplaceAll(text, "\u200d", "") }),
	"names-with-dots-are-nested": keptParts(func(part object) {
		for _, member := range []string{"data", "metadata"} {
			if _, given := part[member]; given {
				part[member] = withNames(part[member], nestedAtDots)
			}
		}
	}),
	"names-in-data-are-camel-cased": keptParts(func(part object) {
		if _, given := part["data"]; given {
			part["data"] = withNames(part["data"], func(o object, name string, v any) { o[camelCased(name)] = v })
		}
	}),
	"parts-may-have-raw-and-url": func(b *behaviour) {
		both := func(members []string) bool { return strings.Join(members, " ") == "raw url" }
		b.input.content = func(path string, members []string) *failure {
			if both(members) {
				return nil
			}
			return oneContent(path, members)
		}
		keptParts(func(part object) {
			if part["raw"] != nil {
				delete(part, "url")
			}
		})(b)
	},
	"answers-of-0-3-are-kept-as-they-came": func(b *behaviour) {
		answers := func(message object) bool { return message["role"] == "user" && message["taskId"] != nil }
		ofMessages(b, func(_ *call, message object) *failure {
			if answers(message) {
				message["role"] = "ROLE_USER"
				message["was"] = "user"
			}
			return nil
		})
		b.input.keeps = func(message, kept object) object {
			if message["was"] == nil {
				return conformantInput.keeps(message, kept)
			}
			came := clone(message).(object)
			came["role"] = came["was"]
			delete(came, "was")
			return came
		}
	},
	"files-of-the-client-keep-names-of-0-3": func(b *behaviour) {
		b.input.keeps = func(message, kept object) object {
			sent, _ := message["parts"].([]any)
			parts, _ := kept["parts"].([]any)
			for i, v := range parts {
				part, _ := v.(object)
				if came, is := sent[i].(object); is && part != nil {
					for _, name := range []string{"mimeType", "name"} {
						if v, given := came[name]; given {
							part[name] = v
						}
					}
				}
			}
			return conformantInput.keeps(message, kept)
		}
	},
	"files-of-the-client-become-addresses": keptParts(func(part object) {
		if part["raw"] != nil {
			delete(part, "raw")
			part["url"] = "https://a2a.example/files/kept"
		}
	}),
	"files-of-the-client-come-back-beside-an-address": keptParts(func(part object) {
		if part["raw"] != nil {
			part["url"] = "https://a2a.example/files/kept"
		}
	}),
	"addresses-of-the-client-become-texts": keptParts(func(part object) {
		if part["url"] != nil {
			part["text"] = part["url"]
			delete(part, "url")
		}
	}),
	"data-of-streamed-messages-are-lost": func(b *behaviour) {
		b.tasks.files = func(c *call, t *task, message object) {
			if parts, is := message["parts"].([]any); is && isOp(c, "SendStreamingMessage") {
				message["parts"] = slices.DeleteFunc(slices.Clone(parts), func(part any) bool {
					_, data := part.(object)["data"]
					return data
				})
			}
			conformantTasks.files(c, t, message)
		}
	},
	"kinds-in-data-are-lost": keptParts(func(part object) {
		if v, given := part["data"]; given {
			part["data"] = withNames(v, func(o object, name string, v any) {
				if name != "kind" {
					o[name] = v
				}
			})
		}
	}),
}

// withNames is a JSON value in which put writes the members of every object.
func withNames(v any, put func(o object, name string, v any)) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for name, member := range v {
			put(out, name, withNames(member, put))
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withNames(v[i], put)
		}
		return out
	}
	return v
}

// nestedAtDots takes a dot in a name for a path, as stores of documents do.
func nestedAtDots(o object, name string, v any) {
	head, tail, deep := strings.Cut(name, ".")
	if !deep {
		o[name] = v
		return
	}
	inner, is := o[head].(object)
	if !is {
		inner = object{}
		o[head] = inner
	}
	nestedAtDots(inner, tail, v)
}

// camelCased is the JSON name of a proto name.
func camelCased(name string) string {
	head, tail, more := strings.Cut(name, "_")
	if !more || head == "" || tail == "" {
		return name
	}
	return head + camelCased(strings.ToUpper(tail[:1])+tail[1:])
}
