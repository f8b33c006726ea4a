// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"slices"
	"sync"
)

// pushOriginFaults forget webhooks by where they, or their tasks, come from: a stream, another binding, a message.
var pushOriginFaults = map[string]func(*behaviour){
	"streamed-tasks-tell-no-webhooks": func(b *behaviour) {
		streamed := map[string]bool{} // by task; with the lock held
		b.tasks.id = func(c *call, message object) string {
			id := conformantTasks.id(c, message)
			streamed[id] = isOp(c, "SendStreamingMessage")
			return id
		}
		b.push.receivers = func(s *Server, t *task) []*pushConfig {
			if streamed[t.id] {
				return nil
			}
			return conformantPush.receivers(s, t)
		}
	},
	"webhooks-of-messages-end-with-the-next-one": func(b *behaviour) {
		sent := cameWithMessages(b)
		b.push.receivers = func(s *Server, t *task) []*pushConfig {
			all := conformantPush.receivers(s, t)
			if !slices.ContainsFunc(all, func(p *pushConfig) bool { return !sent(p) }) {
				return all
			}
			return slices.DeleteFunc(slices.Clone(all), sent)
		}
	},
	"webhooks-of-another-binding-are-told-nothing": func(b *behaviour) {
		b.push.receivers = func(s *Server, t *task) []*pushConfig {
			all := slices.Clone(conformantPush.receivers(s, t))
			return slices.DeleteFunc(all, func(p *pushConfig) bool { return p.binding != t.binding })
		}
	},
	"continuing-streams-register-no-webhook": func(b *behaviour) {
		var lost sync.Map // configurations
		b.push.reads = func(c *call, o object, path string) (*pushConfig, *failure) {
			p, f := conformantPush.reads(c, o, path)
			if continues(c) {
				lost.Store(p, true)
			}
			return p, f
		}
		b.push.inline = func(_ *task, p *pushConfig) bool {
			_, is := lost.Load(p)
			return !is
		}
	},
	"webhooks-of-messages-cannot-be-read": func(b *behaviour) {
		sent := cameWithMessages(b)
		b.push.finds = func(c *call, task, id string) *pushConfig {
			p := conformantPush.finds(c, task, id)
			if p != nil && sent(p) && isOp(c, "GetTaskPushNotificationConfig") {
				return nil
			}
			return p
		}
	},
	"webhooks-of-messages-are-listed-once-they-are-deleted": func(b *behaviour) {
		sent := cameWithMessages(b)
		gone := map[string][]*pushConfig{} // by task; the lock is held
		b.push.removes = func(c *call, task, id string) bool {
			if p := conformantPush.finds(c, task, id); p != nil && sent(p) {
				gone[task] = append(gone[task], p)
			}
			return conformantPush.removes(c, task, id)
		}
		b.push.lists = func(c *call, task string) []*pushConfig {
			return slices.Concat(conformantPush.lists(c, task), gone[task])
		}
	},
	"push-does-not-tell-of-rejections": func(b *behaviour) {
		b.push.wants = func(_ *Server, _ *task, ev event) bool { return ev.task.state != rejected }
	},
}
