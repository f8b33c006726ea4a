// SPDX-License-Identifier: Apache-2.0

package target

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A Skipped is a reason to end the test as skipped that comes up while it runs: a name stands for something that the
// operator did not configure.
type Skipped struct{ Reason report.Reason }

// TokenNamed is ${token.NAME}, or ${token.NAME.FORM} in one of suites.TokenForms.
func (t *Target) TokenNamed(name string) (any, error) {
	class, form, formed := strings.Cut(name, ".")
	if !formed && slices.Contains(suites.TokenForms, class) {
		class, form = "instance", class
	}
	token := t.Token(class)
	if token == "" {
		return nil, &Skipped{t.noToken(class)}
	}
	switch form {
	case "":
		return token, nil
	case "base64url":
		return base64.RawURLEncoding.EncodeToString([]byte(token)), nil
	case "altered":
		return Altered(token), nil
	case "shortened":
		return Shortened(token), nil
	case "swapped":
		swapped := Swapped(token)
		if swapped == token {
			return nil, &Skipped{report.Reason{Code: "when-present:letters", Detail: "the token has no letters, so that it has no other case"}}
		}
		return swapped, nil
	case "basic":
		return base64.StdEncoding.EncodeToString([]byte("conformance:" + token)), nil
	}
	return nil, fmt.Errorf("nothing is called ${token.%s}", name)
}

// Altered is a token that differs in one character in the middle, so that neither its length nor its ends give it away.
func Altered(token string) string {
	middle := len(token) / 2
	other := byte('A')
	if token[middle] == other {
		other = 'B'
	}
	return token[:middle] + string(other) + token[middle+1:]
}

// Shortened is a token without its last character.
func Shortened(token string) string { return token[:len(token)-1] }

// Swapped is a token with its letters in the other case.
func Swapped(token string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c ^ ('a' - 'A')
		}
		return c
	}, token)
}

// Cue is the message that makes the operator's agent reach a situation: a text, or parts of a message.
func (t *Target) Cue(name string) (any, error) {
	known, _ := t.Profile.Cue(name)
	given, configured := t.Config.Cues[name]
	if !configured && known.Like != "" {
		given, configured = t.Config.Cues[known.Like]
	}
	switch {
	case configured:
	case known.Else != "":
		return known.Else, nil
	default:
		return nil, &Skipped{t.NoCue(name)}
	}
	if members, is := given.(map[string]any); is && len(members) == 1 {
		for _, form := range []string{"json", "text"} {
			if v, has := members[form]; has {
				return v, nil
			}
		}
	}
	return given, nil
}

// Announced is what the operator says about the deployment.
func (t *Target) Announced(name string) (any, error) {
	name = strings.ReplaceAll(name, "_", "-")
	if name == "idempotency-ttl" {
		return t.announcedTTL(), nil
	}
	if slices.Contains(statements, name) {
		return strconv.FormatBool(t.Config.Hooks[name].Value == true), nil
	}
	for _, said := range []map[string]string{t.Config.Announced, contractAnnounces} {
		if v := said[name]; v != "" {
			return v, nil
		}
	}
	return nil, fmt.Errorf("nothing is called ${announced.%s}", name)
}

// contractAnnounces is what the contract itself says of a deployment whose operator announces nothing else.
var contractAnnounces = map[string]string{
	"v1-sunset": "Sun, 09 May 2027 00:00:00 GMT",
	"v1-link":   "https://agentic-sandbox.aiwg.io/v2-migration-guide",
}

// statements are hooks that say something of the deployment: they are true, or not configured.
var statements = []string{"terminate-on-last-controller", "closed-sessions-archived"}

// Error is the reason in words.
func (s *Skipped) Error() string { return s.Reason.Detail }

// TokenVariables are the environment variables in which a reader of the report has the tokens.
var TokenVariables = map[string]string{
	"instance": "AGENTIC_SANDBOX_CONFORMANCE_TOKEN",
	"admin":    "AGENTIC_SANDBOX_CONFORMANCE_ADMIN_TOKEN",
}

// TokenVariable is the environment variable in which a reader of the report has the token of an identity.
func TokenVariable(identity string) string {
	if v := TokenVariables[identity]; v != "" {
		return v
	}
	return "AGENTIC_SANDBOX_CONFORMANCE_" + strings.ToUpper(strings.ReplaceAll(identity, "-", "_")) + "_TOKEN"
}
