// SPDX-License-Identifier: Apache-2.0

package profiles

import "github.com/roctinam/agentic-sandbox-conformance/suites/hooks"

// agenticSandbox is the contract of the v2 executor.
var agenticSandbox = Profile{
	Name:     Default,
	Finds:    AnExecutor,
	Contract: "agentic-sandbox v2 executor contract",
	Judges:   "an executor",
	Address:  "the URL of an instance",
	Doubt:    "is this an agentic-sandbox executor?",
	Nobody:   "there is no instance of an executor",
	Give:     "the URL of a deployment or of one of its instances",
	Mark:     "agentic-sandbox",
	Foremost: []string{"card", "auth", "errors", "surfaces", "tasks"},
	Speaks:   a2aOperations, // of suites of one's own: the contract has routes of its own
	Hooks:    hooksOfSandbox,
	Cues:     cuesOfSandbox,
	Paced:    true,
}

var hooksOfSandbox = []hooks.Hook{
	{
		Name: "restart", Entry: "{command: [...]}", What: "which restarts the target on the data it has", Joint: true,
		Does:    "restarts the executor on its existing data; returns when the process is up, which the test then waits for",
		Answers: "anything",
	},
	{
		Name: "create-session", Entry: "{command: [...]}", What: "which prints the id of a new terminal session",
		Does: "makes a terminal session that no client is attached to; called once by each terminal test, so often more " +
			"than a hundred times. As `value` a list of ids; each is used once",
		Answers: "`session_id` or `id`, or the id as plain text",
	},
	{
		Name: "end-session", Entry: "{command: [...]}", What: "which ends a terminal session that create-session has made",
		Does:    "ends a terminal session that `create-session` has made, once its test is over; no test needs this",
		Gets:    "`session_id`",
		Answers: "anything; a failure blocks nothing",
	},
	{
		Name: "echo-session", Entry: "{value: true}", What: "if the terminal sessions return every input byte unchanged",
		Does:    "the statement `{value: true}`: the terminal sessions return every input byte unchanged",
		Answers: "`true`",
	},
	{
		Name: "shell-session", Entry: "{value: true}", What: "if the terminal sessions run a POSIX shell",
		Does:    "the statement `{value: true}`: the terminal sessions run a POSIX shell",
		Answers: "`true`",
	},
	{
		Name: "terminate-on-last-controller", Entry: "{value: true}", What: "if a terminal session ends when its last controller leaves",
		Does:    "the statement `{value: true}`: a terminal session ends when its last controller leaves",
		Answers: "`true`",
	},
	{
		Name: "closed-sessions-archived", Entry: "{value: true}", What: "if a terminal session that has ended can be seen in an archive only",
		Does: "the statement `{value: true}`: a terminal session that has ended can only be seen in an archive, and not be " +
			"attached to",
		Answers: "`true`",
	},
	{
		Name: "exit-process", Entry: "{command: [...]}", What: "which ends the process of a terminal session",
		Instead: "where the hook shell-session is configured and this one is not, exit with that code is typed into the shell",
		Does: "ends the process of a terminal session with an exit code. Not needed where `shell-session` is configured: " +
			"`exit 7` is typed into the shell then",
		Gets:    "`session_id`, `code`",
		Answers: "anything",
	},
	{
		Name: "evict-replay", Entry: "{command: [...]}", What: "which drops the oldest frames that a terminal session retains",
		Does:    "makes the oldest frame that a session retains newer than a given one",
		Gets:    "`session_id`, `sequence`",
		Answers: "anything",
	},
	{
		Name: "second-instance", Entry: `{value: {id: "INSTANCE-ID", token: "${SECOND_INSTANCE_TOKEN}"}}`, What: "another instance of the same target",
		Does:    "another instance on the same executor; best as `value`",
		Answers: "`id`, and `token` if it is not that of the first; or the id as plain text",
	},
	{
		Name: "sunset-env", Entry: "{command: [...]}", What: "which starts one more executor with the AIWG_V1_SUNSET_DATE it is given, and prints its url as JSON",
		Form:    hooks.AnURL,
		Does:    "starts one more executor, whose `AIWG_V1_SUNSET_DATE` is the given text, valid or not",
		Gets:    "`value`",
		Answers: "`url`, the root of it",
	},
	{
		Name: "short-ttl", Entry: "{command: [...]}", What: "which starts one more executor that remembers message ids for a few seconds only, and prints its url and these seconds as JSON",
		Does: "starts one more executor, or an instance, that remembers message ids for a few seconds only " +
			"(`AIWG_IDEMPOTENCY_TTL`)",
		Answers: "`url`, its address with `/agents/<id>`, and `seconds`; or only the number of seconds, " +
			"if it is the one under test",
	},
	hooks.Webhook,
	{
		Name: "provision", Entry: "{value: {body: {name: NAME, runtime: RUNTIME}, seconds: 90}}", What: "a request for a new instance, and how long it may take",
		Does: "what a new instance is made of, best as `value`: the body of `POST /instances`, and how long that may take " +
			"(default: 300 s). Each of the tests makes one or two, under the `name` of the body with a random suffix, and " +
			"decommissions them at its end, with `force=true`",
		Answers: "`body`, `seconds`; or the body alone",
	},
	{
		Name: "disks", Entry: "{command: [...]}", What: "which lists the disks that instances have left behind",
		Does:    "lists the disks that instances have left behind, for what `force=true` removes",
		Gets:    "`instance`, its id, and `name`",
		Answers: "any JSON or text that contains the id or the name of an instance as long as its disk exists",
	},
	{
		Name: hooks.InstanceToken, Entry: "{value: true}", What: "if the token of the instance has no admin rights",
		Does: "the statement `{value: true}`: the token of the instance (`--token`) has no admin rights, and another one than " +
			"that of `--admin-token`. Without it AUTH-008 and AUTH-016 are judged only where the executor itself shows the " +
			"difference, by refusing to list the instances for the one token and not for the other: two tokens that merely " +
			"differ may have the same rights (AMB-41)",
		Answers: "`true`",
	},
	{
		Name: hooks.ClientCert,
		Does: "not a hook to configure: a client certificate that the executor accepts, as `--cert` and `--key`",
	},
	{
		Name: "plain-listener", Entry: `{value: {url: "http://HOST:PORT"}}`, What: "a listener of the same deployment that speaks HTTP without TLS",
		Form: hooks.AnURL,
		Does: "the address of a listener of the same deployment that speaks HTTP without TLS, other than port 80 of the same " +
			"host, best as `value`; the token of the instance is sent there in the clear",
		Answers: "`url`, the root of it",
	},
	{
		Name: "storage", Entry: "{value: true}", What: "if files may be written below inbox/<instance>/, which are deleted again",
		Does:    "the statement `{value: true}`: files may be written below `inbox/<instance>/`, and are deleted again",
		Answers: "`true`",
	},
	{
		Name: "runtime-down", Entry: "{command: [...]}", What: "which stops the runtime behind an instance",
		Leaves:  2, // the runtime may have been that of the instance under test
		Does:    "stops the runtime behind an instance, so that it can take no work; called at the very end",
		Answers: "`url`, the address of that instance; anything else, if it is the one under test",
	},
	{
		Name: "command-id", Entry: `{value: "COMMAND-ID"}`, What: "the id of a command whose stream-json output is still buffered",
		Form: hooks.AnID, Member: "command_id",
		Does:    "a command whose stream-json output is still buffered, best as `value`",
		Answers: "`command_id`, or the id as plain text",
	},
	{
		Name: "shutdown", Entry: "{command: [...]}", What: "which ends the target in an orderly way",
		Leaves:  3, // who is shut down need not come back
		Does:    "ends the executor in an orderly way; it need not come back by itself",
		Answers: "anything",
	},
	{
		Name: "rate-limit", Entry: "{command: [...]}", What: "which sets a limit that 200 requests reach",
		Leaves:  1, // the limit may stay
		Ends:    "limited",
		Does:    "sets a limit low enough that 200 requests reach it, and lifts it when it is asked once more",
		Gets:    "`limited`: `true`, and `false` when the test is over. An executor whose limit stays refuses what the next run asks",
		Answers: "anything",
	},
	{
		Name: "internal-fault", Entry: "{command: [...]}", What: "which makes the next request of a terminal connection fail inside the target",
		Does:    "makes the next request of a terminal connection fail inside the executor",
		Answers: "anything",
	},
	{
		Name: "pty-fault", Entry: "{command: [...]}", What: "which makes a terminal fail next",
		Does: "makes the terminal of a session fail from now on: `fault` is `write` (its input), `resize` (its size) " +
			"or `snapshot`",
		Gets:    "`session_id`, `fault`",
		Answers: "anything; `{armed: false}` where it cannot fail in that way",
	},
}

var cuesOfSandbox = []Cue{
	{Name: "completed", Does: "ends the task as completed, soon"},
	{Name: "failed", Does: "ends the task as failed, because of what it was asked to do and not because of a broken machine"},
	{Name: "input-required", Does: "asks back with a prompt of hitl-prompt/v1, and goes on once it has been answered"},
	{Name: "long", Else: "hello from the conformance suite", Does: "works for at least 60 s; default: a greeting, which does where every task stays open for a while"},
	{
		Name: "adapter-completed",
		Does: "*no message, but the path of a request file* (`.aiwg/ops/runs/...`) that you have put there: the adapter of " +
			"adapter-command/v1 exits with 0",
		Needs: "the path of a request file, as adapter-command/v1 allows it, for which the adapter exits with 0",
	},
	{
		Name:  "adapter-failed",
		Does:  "the same, and the adapter exits with another code",
		Needs: "the path of a request file, as adapter-command/v1 allows it, for which the adapter exits with another code than 0",
	},
	{
		Name:  "adapter-broken",
		Does:  "the same, and the runtime of the adapter breaks",
		Needs: "the path of a request file, as adapter-command/v1 allows it, for which the runtime of the adapter breaks",
	},
	{
		Name: "adapter-prints",
		Does: "*no message, but a text* that the adapter prints for the file of `adapter-completed`, and that is not part of " +
			"its path",
		Needs: "a text that the adapter prints for the request file adapter-completed",
	},
}
