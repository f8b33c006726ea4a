// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"encoding/json"
	"strings"
)

var interfaceFaults = map[string]func(*behaviour){
	"card-without-interfaces": func(b *behaviour) {
		b.card.interfaces = func(*call, *agent) []any { return []any{} }
	},
	"relative-interface-urls":     at(func(_ *call, a *agent, _ string) string { return "/agents/" + a.name }),
	"interface-urls-with-a-query": at(func(_ *call, _ *agent, url string) string { return url + "?v=1" }),
	"interface-urls-with-userinfo": at(func(_ *call, _ *agent, url string) string {
		return strings.Replace(url, "://", "://agent:secret@", 1)
	}),
	"plain-http-in-production": at(func(_ *call, _ *agent, url string) string {
		return strings.Replace(url, "https://", "http://", 1)
	}),
	"localhost-in-cards": at(func(_ *call, a *agent, _ string) string { return "http://localhost/agents/" + a.name }),
	"interfaces-below-v1": func(b *behaviour) {
		at(func(c *call, a *agent, _ string) string { return c.s.b.http.origin(c) + "/v1/agents/" + a.name })(b)
	},
	"last-agent-below-v1": at(func(c *call, a *agent, url string) string {
		if a != c.s.members[len(c.s.members)-1] {
			return url
		}
		return c.s.b.http.origin(c) + "/v1/agents/" + a.name
	}),
	"binding-in-small-letters": faced(func(v object) { v["protocolBinding"] = "http+json" }),
	"binding-rest": func(b *behaviour) {
		b.card.interfaces = func(c *call, a *agent) []any {
			second := face(c.s.b.card.url(c, a), a.name)
			second["protocolBinding"] = "REST"
			return append(conformantCard.interfaces(c, a), second)
		}
	},
	"no-tenant":             faced(func(v object) { delete(v, "tenant") }),
	"tenant-of-the-fleet":   faced(func(v object) { v["tenant"] = fleetName }),
	"version-with-patch":    faced(func(v object) { v["protocolVersion"] = "1.0.0" }),
	"version-as-number":     faced(func(v object) { v["protocolVersion"] = json.Number("1.0") }),
	"only-jsonrpc-declared": faced(func(v object) { v["protocolBinding"] = "JSONRPC" }),
}

// at puts another URL into the interface of agents' cards.
func at(change func(c *call, a *agent, url string) string) func(*behaviour) {
	return func(b *behaviour) {
		b.card.url = func(c *call, a *agent) any { return change(c, a, c.agentURL(a.name)) }
	}
}

// faced changes the interface of agents' cards.
func faced(change func(v object)) func(*behaviour) {
	return func(b *behaviour) {
		b.card.interfaces = func(c *call, a *agent) []any {
			all := conformantCard.interfaces(c, a)
			change(all[0].(object))
			return all
		}
	}
}
