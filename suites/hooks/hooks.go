// SPDX-License-Identifier: Apache-2.0

// Package hooks says what a hook is, and has those that no profile brings: what the runner answers by itself, and what profiles have in
// common. Which hooks an operator configures for a profile stands in its row in package profiles; what those that the runner
// knows more of do besides being asked is done by the runner.
package hooks

import "slices"

// The hooks that are built in: the runner answers them by itself, whatever the profile.
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

// BuiltIn says whether the runner answers a hook by itself: nothing is configured.
func BuiltIn(name string) bool {
	return slices.Contains([]string{Session, WholeRun, CardKeys, TLSVersions}, name)
}

// ClientCert says that the run has a client certificate, and speaks TLS; it needs no hook, only --cert and --key.
const ClientCert = "client-cert"

// A Hook is something that an operator can configure. The texts of the page are Markdown.
type Hook struct {
	Name  string
	Entry string // how it stands in the configuration file, behind its name; empty: it does not
	What  string // what the entry does or says, as the end of the sentence that a skip says

	Lends   string // what is provided, as docs/operators.md says it
	Gets    string // what it is told, likewise; empty: nothing
	Answers string // what it answers, likewise; empty: nothing is read of it
}

// Webhook is the address under which the target reaches this machine: whatever the profile, a test that listens needs it.
var Webhook = Hook{
	Name: "webhook", Entry: `{value: "http://HOST:PORT"}`, What: "the address under which the target reaches this machine",
	Lends: "how the executor reaches the machine that this program runs on, for push notifications: `{value: " +
		"\"http://HOST:PORT\"}`. The program listens at that address by itself, and at no other; port 0 is any free one. " +
		"Where that address is not one of this machine (a forwarded port), `{value: {url: \"http://HOST:PORT\", listen: " +
		"\"0.0.0.0:PORT\"}}` says where to listen. Not needed when the executor is on the same machine, unless it refuses " +
		"webhooks on loopback addresses. One that takes such an address and then does not deliver there cannot be told " +
		"from one that does not deliver: it has to allow the address for the run",
}
