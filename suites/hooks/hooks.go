// SPDX-License-Identifier: Apache-2.0

// Package hooks says what a hook is, and has those that no profile brings: what the runner does by itself ([Operations]), and what
// profiles have in common. Which hooks an operator configures for a profile stands in its row in package profiles; what those that the runner
// knows more of do besides being asked is done by the runner.
package hooks

// The hooks that are built in: the runner answers them by itself, whatever the profile.
const (
	// Session is a PTY session that no client is attached to (ruling A01). The runner finds one.
	Session = "session"

	// WholeRun is what the run has seen of the target so far, whichever test saw it. It is for requirements about every
	// answer of a run; their tests come last.
	WholeRun = "whole-run"

	// CardKeys are the keys under which the signatures of a card of a plain A2A server can be checked: those of the key sets that
	// the signatures refer to (jku), and those that the operator trusts (--jwks).
	CardKeys = "card-keys"

	// OpenAPI is an OpenAPI document, taken apart; OpenAPIAnswers the same with what the run has seen held against it. The tests of
	// the latter come last.
	OpenAPI        = "openapi"
	OpenAPIAnswers = "openapi-answers"

	// TLSVersions are the versions of TLS that the host of the card takes.
	TLSVersions = "tls-versions"
)

// LooksBack says whether a hook is about what the whole run has seen.
func LooksBack(name string) bool { return name == WholeRun || name == OpenAPIAnswers }

// ClientCert says that the run has a client certificate, and speaks TLS; it needs no hook, only --cert and --key.
const ClientCert = "client-cert"

// InstanceToken says that the instance has a token of its own, without admin rights.
const InstanceToken = "instance-token"

// A Hook is something that an operator can configure. The texts of the page are Markdown.
type Hook struct {
	Name  string
	Entry string // how it stands in the configuration file, behind its name; empty: it does not
	What  string // what the entry does or says, as the end of the sentence that a skip says

	Instead string // what is done in its place, where something else is configured that serves as well, as a clause; empty: nothing

	Form   Form   // of what it answers
	Member string // of AnID: where the id stands
	Has    string // the members that the JSON has to have, apart by spaces, none of them null or an empty text; seconds is a number above 0
	Leaves int    // after it less can be measured: tests that ask it come behind all others, those of a greater number later; 0: it does not matter
	Ends   string // the member that says whether what it does goes on: true where a step asks it, and false, asked once more, where the row is over; empty: it has none
	Joint  bool   // it is asked once for all tests that are played side by side and have come to it, since it happens to all of them

	Does    string // what is provided, as docs/operators.md says it
	Gets    string // what it is told, likewise; empty: nothing
	Answers string // what it answers, likewise; empty: nothing is read of it
}

// A Form is what a hook has to answer. The runner knows more forms, of hooks that it does something with by itself.
type Form int

// The forms that any hook can have.
const (
	Anything Form = iota
	AnURL         // JSON with the url of an executor
	AnID          // JSON with an id, or the id as a plain text
)

// Webhook is the address under which the target reaches this machine: whatever the profile, a test that listens needs it.
var Webhook = Hook{
	Name: "webhook", Entry: `{value: "http://HOST:PORT"}`, What: "the address under which the target reaches this machine",
	Does: "how the executor reaches the machine that this program runs on, for push notifications: `{value: " +
		"\"http://HOST:PORT\"}`. The program listens at that address only; port 0 is any free one. " +
		"If that address is not one of this machine (a forwarded port), `{value: {url: \"http://HOST:PORT\", listen: " +
		"\"0.0.0.0:PORT\"}}` says where to listen. Not needed when the executor is on the same machine, unless it refuses " +
		"webhooks on loopback addresses. An executor that accepts such an address but does not deliver to it looks like " +
		"one that never delivers: allow the address for the run",
}
