// SPDX-License-Identifier: Apache-2.0

package target

import (
	"fmt"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// lendable is how each hook stands in the configuration file, and what it says or does; docs/operators.md has the rest.
var lendable = map[string]struct{ entry, what string }{
	"restart":                      {"{command: [...]}", "which restarts the target on the data it has"},
	"create-session":               {"{command: [...]}", "which prints the id of a new terminal session"},
	"end-session":                  {"{command: [...]}", "which ends a terminal session that create-session has made"},
	"echo-session":                 {"{value: true}", "if the terminal sessions return every input byte unchanged"},
	"shell-session":                {"{value: true}", "if the terminal sessions run a POSIX shell"},
	"exit-process":                 {"{command: [...]}", "which ends the process of a terminal session"},
	"evict-replay":                 {"{command: [...]}", "which drops the oldest frames that a terminal session retains"},
	"second-instance":              {`{value: {id: "...", token: "..."}}`, "another instance of the same target"},
	"instance-token":               {"{value: true}", "if the token of the instance has no admin rights"},
	"closed-sessions-archived":     {"{value: true}", "if a terminal session that has ended can be seen in an archive only"},
	"plain-listener":               {`{value: {url: "http://HOST:PORT"}}`, "a listener of the same deployment that speaks HTTP without TLS"},
	"sunset-env":                   {"{command: [...]}", "which starts one more executor with the AIWG_V1_SUNSET_DATE it is given, and prints its url as JSON"},
	"short-ttl":                    {"{command: [...]}", "which starts one more executor that remembers message ids for a few seconds only, and prints its url and these seconds as JSON"},
	"webhook":                      {`{value: "http://HOST:PORT"}`, "the address under which the target reaches this machine"},
	"provision":                    {"{value: {body: {name: ..., runtime: ...}, seconds: 90}}", "a request for a new instance, and how long it may take"},
	"disks":                        {"{command: [...]}", "which lists the disks that instances have left behind"},
	"terminate-on-last-controller": {"{value: true}", "if a terminal session ends when its last controller leaves"},
	"storage":                      {"{value: true}", "if files may be written below inbox/<instance>/, which are deleted again"},
	"runtime-down":                 {"{command: [...]}", "which stops the runtime behind an instance"},
	"command-id":                   {`{value: "..."}`, "the id of a command whose stream-json output is still buffered"},
	"shutdown":                     {"{command: [...]}", "which ends the target in an orderly way"},
	"rate-limit":                   {"{command: [...]}", "which sets a limit that 200 requests reach"},
	"internal-fault":               {"{command: [...]}", "which makes the next request of a terminal connection fail inside the target"},
	"oversized-requests":           {"{value: true}", "if messages of 64 MiB may be sent"},
	"protected-action":             {"{value: true}", "if what the agent does after the cue auth-required needs a credential"},
	"pty-fault":                    {"{command: [...]}", "which makes a terminal fail next"},
}

// NoHook says what to write into the configuration file, so that what needs the hook can be judged.
func NoHook(name string) report.Reason {
	entry, what := "{command: [...]}", ""
	if known, is := lendable[name]; is {
		entry, what = known.entry, ", "+known.what
	}
	return report.Reason{Code: "no-hook:" + name,
		Detail: fmt.Sprintf("needs the hook %s; lend it in the configuration file: hooks: {%s: %s}%s", name, name, entry, what)}
}

// NoSession says how terminal sessions can be lent; why is what was tried, and before it what has run out.
func NoSession(before, why string) string {
	known := lendable[CreateSessionHook]
	return fmt.Sprintf("%sneeds a terminal session that nobody is attached to; lend some with --session ID, or in the configuration file: "+
		"hooks: {%s: %s}, %s (%s)", before, CreateSessionHook, known.entry, known.what, why)
}
