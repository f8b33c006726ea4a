// SPDX-License-Identifier: Apache-2.0

// Package hooks is the table of all hooks that a suite can ask: those that the operator configures, with what stands in the
// configuration file for each, and those that are built in. The loader, the runner and the tests of the pages go by it. What
// a hook gets and answers is said at length by docs/operators.md, which a test holds against this table; what it does is done by
// the runner.
package hooks

// The hooks that are built in: the runner answers them by itself.
const (
	// Session is a PTY session that nobody is attached to (ruling A01). The runner finds one.
	Session = "session"

	// WholeRun is what the run has seen of the target so far, whichever test saw it. It is for requirements about every
	// answer of a run; their tests come last.
	WholeRun = "whole-run"

	// CardKeys are the keys under which the signatures of a card of a plain A2A server can be checked: those of the key sets that
	// the signatures refer to (jku), and those that the operator trusts (--jwks).
	CardKeys = "card-keys"

	// TLSVersions are the versions of TLS that the host of the card takes.
	TLSVersions = "tls-versions"
)

// ClientCert says that the run has a client certificate, and speaks TLS; it needs no hook, only --cert and --key.
const ClientCert = "client-cert"

// A Hook is a row of the table.
type Hook struct {
	Name    string
	BuiltIn bool   // the runner answers it; nothing is configured
	Entry   string // how it stands in the configuration file, behind its name; empty: it does not
	What    string // what the entry does or says, as the end of a sentence
}

// All are the hooks that the program knows: first those that are built in.
var All = []Hook{
	{Name: Session, BuiltIn: true},
	{Name: WholeRun, BuiltIn: true},
	{Name: CardKeys, BuiltIn: true},
	{Name: TLSVersions, BuiltIn: true},
	{Name: ClientCert},
	{Name: "restart", Entry: "{command: [...]}", What: "which restarts the target on the data it has"},
	{Name: "create-session", Entry: "{command: [...]}", What: "which prints the id of a new terminal session"},
	{Name: "end-session", Entry: "{command: [...]}", What: "which ends a terminal session that create-session has made"},
	{Name: "echo-session", Entry: "{value: true}", What: "if the terminal sessions return every input byte unchanged"},
	{Name: "shell-session", Entry: "{value: true}", What: "if the terminal sessions run a POSIX shell"},
	{Name: "exit-process", Entry: "{command: [...]}", What: "which ends the process of a terminal session"},
	{Name: "evict-replay", Entry: "{command: [...]}", What: "which drops the oldest frames that a terminal session retains"},
	{Name: "second-instance", Entry: `{value: {id: "...", token: "..."}}`, What: "another instance of the same target"},
	{Name: "instance-token", Entry: "{value: true}", What: "if the token of the instance has no admin rights"},
	{Name: "closed-sessions-archived", Entry: "{value: true}", What: "if a terminal session that has ended can be seen in an archive only"},
	{Name: "plain-listener", Entry: `{value: {url: "http://HOST:PORT"}}`, What: "a listener of the same deployment that speaks HTTP without TLS"},
	{Name: "sunset-env", Entry: "{command: [...]}", What: "which starts one more executor with the AIWG_V1_SUNSET_DATE it is given, and prints its url as JSON"},
	{Name: "short-ttl", Entry: "{command: [...]}", What: "which starts one more executor that remembers message ids for a few seconds only, and prints its url and these seconds as JSON"},
	{Name: "webhook", Entry: `{value: "http://HOST:PORT"}`, What: "the address under which the target reaches this machine"},
	{Name: "provision", Entry: "{value: {body: {name: ..., runtime: ...}, seconds: 90}}", What: "a request for a new instance, and how long it may take"},
	{Name: "disks", Entry: "{command: [...]}", What: "which lists the disks that instances have left behind"},
	{Name: "terminate-on-last-controller", Entry: "{value: true}", What: "if a terminal session ends when its last controller leaves"},
	{Name: "storage", Entry: "{value: true}", What: "if files may be written below inbox/<instance>/, which are deleted again"},
	{Name: "runtime-down", Entry: "{command: [...]}", What: "which stops the runtime behind an instance"},
	{Name: "command-id", Entry: `{value: "..."}`, What: "the id of a command whose stream-json output is still buffered"},
	{Name: "shutdown", Entry: "{command: [...]}", What: "which ends the target in an orderly way"},
	{Name: "rate-limit", Entry: "{command: [...]}", What: "which sets a limit that 200 requests reach"},
	{Name: "internal-fault", Entry: "{command: [...]}", What: "which makes the next request of a terminal connection fail inside the target"},
	{Name: "oversized-requests", Entry: "{value: true}", What: "if messages of 64 MiB may be sent"},
	{Name: "protected-action", Entry: "{value: true}", What: "if what the agent does after the cue auth-required needs a credential"},
	{Name: "pty-fault", Entry: "{command: [...]}", What: "which makes a terminal fail next"},
}

// Of is the row of a hook; false: the program does not know it, which suites of one's own may name all the same.
func Of(name string) (Hook, bool) {
	for _, h := range All {
		if h.Name == name {
			return h, true
		}
	}
	return Hook{}, false
}

// BuiltIn says whether the runner answers a hook by itself.
func BuiltIn(name string) bool {
	h, _ := Of(name)
	return h.BuiltIn
}
