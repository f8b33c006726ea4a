// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"slices"
	"strings"
)

// isolationBehaviour is what a card says of how the container of an agent is closed.
type isolationBehaviour struct {
	level    func(c *call, a *agent) any
	relaxed  func(c *call, a *agent) bool // everything is off
	tmpfs    func(c *call, a *agent) bool // writable_tmpfs, of one that is not relaxed
	passed   func(c *call, a *agent) any
	allowed  func(c *call, a *agent) any
	writable func(c *call, a *agent, bind string) bool
	shown    func(c *call, a *agent, v object) any // the last look at it
}

// preflights are what is looked at before a container starts.
var preflights = []string{"uid-nonzero", "no-host-home"}

var conformantIsolation = isolationBehaviour{
	level: func(c *call, a *agent) any {
		switch {
		case c.s.b.isolation.relaxed(c, a):
			return "relaxed"
		case len(a.spec.Spec.Apptainer.PreflightAllow) > 0:
			return "custom"
		}
		return "hardened"
	},
	relaxed: func(_ *call, a *agent) bool { return a.spec.Spec.Apptainer.Relaxed },
	tmpfs:   func(_ *call, a *agent) bool { return a.spec.Spec.Apptainer.Overlay == "" },
	passed: func(c *call, a *agent) any {
		passed := []any{}
		for _, name := range preflights {
			bypassed := slices.ContainsFunc(a.spec.Spec.Apptainer.PreflightAllow, func(entry string) bool {
				entry, _, _ = strings.Cut(entry, ":")
				return entry == name
			})
			if !bypassed && !c.s.b.isolation.relaxed(c, a) {
				passed = append(passed, name)
			}
		}
		return passed
	},
	allowed:  func(_ *call, a *agent) any { return list(a.spec.Spec.Apptainer.PreflightAllow) },
	writable: func(_ *call, _ *agent, bind string) bool { return !strings.HasSuffix(bind, ":ro") },
	shown:    func(_ *call, _ *agent, v object) any { return v },
}

// isolationOf is the isolation of an agent.
func (c *call) isolationOf(a *agent) object {
	b := &c.s.b.isolation
	closed, writable := !b.relaxed(c, a), 0
	for _, bind := range a.spec.Spec.Apptainer.Binds {
		if b.writable(c, a, bind) {
			writable++
		}
	}
	return object{
		"level":                b.level(c, a),
		"containall":           closed,
		"cleanenv":             closed,
		"writable_tmpfs":       closed && b.tmpfs(c, a),
		"preflight_passed":     b.passed(c, a),
		"preflight_allowed":    b.allowed(c, a),
		"binds_count":          len(a.spec.Spec.Apptainer.Binds),
		"binds_writable_count": writable,
	}
}
