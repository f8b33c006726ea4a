// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/points"
)

// faults by topic. What each breaks of the contract stands in testdata/faults.tsv.
var faults = points.Faults[behaviour]{
	routeFaults(), wrongRouteFaults, documentFaults, parameterFaults, privateDocumentFaults, privacyFaults, bodyFaults, accessFaults,
	pageFaults, countFaults, batchFaults, filterFaults, startFaults, streamFaults, conversationFaults, agentFaults, eventFaults,
	sandboxFaults, deleteFaults, webhookFaults, secretFaults, userFaults, legacyFaults, organizationFaults,
}

// Faults returns the names of all faults, sorted.
func Faults() []string { return faults.Names() }

// Edited names the points of behaviour that a fault changes ("page.limit"), sorted. whole is true when it changes
// something that decides without being asked, a number or a switch, so that nobody can watch its use; and for a fault that
// does not exist.
func Edited(name string) (changed []string, whole bool) { return faults.Edited(name, conformant) }

// onAnswers changes the answers of a route.
func onAnswers(to string, change func(c *call, a answer) answer) func(*behaviour) {
	return func(b *behaviour) {
		before := b.http.shown
		b.http.shown = func(c *call, a answer) answer {
			if a = before(c, a); c.route.String() == to {
				return change(c, a)
			}
			return a
		}
	}
}

// onUnknown answers paths that nothing is at.
func onUnknown(handle func(c *call) (answer, bool)) func(*behaviour) {
	return func(b *behaviour) {
		before := b.routes.unknown
		b.routes.unknown = func(c *call) answer {
			if a, is := handle(c); is {
				return a
			}
			return before(c)
		}
	}
}

// crash answers as a handler does that did not expect this.
func crash(what string) { panic("a fault: " + what) }

// ofKind says whether a route is about a collection.
func (c *call) ofKind(k *collection) bool {
	for _, end := range []string{"/search", "/count", ""} {
		if c.route.path == pathOf[k.name]+end {
			return true
		}
	}
	return false
}

var pathOf = map[string]string{
	"conversations": prefix + "/app-conversations", "start-tasks": prefix + "/app-conversations/start-tasks", "events": prefix + "/events",
	"sandboxes": prefix + "/sandboxes", "sandbox-specs": prefix + "/sandbox-specs",
}

// bareTime is a time without its offset.
func bareTime(v any) any {
	text, is := v.(string)
	if !is {
		return v
	}
	return strings.TrimSuffix(text, "Z")
}
