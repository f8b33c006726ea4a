// SPDX-License-Identifier: Apache-2.0

package plain

import "fmt"

// emptyMemberFaults take members that are empty, or null, for members that are set.
var emptyMemberFaults = map[string]func(*behaviour){
	"empty-contexts-of-lists-are-contexts": reading(func(c *call, q query) (query, *failure) {
		if v, given := c.params["contextId"]; given && v == "" {
			q.context = "of none of them"
		}
		return q, nil
	}),
	"empty-media-types-are-unknown": func(b *behaviour) {
		ofMessages(b, func(_ *call, message object) *failure {
			if _, empty := emptyMembers(message)["mediaType"]; empty {
				return fail(contentTypeNotSupported, "the agent takes no parts of that media type")
			}
			return nil
		})
	},
	"empty-media-types-are-kept": func(b *behaviour) {
		b.input.keeps = func(message, kept object) object {
			parts, _ := kept["parts"].([]any)
			for name, at := range emptyMembers(message) {
				parts[at].(object)[name] = ""
			}
			return conformantInput.keeps(message, kept)
		}
	},
	"null-metadata-are-refused": func(b *behaviour) {
		ofMessages(b, func(_ *call, message object) *failure {
			if v, given := message["metadata"]; given && v == nil {
				return violation("message.metadata", "has another JSON type")
			}
			return nil
		})
	},
	"push-lists-of-no-size-have-nothing": func(b *behaviour) {
		b.push.lists = func(c *call, task string) []*pushConfig {
			if size, given := c.params["pageSize"]; given && fmt.Sprint(size) == "0" {
				return nil
			}
			return conformantPush.lists(c, task)
		}
	},
	"empty-page-tokens-of-push-lists-are-refused": func(b *behaviour) {
		b.push.addressed = func(c *call, id string) (*task, *failure) {
			if token, given := c.params["pageToken"]; given && token == "" {
				return nil, violation("pageToken", "is not a token of this list")
			}
			return conformantPush.addressed(c, id)
		}
	},
	"empty-ids-of-push-configs-are-kept": func(b *behaviour) {
		b.push.reads = func(c *call, o object, path string) (*pushConfig, *failure) {
			p, f := conformantPush.reads(c, o, path)
			if v, given := o["id"]; given && v == "" {
				p.id = ""
			}
			return p, f
		}
	},
}

// emptyMembers are the members of the parts of a message that are empty texts, with the place of a part that has them.
func emptyMembers(message object) map[string]int {
	found := map[string]int{}
	parts, _ := message["parts"].([]any)
	for i, v := range parts {
		part, _ := v.(object)
		for _, name := range []string{"mediaType", "filename"} {
			if v, given := part[name]; given && v == "" {
				found[name] = i
			}
		}
	}
	return found
}
