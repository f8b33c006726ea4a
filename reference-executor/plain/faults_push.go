// SPDX-License-Identifier: Apache-2.0

package plain

var pushFaults = map[string]func(*behaviour){
	"push-config-without-url": func(b *behaviour) {
		b.push.url = func(*call, string, string) *failure { return nil }
		b.input.requires = func(path string) bool { return path != "url" }
	},
	"push-to-the-first-only": func(b *behaviour) {
		b.push.receivers = func(s *Server, t *task) []*pushConfig { return s.push[t.id][:min(1, len(s.push[t.id]))] }
	},
	"push-posts-the-bare-task": func(b *behaviour) {
		b.push.body = func(c *call, _ *pushConfig, ev event) any { return c.renderTask(ev.task, -1, true) }
	},
}
