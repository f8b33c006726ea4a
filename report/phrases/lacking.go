// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// lacking says, by the part of a reason code before its colon, which tests were skipped for it. The rest of the code is $.
var lacking = map[string]string{
	"no-session":    "without a terminal session",
	"no-hook":       "without the hook $",
	"no-cue":        "without the cue $",
	"no-token":      "without the token $",
	"no-grpc":       "over gRPC (not in this build)",
	"claim":         "about $, which the card does not declare",
	"when-declared": "about $, which the card does not declare",
	"declared":      "about cards that do not declare $",
	"when-present":  "about what the target did not show ($)",
	"slow":          "slower than --max-wait allows",
	"production":    "for production only (--production)",
	"auth-enabled":  "for targets that serve anonymous requests",
	"auth-disabled": "for targets that refuse anonymous requests",
	"pty-dialect":   "that --pty-dialect leaves out",
	"interrupted":   "when the run was interrupted",
	"time-is-up":    "when --max-time was over",
	"fail-fast":     "after --fail-fast ended the run",
	"unreachable":   "as the target was not reached",
	"unauthorized":  "as the credentials were rejected",

	"drove-elsewhere":     "as the agent did something else than the test's message asks for",
	"task-ended-too-fast": "as tasks had ended before they could be looked at",
	"busy-machine":        "as the machine was too busy to see when something came",
	"not-present":         "about what the target does not have",
	"not-declared":        "about what the target does not declare",
	"not-supported":       "about what the target does not support",
	"not-served":          "about what the target does not serve",
	"not-advertised":      "about what the target does not advertise",
	"refused":             "as the target refused what it may refuse",
	"nothing-refused":     "as the target accepted what it may refuse",
	"hook-refused":        "as the target takes no webhook on this machine",
	"no-grpc-form":        "about what cannot be said over gRPC",
	"no-signing-key":      "as no key to the card's signature is known",
	"no-tls":              "about what is not served over TLS",
	"no-ttl":              "as the card does not say how long message ids are remembered",
	"list-too-long":       "as the list of tasks is too long to be read",
	"other-origin":        "about a host that --allow-host does not name",
	"deferred":            "that the contract leaves open in this version",
	"unnamed-error":       "as the errors do not say which A2A error they are",

	"no-terminal-echo":         "as no terminal session is known to echo or to run a shell",
	"answers-vary":             "as the agent answers the same message differently each time",
	"without-contexts":         "as the tasks have no contextId",
	"one-context-for-all":      "as all tasks are in one context",
	"context-refused":          "as no second task was accepted in a context",
	"no-timestamp":             "as the statuses of tasks have no timestamp",
	"no-history":               "as the tasks have no history, or too little of it",
	"jku-elsewhere":            "as the keys of the card's signature are on a host that --jwks does not name",
	"signed-otherwise":         "as the card's signature covers another text, which another test reports",
	"payload-detached":         "as the card's signature does not carry what was signed",
	"key-file":                 "as the keys were given as a file",
	"keys-from-a-file":         "as the keys were given as a file",
	"delete-not-served":        "about DELETE of instances, which is not served",
	"delete-is-served":         "about targets that do not serve DELETE of instances",
	"version-not-needed":       "as requests without a version are answered too",
	"announced-elsewhere":      "as the card announces its extended card where version 0.3 did",
	"enforced":                 "as requests that do not activate an extension are refused",
	"open-to-everybody":        "as the route is open to everybody, which another test reports",
	"admin-surface-is-open":    "as the admin surface is open to everybody, which another test reports",
	"admin-token-refused":      "as the admin surface refuses the admin's token, which another test reports",
	"shared-credentials":       "as the second instance has the token of the first",
	"auth-refused":             "as no webhook with that kind of authentication is accepted",
	"hmac-refused":             "as no webhook with a shared secret is accepted",
	"tokens-too-short":         "as the tokens of the run are too short to search for",
	"json-rpc-codes":           "as errors have numbers for codes, which another test judges",
	"bare-messages":            "as messages are sent in a form that the tests are not about",
	"no-hashes":                "as the refusal has no hashes",
	"ttl-without-effect":       "as the configured time for message ids has no effect",
	"no-idempotency-metrics":   "about a counter that the metrics do not have",
	"no-v1-metric":             "about a counter that the metrics do not have",
	"no-storage":               "for deployments with storage",
	"no-binary":                "about the subprotocol pty-ws.v1.binary, which the target does not support",
	"no-scope":                 "as no token of that scope is accepted",
	"no-goodbye":               "about binding_goodbye, which the target did not send",
	"no-choice-of-process":     "as clients cannot choose the process of a terminal session",
	"strict":                   "as an upgrade without a subprotocol is refused",
	"supported":                "for targets that lack what this one supports",
	"limited-before":           "as fewer clients were let in than the card allows",
	"few-observers":            "as the card allows fewer observers than are needed",
	"single-controller":        "as the card allows one controller only",
	"too-many-controllers":     "as the card allows more controllers than a run can connect",
	"too-many-observers":       "as the card allows more observers than a run can connect",
	"too-few-frames":           "as the terminal put out too little",
	"too-little-output":        "as the terminal put out too little",
	"reader-given-up":          "as the target gave up a client that read nothing for a while",
	"keyframes-too-far-apart":  "as keyframes are too rare to wait for",
	"closed-sessions-archived": "as ended sessions can only be seen in an archive",
	"fault-cannot-be-armed":    "as the hook pty-fault cannot make the terminal fail in that way",
}

// Lacking says in a few words which tests were skipped for a reason: "without the hook restart". It is the code itself where those
// words are not known.
func Lacking(code string) string {
	kind, name, _ := strings.Cut(code, ":")
	if version, is := strings.CutPrefix(code, "reserved-"); is {
		return "reserved for " + version
	}
	text := lacking[kind]
	if text == "" || strings.Contains(text, "$") != (name != "") {
		return code
	}
	switch kind {
	case "claim", "when-declared", "declared":
		name = report.ClaimInWords(name)
	case "when-present":
		name = strings.ReplaceAll(name, "-", " ")
	}
	return strings.ReplaceAll(text, "$", name)
}
