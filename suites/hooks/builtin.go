// SPDX-License-Identifier: Apache-2.0

package hooks

// An Operation is what the runner does by itself where a step names it as a hook: nobody is called.
type Operation struct {
	Name string
	Does string // what is done, as the beginning of a sentence in the imperative
	Of   string // what a judgement of it is about

	// Lacks is where a test that names it is skipped, as a clause; empty: it never is.
	Lacks string

	// Asks says that it only looks whether the operator has given or stated something. Such a name is listed among what a test
	// needs, and a test whose run lacks it is skipped.
	Asks bool
}

// Operations are all of them, whatever the profile.
var Operations = []Operation{
	{
		Name: Session, Does: "use a terminal session that no client is attached to", Of: "the terminal session",
		Lacks: "there is no terminal session left to take (--session names some, the hook create-session makes them), and the target makes none",
	},
	{Name: WholeRun, Does: "look at what the whole run has seen of the target so far, in other tests too", Of: "what the run has seen of the target"},
	{
		Name: CardKeys,
		Does: "collect the keys for the signatures of the card: those of --jwks, and of the key sets that the signatures name (jku), where " +
			"they are on the host of the card or at the origin of --jwks",
		Of: "the keys for the signatures of the card",
	},
	{
		Name: OpenAPI, Does: "take the OpenAPI document apart, with its references followed", Of: "the OpenAPI document",
	},
	{
		Name: OpenAPIAnswers, Does: "hold what the whole run has seen of the target so far, in other tests too, against its OpenAPI document",
		Of: "the answers of the run and the OpenAPI document",
	},
	{
		Name: TLSVersions, Does: "try a handshake with the host of the card in each version of TLS, from 1.0 to 1.3",
		Of: "the TLS handshakes with the host of the card", Lacks: "the card is not served over TLS",
	},
	{
		Name: ClientCert, Asks: true,
		Does:  "make sure that the target is reached over TLS and that the run has a client certificate (--cert and --key)",
		Of:    "the client certificate of the run",
		Lacks: "the run has no client certificate (--cert and --key), or the target is not reached over TLS",
	},
	{
		Name: InstanceToken, Asks: true,
		Does: "make sure that the token of the instance (--token) has no admin rights, which that of --admin-token has: the operator " +
			"states it, or the target has shown it by refusing to list the instances for the one and not for the other",
		Of: "the token of the instance",
		Lacks: "--token and --admin-token are not both given, or it is not configured that the former has no admin rights (hook instance-token) and " +
			"the target has not shown it",
	},
}

// OperationCalled is the operation of that name; false: it is a hook that the operator configures.
func OperationCalled(name string) (Operation, bool) {
	for _, o := range Operations {
		if o.Name == name {
			return o, true
		}
	}
	return Operation{}, false
}

// BuiltIn says whether the runner answers a hook by itself: nothing is configured.
func BuiltIn(name string) bool {
	o, is := OperationCalled(name)
	return is && !o.Asks
}
