// SPDX-License-Identifier: Apache-2.0

package applies

import "strings"

// Means says in words why a test is skipped that skips itself, by the code of the reason under skip_unless or skip_when: what became of the
// target, ahead of what was seen of it. It is empty for reasons that are told in other words, or have the suite's own.
func Means(code string) string {
	if strings.HasPrefix(code, "when-present:") {
		return "the target did not show what the requirement is about"
	}
	return means[code]
}

// means are those of docs/reading-a-report.md.
var means = map[string]string{
	"list-too-long":            "the list goes on after the pages that a run reads",
	"task-ended-too-fast":      "the task had ended before the test could look at it",
	"admin-surface-is-open":    "the route is open to everybody, which another requirement reports",
	"admin-token-refused":      "the admin surface refuses the admin's token, which another requirement reports",
	"announced-elsewhere":      "the card announces an extended card in the place of version 0.3, which another requirement reports",
	"answers-vary":             "the agent did not answer the same message in the same way twice, so that its streams over two bindings cannot be compared",
	"auth-enabled":             "the target refuses anonymous requests",
	"auth-refused":             "the target accepts no push configuration with that kind of authentication (ruling AMB-32)",
	"bare-messages":            "messages are sent to the target in a form other than the one that the test is about (ruling AMB-21)",
	"closed-sessions-archived": "you configured that an ended session can only be seen in an archive",
	"context-refused":          "the agent accepted no second task in a context that it created itself",
	"deferred":                 "the contract leaves it open in this version, and the target does not do it yet",
	"delete-is-served":         "the target removes instances with DELETE; the other way is tested only if it does not",
	"delete-not-served":        "the target does not serve what the requirement is about",
	"drove-elsewhere":          "the agent did something else than its cue says",
	"enforced":                 "the target refuses requests that do not activate an extension, so that its behaviour without the extension cannot be tested",
	"fault-cannot-be-armed":    "your hook pty-fault cannot make the terminal fail in that way",
	"few-observers":            "the card allows fewer observers than the test needs",
	"hmac-refused":             "the target accepts no push configuration with that kind of authentication (ruling AMB-32)",
	"jku-elsewhere":            "the key set of the card's signatures is on another host, and --jwks does not name it",
	"json-rpc-codes":           "the errors of the target are those of JSON-RPC, with numbers for codes, which another requirement judges",
	"key-file":                 "the keys were given to the run as a file, so that there is no URL to fetch them from",
	"keyframes-too-far-apart":  "according to the card, keyframes are too rare for a run to wait for them",
	"keys-from-a-file":         "the keys were given to the run as a file, so that there is no URL to fetch them from",
	"limited-before":           "the target let in fewer clients than its card allows",
	"no-binary":                "the target does not support the subprotocol pty-ws.v1.binary",
	"no-choice-of-process":     "the target does not let a client choose the process of a terminal session",
	"no-goodbye":               "the target sent no binding_goodbye, which the requirement is about",
	"no-hashes":                "the refusal does not have the hashes that the requirement is about",
	"no-history":               "the agent's tasks have no history, or less of it than the test needs",
	"no-idempotency-metrics":   "the metrics of the target do not have the counter that the requirement is about",
	"no-scope":                 "the target does not accept a token of that scope",
	"no-storage":               "the deployment has no storage",
	"no-timestamp":             "the statuses of the agent's tasks have no timestamp, so that filters, order and streams cannot be tested",
	"no-ttl":                   "the card does not say how long message ids are remembered",
	"no-v1-metric":             "the metrics of the target do not have the counter that the requirement is about",
	"not-advertised":           "the target does not serve what the requirement is about",
	"not-declared":             "the target does not offer what the requirement is about",
	"not-present":              "the target does not offer what the requirement is about",
	"not-served":               "the target does not serve what the requirement is about",
	"not-supported":            "the target does not offer what the requirement is about",
	"nothing-refused":          "the target accepted what it may refuse, so that there is no refusal to judge",
	"one-context-for-all":      "the agent puts all tasks into the same context, so that a list filtered by context cannot be tested",
	"open-to-everybody":        "the route is open to everybody, which another requirement reports",
	"payload-detached":         "the signature of the card does not carry what was signed",
	"reader-given-up":          "the target gave up a client that read nothing for a while, as it may",
	"refused":                  "the target refused a request that it may refuse, so that there is nothing to judge",
	"shared-credentials":       "the second instance has the same token as the first",
	"signed-otherwise":         "the card's signature covers a text that is not RFC 8785 or lacks members, which another requirement reports",
	"single-controller":        "the card allows one controller only",
	"strict":                   "the target refuses an upgrade without a subprotocol, which it may",
	"supported":                "the target supports what the test needs it not to support",
	"tokens-too-short":         "the tokens of the run are too short to search for them in answers",
	"too-few-frames":           "the terminal did not output as much as the test needs",
	"too-little-output":        "the terminal did not output as much as the test needs",
	"too-many-controllers":     "the card allows more clients than a run can connect",
	"too-many-observers":       "the card allows more clients than a run can connect",
	"ttl-without-effect":       "the time that you configured for message ids has no effect (ruling AMB-35)",
	"version-not-needed":       "the target also answers requests without a version, so that it does not show where it reads the version",
	"without-contexts":         "the agent's tasks have no contextId, so that contexts cannot be tested",
}
