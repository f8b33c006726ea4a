// SPDX-License-Identifier: Apache-2.0

package plain

var versionFaults = map[string]func(*behaviour){
	"version-looked-at-on-sending-only": func(b *behaviour) {
		b.versions.refuses = func(c *call) *failure {
			if c.op == nil || c.op.name != "SendMessage" {
				c.version = version10
				return nil
			}
			return c.negotiate()
		}
	},
	"version-is-not-looked-at": func(b *behaviour) {
		b.versions.refuses = func(c *call) *failure { c.version = version10; return nil }
	},
	"missing-version-is-the-current": func(b *behaviour) { b.versions.missing = version10 },
}
