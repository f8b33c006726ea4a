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
