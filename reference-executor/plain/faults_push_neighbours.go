// SPDX-License-Identifier: Apache-2.0

package plain

import "slices"

// pushNeighbourFaults take one thing about a webhook for another that is near it.
var pushNeighbourFaults = map[string]func(*behaviour){
	"deletions-go-by-the-url": func(b *behaviour) {
		b.push.removes = func(c *call, task, id string) bool {
			p := conformantPush.finds(c, task, id)
			if p != nil {
				c.s.push[task] = slices.DeleteFunc(slices.Clone(c.s.push[task]), func(other *pushConfig) bool { return other.url == p.url })
			}
			return p != nil
		}
	},
	"push-config-with-a-null-url": func(b *behaviour) {
		b.push.reads = func(c *call, o object, path string) (*pushConfig, *failure) {
			if v, given := o["url"]; !given || v != nil {
				return conformantPush.reads(c, o, path)
			}
			p := &pushConfig{id: b.push.id(), binding: c.binding}
			return p, nil
		}
	},
	"webhooks-of-messages-are-not-looked-at": func(b *behaviour) {
		b.input.requires = func(path string) bool { return path != "configuration.taskPushNotificationConfig.url" }
		b.push.url = func(c *call, path, text string) *failure {
			if path == "configuration.taskPushNotificationConfig.url" {
				return nil
			}
			return refuseURL(c, path, text)
		}
	},
	"push-configs-are-found-throughout-the-context": func(b *behaviour) {
		b.push.finds = func(c *call, id, name string) *pushConfig {
			for _, t := range sameContext(c, id) {
				if p := conformantPush.finds(c, t, name); p != nil {
					return p
				}
			}
			return nil
		}
	},
	"push-lists-are-of-the-context": func(b *behaviour) {
		b.push.lists = func(c *call, id string) []*pushConfig {
			var all []*pushConfig
			for _, t := range sameContext(c, id) {
				all = slices.Concat(all, c.s.push[t])
			}
			return all
		}
	},
	"unknown-members-of-configurations-are-refused": func(b *behaviour) {
		known := []string{"tenant", "id", "taskId", "url", "token", "authentication"}
		b.push.reads = func(c *call, o object, path string) (*pushConfig, *failure) {
			for name := range o {
				if !slices.Contains(known, name) {
					return nil, violation(path+name, "is not known")
				}
			}
			return conformantPush.reads(c, o, path)
		}
	},
	"unknown-members-of-reads-over-rpc-are-refused": func(b *behaviour) {
		known := []string{"id", "tenant", "historyLength"}
		b.input.tenant = func(c *call) *failure {
			for name := range c.params {
				if isOp(c, "GetTask") && c.binding == BindingRPC && !slices.Contains(known, name) {
					return violation(name, "is not known")
				}
			}
			return rightTenant(c)
		}
	},
	"unknown-members-of-cancels-are-refused": func(b *behaviour) {
		known := []string{"id", "tenant", "metadata"}
		b.input.tenant = func(c *call) *failure {
			for name := range c.params {
				if isOp(c, "CancelTask") && !slices.Contains(known, name) {
					return violation(name, "is not known")
				}
			}
			return rightTenant(c)
		}
	},
	"unknown-members-of-what-configures-a-message-are-refused": func(b *behaviour) {
		known := []string{"acceptedOutputModes", "historyLength", "returnImmediately", "taskPushNotificationConfig", "blocking"}
		b.input.unknown = func(c *call) *failure {
			conf, _ := c.params["configuration"].(object)
			for name := range conf {
				if !slices.Contains(known, name) {
					return violation("configuration."+name, "is not known")
				}
			}
			return nil
		}
	},
	"push-urls-are-not-looked-at": func(b *behaviour) {
		b.push.url = func(*call, string, string) *failure { return nil }
		b.input.requires = func(path string) bool { return path != "url" }
	},
	"unknown-members-of-parts-are-refused": func(b *behaviour) {
		known := append([]string{"filename", "mediaType", "media_type", "metadata"}, contentMembers...)
		b.input.unknown = func(c *call) *failure {
			message, _ := c.params["message"].(object)
			parts, _ := message["parts"].([]any)
			for _, part := range parts {
				for name := range part.(object) {
					if !slices.Contains(known, name) {
						return violation("message.parts."+name, "is not known")
					}
				}
			}
			return nil
		}
	},
}

// sameContext are the ids of the tasks of a task's owner in its context, its own among them; the lock is held.
func sameContext(c *call, id string) []string {
	of := c.s.tasks[id]
	if of == nil {
		return []string{id}
	}
	var ids []string
	for other, t := range c.s.tasks {
		if t.context == of.context && t.owner == of.owner {
			ids = append(ids, other)
		}
	}
	return ids
}
