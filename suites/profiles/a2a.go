// SPDX-License-Identifier: Apache-2.0

package profiles

import "github.com/roctinam/agentic-sandbox-conformance/suites/hooks"

// a2a is A2A 1.0, of any server.
var a2a = Profile{
	Name:      "a2a-1.0",
	Finds:     AnAgent,
	Contract:  "A2A specification 1.0.1",
	Judges:    "a server",
	Address:   "the address of this agent",
	Doubt:     "is this an A2A server?",
	Nobody:    "there is no A2A server",
	Give:      "the URL of an A2A server, or that of its card",
	Foremost:  []string{"a2a-card", "a2a-security", "a2a-errors", "a2a-versioning", "a2a-rest"},
	Speaks:    a2aOperations,
	Hooks:     hooksOfA2A,
	Cues:      cuesOfA2A,
	LongWork:  "long-running",
	Paced:     true,
	AboutCues: aboutCuesOfA2A,
}

var hooksOfA2A = []hooks.Hook{
	hooks.Webhook,
	{
		Name: "oversized-requests", Entry: "{value: true}", What: "if messages of 64 MiB may be sent",
		Does:    "the statement `{value: true}`: messages of 64 MiB may be sent",
		Answers: "`true`",
	},
	{
		Name: "protected-action", Entry: "{value: true}", What: "if what the agent does after the cue auth-required needs a credential",
		Does: "the statement `{value: true}`: what the agent does after the cue `auth-required` needs a credential, and no " +
			"message alone may lead there",
		Answers: "`true`",
	},
}

const aboutCuesOfA2A = "The profile `a2a-1.0` has cues of its own, some under the same names. Nothing is known of the agent behind a " +
	"plain A2A server, so a test is skipped when the situation that it needs has no cue."

var cuesOfA2A = []Cue{
	{Name: "ping", Else: "ping", Does: "anything: a harmless text that it answers; default: the text `ping`"},
	{
		Name: "task-reply", Like: "completed", Else: "ping",
		Does: "answers with a task, whatever becomes of it; default: `completed`, or else `ping`",
	},
	{Name: "message-reply", Does: "answers with a message, and with no task"},
	{Name: "completed", Does: "ends the task as completed, soon"},
	{Name: "failed", Does: "ends the task as failed"},
	{Name: "rejected", Does: "refuses the work: the task ends as rejected"},
	{Name: "input-required", Does: "asks back, and the task waits for the answer"},
	{Name: "answer", Does: "goes on with the task that `input-required` has begun, to its end"},
	{Name: "auth-required", Does: "the task waits for a credential"},
	{Name: "long-running", Does: "works for at least 3 s, and then completes"},
	{Name: "artifact-text", Does: "makes an artifact with a text"},
	{Name: "artifact-raw", Does: "makes an artifact with a file, as bytes"},
	{Name: "artifact-url", Does: "makes an artifact with a file, as a URL"},
	{
		Name: "artifact-data",
		Does: "makes an artifact with structured data, best `{\"k\": 1}`: another value cannot be distinguished from a nested one",
	},
	{Name: "artifact-chunked", Does: "makes an artifact and streams it in more than one piece"},
	{
		Name: "faulty-agent",
		Does: "gives an invalid answer, which the server in front of it must report as InvalidAgentResponse",
	},
}
