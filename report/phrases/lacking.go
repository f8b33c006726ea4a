// SPDX-License-Identifier: Apache-2.0

package phrases

import "strings"

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
	"when-present":  "about $, which the target does not show",
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
	return strings.ReplaceAll(text, "$", name)
}
