// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// remedies says, by the part of a reason code before its colon, what would make the test run. The rest of the code is $.
var remedies = map[string]string{
	"no-hook":            "configure the hook: an entry `$` under `hooks:` in the configuration file",
	"no-cue":             "configure the cue: an entry `$` under `cues:` in the configuration file, a message that brings the agent there",
	"no-token":           "configure the token: an entry `$` under `tokens:` in the configuration file",
	"claim":              "nothing to configure: the card does not declare `$`",
	"claims":             "nothing to configure: the card does not declare `$`",
	"declared":           "nothing to configure: the card declares `$`, and this is about cards that do not",
	"when-declared":      "nothing to configure: the card does not declare `$`",
	"when-present":       "nothing to configure: the target did not show `$`",
	"no-grpc":            "take a program that drives gRPC: a release, or one of `make build`",
	"no-grpc-form":       "nothing to configure: protobuf has no message with the value that the test sends",
	"slow":               "allow more waiting with `--max-wait`",
	"pty-dialect":        "run without `--pty-dialect`",
	"production":         "judge a production deployment with `--production`",
	"auth-disabled":      "`--require-auth` says that anonymous requests should be refused",
	"auth-enabled":       "nothing to configure: the target refuses anonymous requests",
	"payload-detached":   "nothing to configure: the signature of the card does not carry what was signed",
	"shared-credentials": "configure the hook `second-instance` with a `token` that is not that of the first instance",
	"hook-refused":       "let webhooks of the target lead to this machine for the run, or configure the hook `webhook`: an address that it takes",
	"interrupted":        "let the run end",
	"time-is-up":         "allow a longer run with `--max-time`",
	"fail-fast":          "run without `--fail-fast`",
	"other-origin":       "`--allow-host` names hosts, other than the target's, that may receive credentials",
	"unreachable":        "make the target reachable",
	"unauthorized":       "give credentials that the target accepts",
	"deferred":           "nothing to configure: the contract leaves it open, and the target has chosen not to do it yet",
	"reserved":           "nothing to configure: a later version of the contract asks for it",
}

// Remedy says what the operator can do about skips for a reason, in a part of a sentence, as Markdown, in which `$` stands
// for the name. It is empty when nothing is known beyond what the reason itself says.
func Remedy(code string) (text, name string) {
	kind, name, _ := strings.Cut(code, ":")
	text = remedies[kind]
	if text == "" && strings.HasPrefix(kind, "reserved") {
		text = remedies["reserved"]
	}
	if name == "" && strings.Contains(text, "`$`") {
		return "", ""
	}
	switch words := report.ClaimInWords(name); {
	case words != name && (strings.HasPrefix(kind, "claim") || strings.HasSuffix(kind, "declared")):
		text = strings.Replace(text, "`$`", words, 1)
	}
	return text, name
}
