// SPDX-License-Identifier: Apache-2.0

package plain

import "slices"

// pushNeighbourFaults take one thing about a webhook for another that is near it.
var pushNeighbourFaults = map[string]func(*behaviour){
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
