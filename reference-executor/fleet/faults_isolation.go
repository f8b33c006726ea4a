// SPDX-License-Identifier: Apache-2.0

package fleet

import "strings"

var isolationFaults = map[string]func(*behaviour){
	"isolation-as-text": func(b *behaviour) {
		b.isolation.shown = func(_ *call, _ *agent, v object) any { return v["level"] }
	},
	"isolation-without-binds": isolated(func(_ *agent, v object) {
		delete(v, "binds_count")
		delete(v, "binds_writable_count")
	}),
	"level-strict": func(b *behaviour) { b.isolation.level = func(*call, *agent) any { return "strict" } },
	"flags-as-numbers": isolated(func(_ *agent, v object) {
		for _, name := range []string{"containall", "cleanenv", "writable_tmpfs"} {
			if v[name] == true {
				v[name] = 1
			} else {
				v[name] = 0
			}
		}
	}),
	"passed-as-a-count": func(b *behaviour) {
		b.isolation.passed = func(c *call, a *agent) any { return len(conformantIsolation.passed(c, a).([]any)) }
	},
	"writable-binds-counted-twice": isolated(func(_ *agent, v object) {
		v["binds_writable_count"] = 2*v["binds_count"].(int) + 1
	}),
	"hardened-without-cleanenv": isolated(func(_ *agent, v object) {
		if v["level"] == "hardened" {
			v["cleanenv"] = false
		}
	}),
	"hardened-though-allowed": func(b *behaviour) {
		b.isolation.allowed = func(*call, *agent) any { return []any{"no-host-home"} }
		b.isolation.passed = func(*call, *agent) any { return []any{"uid-nonzero"} }
		b.isolation.level = func(*call, *agent) any { return "hardened" }
	},
	"custom-without-reason": func(b *behaviour) { b.isolation.level = func(*call, *agent) any { return "custom" } },
	"unknown-preflight":     func(b *behaviour) { b.isolation.passed = func(*call, *agent) any { return []any{"ok"} } },
	"allowed-is-passed-too": func(b *behaviour) {
		b.isolation.allowed = func(*call, *agent) any { return []any{"no-host-home"} }
		b.isolation.passed = func(*call, *agent) any { return []any{"uid-nonzero", "no-host-home"} }
		b.isolation.level = func(*call, *agent) any { return "custom" }
	},
	"tmpfs-off-by-default":    func(b *behaviour) { b.isolation.tmpfs = func(*call, *agent) bool { return false } },
	"hardened-though-relaxed": func(b *behaviour) { b.isolation.relaxed = func(*call, *agent) bool { return false } },
	"binds-without-mode-are-read-only": func(b *behaviour) {
		b.isolation.writable = func(_ *call, _ *agent, bind string) bool { return strings.HasSuffix(bind, ":rw") }
	},
	"binds-are-not-counted": isolated(func(_ *agent, v object) { v["binds_count"], v["binds_writable_count"] = 0, 0 }),
	"home-is-resolved-in-the-list": func(b *behaviour) {
		b.isolation.allowed = func(_ *call, a *agent) any {
			resolved := []any{}
			for _, entry := range a.spec.Spec.Apptainer.PreflightAllow {
				resolved = append(resolved, strings.ReplaceAll(entry, "$HOME", "/root"))
			}
			return resolved
		}
	},
}

// isolated changes the isolation of agents' cards.
func isolated(change func(a *agent, v object)) func(*behaviour) {
	return func(b *behaviour) {
		b.isolation.shown = func(_ *call, a *agent, v object) any {
			change(a, v)
			return v
		}
	}
}
