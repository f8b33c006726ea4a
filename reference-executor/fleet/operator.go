// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"encoding/json"
	"net/http"
)

// operatorPath is below which the operator is answered: what the hooks of a run ask him.
const operatorPath = "/operator/"

// dirtyUpstream is where the card of an upstream stands that has everything a proxy must not pass on.
const dirtyUpstream = operatorPath + "upstream-of-old" + fleetCardPath

// agentsFor are the agents that the hooks of a run ask for.
var agentsFor = map[string]string{
	"push-channel": "architect", "no-push-channel": "builder", "second-agent": "builder",
	"fresh-default-agent": "courier", "relaxed-agent": "drifter", "allowlisted-agent": "explorer",
}

// AgentFor is the name of the agent that a hook of a run asks for ("relaxed-agent"); empty: no such hook asks for one.
func AgentFor(hook string) string { return agentsFor[hook] }

// ProxyFor is the URL of the card of the proxy that a hook of a run asks for: "agent-proxy", "dead-upstream-proxy",
// "dirty-upstream-proxy". It is empty where there is none.
func (s *Server) ProxyFor(hook string) string {
	if p := s.proxies[hook]; p != nil {
		return p.cardURL()
	}
	return ""
}

// UpstreamOf is the URL that a proxy forwards to, likewise.
func (s *Server) UpstreamOf(hook string) string {
	if p := s.proxies[hook]; p != nil {
		return p.upstream
	}
	return ""
}

// operator answers what the hooks of a run ask for.
func (c *call) operator(hook string) answer {
	if operatorPath+hook == dirtyUpstream {
		return c.json(http.StatusOK, mediaJSON, c.dirtyCard())
	}
	if p := c.s.proxies[hook]; p != nil {
		return c.json(http.StatusOK, mediaJSON, object{"url": p.cardURL(), "name": p.name, "upstream": p.upstream})
	}
	name := agentsFor[hook]
	if hook == "agent-spec" {
		name = c.askedAgent()
	}
	a := c.s.agents[name]
	switch {
	case a == nil:
		return c.text(http.StatusNotFound, "there is no such agent or proxy")
	case hook == "agent-spec":
		return answer{status: http.StatusOK, header: http.Header{"Content-Type": {mediaJSON}}, body: a.spec.text}
	}
	return c.json(http.StatusOK, mediaJSON, object{"id": a.name, "agent": a.name, "name": a.name})
}

// askedAgent is the agent whose spec is asked for, in the query or in a JSON object; the first one where it names none.
func (c *call) askedAgent() string {
	if name := c.r.URL.Query().Get("agent"); name != "" {
		return name
	}
	if body, f := c.s.b.http.body(c); f == nil {
		var asked struct {
			Agent string `json:"agent"`
		}
		if json.Unmarshal(body, &asked) == nil && asked.Agent != "" {
			return asked.Agent
		}
	}
	if len(c.s.members) == 0 {
		return ""
	}
	return c.s.members[0].name
}

// dirtyCard has the members of the protocol's older versions, and those of other vendors.
func (c *call) dirtyCard() object {
	card := object{
		"name": "upstream-of-old", "description": "An agent that speaks an older version.", "version": "0.9",
		"url": c.s.main.root + "/operator/upstream-of-old", "preferredTransport": "JSONRPC", "protocolVersion": "0.3.0", "kind": "agent",
		"additionalInterfaces":              []any{object{"url": c.s.main.root, "transport": "JSONRPC"}},
		"supportsAuthenticatedExtendedCard": false,
		"authentication":                    object{"schemes": []any{"none"}},
		"security":                          []any{},
		"securitySchemes":                   object{},
		"capabilities": object{
			"streaming": true, "pushNotifications": false, "stateTransitionHistory": false,
			"extensions": []any{object{"uri": channelExtension, "params": object{"sse_path": "/agents/upstream-of-old/inbox/stream", "mcp_tools": list(tools)}}},
		},
		"defaultInputModes": list(modes), "defaultOutputModes": list(modes),
		"skills":   []any{object{"id": "old", "name": "old", "description": "Is old.", "tags": []any{"old"}}},
		"x-orochi": object{"fleet": "foreign"}, "x-other": true,
	}
	card[blockKey] = object{"role_class": "old", "runtime": "claude-code"}
	return card
}
