// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"encoding/json"
	"net/http"
)

// OperatorPath is below which the hooks of a run are answered, each at its name, with what [Server.Says] says as JSON.
const OperatorPath = "/operator/"

// dirtyUpstream is where the card of an upstream stands that has everything a proxy must not pass on.
const dirtyUpstream = OperatorPath + "upstream-of-old" + fleetCardPath

// agentsFor are the agents that the hooks of a run ask for.
var agentsFor = map[string]string{
	"no-push-channel": "builder", "fresh-default-agent": "courier", "relaxed-agent": "drifter", "allowlisted-agent": "explorer",
}

// Says is what the operator answers to a hook of a run: "name", the agent that is asked for ("relaxed-agent"), and where the
// hook is about them "preflight_allow" as its spec has them; or of a proxy ("agent-proxy", "dead-upstream-proxy",
// "dirty-upstream-proxy") "url", its origin, "name", "upstream", what it forwards to, and "upstream_card", the URL of that
// one's card. It is nil where the hook asks for nothing that is served.
func (s *Server) Says(hook string) map[string]any {
	if p := s.proxies[hook]; p != nil {
		return object{"url": p.listener.Root, "name": p.name, "upstream": p.upstream, "upstream_card": p.upstream + fleetCardPath}
	}
	a := s.agents[agentsFor[hook]]
	if a == nil {
		return nil
	}
	said := object{"name": a.name}
	if hook == "allowlisted-agent" {
		said["preflight_allow"] = list(a.spec.Spec.Apptainer.PreflightAllow)
	}
	return said
}

// SpecPath is where the operator answers with the spec of an agent, as JSON. The name of the agent is asked for as "name", in
// the query or in a JSON object that is posted.
const SpecPath = OperatorPath + "agent-spec"

// operator answers what the hooks of a run ask for.
func (c *call) operator(hook string) answer {
	switch OperatorPath + hook {
	case dirtyUpstream:
		return c.json(http.StatusOK, mediaJSON, c.dirtyCard())
	case SpecPath:
		if a := c.s.agents[c.askedAgent()]; a != nil {
			return answer{status: http.StatusOK, header: http.Header{"Content-Type": {mediaJSON}}, body: a.spec.text}
		}
	}
	if said := c.s.Says(hook); said != nil {
		return c.json(http.StatusOK, mediaJSON, said)
	}
	return c.text(http.StatusNotFound, "there is no such agent or proxy")
}

// askedAgent is the agent whose spec is asked for; the first one where none is named.
func (c *call) askedAgent() string {
	if name := c.r.URL.Query().Get("name"); name != "" {
		return name
	}
	if body, f := c.s.b.http.body(c); f == nil {
		var asked struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(body, &asked) == nil && asked.Name != "" {
			return asked.Name
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
		"url": c.s.main.Root + "/operator/upstream-of-old", "preferredTransport": "JSONRPC", "protocolVersion": "0.3.0", "kind": "agent",
		"additionalInterfaces":              []any{object{"url": c.s.main.Root, "transport": "JSONRPC"}},
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
