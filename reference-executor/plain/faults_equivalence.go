// SPDX-License-Identifier: Apache-2.0

package plain

var equivalenceFaults = map[string]func(*behaviour){
	"tasks-of-one-binding": func(b *behaviour) {
		b.security.owns = func(c *call, t *task) bool { return conformantSecurity.owns(c, t) && t.binding == c.binding }
	},
	"list-not-over-rpc": func(b *behaviour) {
		b.rpc.method = func(c *call, name string) *operation {
			if name == "ListTasks" {
				return nil
			}
			return conformantRPC.method(c, name)
		}
	},
}
