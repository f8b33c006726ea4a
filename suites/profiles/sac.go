// SPDX-License-Identifier: Apache-2.0

package profiles

import "github.com/roctinam/agentic-sandbox-conformance/suites/hooks"

// sac is scitex-agent-container: one listener that serves several agents, with a card of the fleet at its root.
var sac = Profile{
	Name:     "sac",
	Finds:    AServer,
	Contract: "sac ADR-0004 of 2026-05-14",
	Judges:   "a fleet",
	Address:  "the address of the listener",
	Doubt:    "is this the A2A listener of sac?",
	Nobody:   "there is no sac listener",
	Give:     "the origin of the A2A listener, where /.well-known/agent-card.json is the fleet card",
	Mark:     "x-scitex-agent-container",
	Hooks:    hooksOfSac,
}

var hooksOfSac = []hooks.Hook{
	{
		Name: "echo-handler", Entry: "{value: true}", What: "if the first agent answers every message at once, without a model",
		Does: "the statement `{value: true}`: the first agent of the directory answers every message at once (`--handler echo`). " +
			"Some tests send it messages, one of them 80",
		Answers: "`true`",
	},
	{
		Name: "inbox-replay", Entry: "{value: true}", What: "if the inbox keeps events until they are delivered, with ids",
		Does:    "the statement `{value: true}`: the inbox is durable: what nobody hears is delivered later, and frames have ids",
		Answers: "`true`",
	},
	{
		Name: "inbox-keepalive", Entry: "{value: true}", What: "if an idle inbox stream sends comments, every 15 s or oftener",
		Does:    "the statement `{value: true}`: an idle inbox stream sends comments, every 15 s or oftener",
		Answers: "`true`",
	},
	{
		Name: "push-channel", Entry: "{value: true}", What: "if the spec of the first agent lists the channel server:sac",
		Does:    "the statement `{value: true}`: the spec of the first agent of the directory lists the channel `server:sac`",
		Answers: "`true`",
	},
	{
		Name: "no-push-channel", Entry: "{value: AGENT}", What: "the name of an agent whose spec does not list the channel server:sac",
		Form: hooks.AnID, Member: "name",
		Does:    "an agent whose spec does not list the channel `server:sac`, best as `value`",
		Answers: "`name`, or the name as plain text",
	},
	{
		Name: "agent-spec", Entry: "{command: [...]}", What: "which prints the spec of an agent as JSON",
		Does:    "prints the spec of an agent, as the listener has loaded it, as JSON",
		Gets:    "`name`",
		Answers: "`apiVersion`, `metadata`, `spec`",
	},
	{
		Name: "fresh-default-agent", Entry: "{value: AGENT}", What: "the name of an agent whose spec has no apptainer block",
		Form: hooks.AnID, Member: "name",
		Does:    "a served agent whose spec has no `apptainer` block, best as `value`",
		Answers: "`name`, or the name as plain text",
	},
	{
		Name: "relaxed-agent", Entry: "{value: AGENT}", What: "the name of an agent with spec.apptainer.relaxed and no raw_args",
		Form: hooks.AnID, Member: "name",
		Does:    "a served agent whose spec has `apptainer.relaxed: true` and no `raw_args`, best as `value`",
		Answers: "`name`, or the name as plain text",
	},
	{
		Name: "allowlisted-agent", Entry: "{value: {name: AGENT, preflight_allow: [ENTRY]}}", What: "an agent with allowed preflights, and these as its spec has them",
		Does:    "a served agent whose spec has entries in `apptainer.preflight_allow`, best as `value`",
		Answers: "`name`, and `preflight_allow`, the list as the spec has it",
	},
	{
		Name: "agent-proxy", Entry: `{value: {url: "http://HOST:PORT", name: NAME}}`, What: "an AgentProxy whose upstream was there when it started",
		Form: hooks.AnURL,
		Does: "an AgentProxy that could read the card of its upstream when it started, best as `value`: its origin, its name and, for two " +
			"tests, what it was started with",
		Answers: "`url`, `name`; `upstream`, the URL that it forwards to; `upstream_card`, the URL of the upstream's card",
	},
	{
		Name: "dead-upstream-proxy", Entry: `{value: {url: "http://HOST:PORT"}}`, What: "an AgentProxy whose upstream could not be reached when it started",
		Form:    hooks.AnURL,
		Does:    "an AgentProxy whose upstream could not be reached when it started, best as `value`: its origin",
		Answers: "`url`",
	},
	{
		Name: "dirty-upstream-proxy", Entry: `{value: {url: "http://HOST:PORT"}}`, What: "an AgentProxy whose upstream has a card with pre-1.0 members and foreign x- keys",
		Form: hooks.AnURL,
		Does: "an AgentProxy whose upstream has a card with the pre-1.0 members that SAC-PROXY-008 lists and with `x-orochi` and `x-other`, " +
			"best as `value`: its origin",
		Answers: "`url`",
	},
}
