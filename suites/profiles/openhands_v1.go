// SPDX-License-Identifier: Apache-2.0

package profiles

import "github.com/roctinam/agentic-sandbox-conformance/suites/hooks"

// openHands is the app server of OpenHands with its V1 API below /api/v1.
var openHands = Profile{
	Name:       "openhands-v1",
	Finds:      AServer,
	Contract:   "OpenHands V1 API notes of November 2025",
	Judges:     "an app server",
	Address:    "the address of the app server",
	Doubt:      "is this an OpenHands app server?",
	Nobody:     "there is no OpenHands app server",
	Give:       "the origin of the app server, where /api/v1 begins",
	Foremost:   []string{"ohv1-routes", "ohv1-openapi", "ohv1-privacy", "ohv1-auth"},
	Rate:       8, // above ten the server slows down, above twenty it refuses
	Hands:      "session_api_key",
	Documented: true,
	Paced:      true,
	Slashes:    true,
	LooksAt:    "api/v1/app-conversations/search",
	Creates:    []Making{{Method: "POST", Path: "api/v1/sandboxes", ID: "id", Remove: "api/v1/sandboxes/{id}", Query: "sandbox_id"}}, // C3
	Starts: []Starting{{
		Method: "POST", Paths: []string{"api/v1/app-conversations", "api/v1/app-conversations/stream-start"}, ID: "id",
		Read: "api/v1/app-conversations/start-tasks?ids={id}", State: "status", Ended: []string{"READY", "ERROR"},
		Makes: "sandbox_id", Look: "api/v1/sandboxes?id={id}", Since: "created_at", Remove: "api/v1/sandboxes/{id}", Query: "sandbox_id",
	}},
	Hooks: hooksOfOpenHands,
}

var hooksOfOpenHands = []hooks.Hook{
	{
		Name: "sandbox", Entry: `{value: {sandbox_id: ID, session_api_key: KEY}}`, What: "a running sandbox of the user and its session key",
		Does: "a running sandbox of the user and its session key, best as `value`. With the key conversations and events are put there through the " +
			"webhooks, and stay: use a sandbox and a user made for tests. A hook that gives another sandbox each time lets three tests more be measured",
		Gets:    "`user`: `second`, where it is to be one of the second user",
		Answers: "`sandbox_id`, `session_api_key`",
		Has:     "sandbox_id session_api_key",
	},
	{
		Name: "seed-conversations", Entry: "{command: [...]}", What: "which makes conversations with a title and git data, without starting agents",
		Does:    "makes conversations with a title, a repository and a branch, in a running sandbox, without starting agents",
		Gets:    "`n`, how many",
		Answers: "`ids`, those of the conversations; `sandbox_id` and `session_api_key` of their sandbox",
		Has:     "ids sandbox_id session_api_key",
	},
	{
		Name: "paused-sandbox", Entry: `{value: {sandbox_id: ID}}`, What: "a sandbox that is paused and shows no session key",
		Does:    "a sandbox of the user that is PAUSED and whose `session_api_key` is null, best as `value`",
		Answers: "`sandbox_id`; `missing_sandbox_id`, one that is MISSING",
		Has:     "sandbox_id",
	},
	{
		Name: "may-start", Entry: "{value: {seconds: 180}}", What: "if the run may start conversations and sandboxes, and how many seconds one may take",
		Does: "the statement that conversations and sandboxes may be started, as `{value: {seconds: 180}}`: how long one may take. The sandboxes that " +
			"the run starts are deleted again, those of its conversations as well; the conversations stay: start them on a server made for tests",
		Answers: "`seconds`",
		Has:     "seconds",
	},
	{
		Name: "agent-double", Entry: "{command: [...]}", What: "which tells what the app server has asked a stand-in of the agent server",
		Does: "a stand-in of the agent server, behind every sandbox that the server starts, that records what it is asked. The hook is asked after a " +
			"conversation was started and listed",
		Answers: "`requests`, each with `method`, `path`, `query`, `headers` (names in lower case), `body` and `sandbox_id`",
		Has:     "requests",
	},
	{
		Name: "access-token", Entry: `{value: {token: JWS, expired: JWS, secret: TEXT}}`, What: "a valid X-Access-Token, an expired one, and the secret that the valid one gets",
		Does: "a valid `X-Access-Token` (JWS) of the user for a provider, an expired one, and the value of the provider token that the valid one gets, " +
			"best as `value`",
		Answers: "`token`, `expired`, `secret`; `other_secret`, that of another provider; `foreign`, a token whose `org_id` names an organization that the user is not in",
		Has:     "token",
	},
	{
		Name: "provider-canary", Entry: `{value: {canary: TEXT}}`, What: "the value of a provider token that the user has saved",
		Does:    "the value of a provider token that the user has saved for this run, best as `value`; it must be shown nowhere",
		Answers: "`canary`",
		Has:     "canary",
	},
	{
		Name: "fresh-user", Entry: `{value: {token: TOKEN}}`, What: "the bearer token of a user who has never saved settings",
		Does:    "a user who has never saved settings, best as `value`: his bearer token",
		Answers: "`token`",
		Has:     "token",
	},
	{
		Name: "persistence-dir", Entry: "{command: [...]}", What: "which lists the files in the folder in which the server keeps its data",
		Does:    "lists the files in the folder in which the server keeps its data. It is asked after an event was stored",
		Answers: "`files`, their paths below the folder; `path`, the folder",
		Has:     "files",
	},
	{
		Name: "login-cookie", Entry: "{value: NAME}", What: "the name of the cookie in which users show that they are logged in, if they do not by a bearer token",
		Does: "the statement that users log in by a cookie, as `{value: NAME}` with its name: the token of the user, that of the second user (`foreign`) and " +
			"those that hooks answer are sent as its value, and not as bearer tokens",
		Answers: "the name",
	},
	{
		Name: "v1-off", Entry: `{value: {url: "http://HOST:PORT"}}`, What: "a server of the same version with V1 switched off",
		Form: hooks.AnURL,
		Does: "the address of a server of the same version that was started with V1 switched off, best as `value`", Answers: "`url`",
	},
	{
		Name: "session-gate", Entry: `{value: {key: KEY}}`, What: "the session key that the deployment was started with, which every request has to bear",
		Does:    "the key that the whole deployment was started with (`SESSION_API_KEY`), best as `value`; give it with `--header` as well",
		Answers: "`key`",
		Has:     "key",
	},
	{
		Name: "oss", Entry: "{value: true}", What: "if the server runs in open-source mode, with the provider routes below /api/user",
		Does:    "the statement `{value: true}`: the server runs in open-source mode, with the provider routes below `/api/user`",
		Answers: "`true`",
	},
	{
		Name: "no-legacy-ui", Entry: "{value: true}", What: "if the legacy surface below /api is not kept by intent",
		Does:    "the statement `{value: true}`: the legacy surface below `/api` is not kept by intent. Without it, its requirements are judged",
		Answers: "`true`",
	},
	{
		Name: "v1-layout", Entry: "{value: 2026}", What: "if the server has the layout of 2026: events below their conversation, webhooks without the sandbox",
		Does: "the statement `{value: 2026}`: the server has the later layout, with events below `/api/v1/conversation/{conversation_id}/events` and webhooks at " +
			"`/api/v1/webhooks/conversations` and `/api/v1/webhooks/events/{conversation_id}`. Without it, the routes of the contract are required (C19)",
		Answers: "`2026`",
	},
	{
		Name: "organizations", Entry: "{value: {member: TOKEN, outsider: TOKEN}}", What: "the bearer tokens of another member of the user's organization, and of somebody who is none",
		Does: "a deployment with organizations: the bearer tokens of another member of the organization that is active for the user, and of somebody who is no " +
			"member, best as `value`",
		Answers: "`member`, `outsider`; `sandbox_id` and `session_api_key` of a sandbox of the member",
	},
}
