// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A skipped is a reason to end the test as skipped that comes up while it runs: a name stands for something that the
// operator did not lend.
type skipped struct{ reason report.Reason }

// tokenNamed is ${token.NAME}, or ${token.NAME.FORM} in one of suites.TokenForms.
func (s *site) tokenNamed(name string) (any, error) {
	class, form, formed := strings.Cut(name, ".")
	if !formed && slices.Contains(suites.TokenForms, class) {
		class, form = "instance", class
	}
	token := s.token(class)
	if token == "" {
		return nil, &skipped{s.noToken(class)}
	}
	switch form {
	case "":
		return token, nil
	case "base64url":
		return base64.RawURLEncoding.EncodeToString([]byte(token)), nil
	case "altered":
		return altered(token), nil
	case "shortened":
		return shortened(token), nil
	case "swapped":
		swapped := swapped(token)
		if swapped == token {
			return nil, &skipped{report.Reason{Code: "when-present:letters", Detail: "the token has no letters, so that it has no other case"}}
		}
		return swapped, nil
	case "basic":
		return base64.StdEncoding.EncodeToString([]byte("conformance:" + token)), nil
	}
	return nil, fmt.Errorf("nothing is called ${token.%s}", name)
}

// tokensGiven is ${tokens}: every token that the operator gave, none of which may turn up anywhere.
func (s *site) tokensGiven() []any {
	list := []any{}
	for _, identity := range slices.Sorted(maps.Keys(s.explicit)) {
		if token := s.explicit[identity]; token != "" {
			list = append(list, token)
		}
	}
	return list
}

// altered is a token that differs in one character in the middle, so that neither its length nor its ends give it away.
func altered(token string) string {
	middle := len(token) / 2
	other := byte('A')
	if token[middle] == other {
		other = 'B'
	}
	return token[:middle] + string(other) + token[middle+1:]
}

// shortened is a token without its last character.
func shortened(token string) string { return token[:len(token)-1] }

// swapped is a token with its letters in the other case.
func swapped(token string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c ^ ('a' - 'A')
		}
		return c
	}, token)
}

// cue is the message that makes the operator's agent reach a situation: a text, or parts of a message.
func (s *site) cue(name string) (any, error) {
	given, lent := s.target.Cues[name]
	if !lent && name == "task-reply" {
		given, lent = s.target.Cues["completed"]
	}
	if !lent && (name == "ping" || name == "task-reply") {
		return "ping", nil
	}
	if !lent {
		return nil, &skipped{noCue(name)}
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

// announced is what the operator says about the deployment.
func (s *site) announced(name string) (any, error) {
	name = strings.ReplaceAll(name, "_", "-")
	if name == "idempotency-ttl" {
		return s.announcedTTL(), nil
	}
	if slices.Contains(statements, name) {
		return strconv.FormatBool(s.target.Hooks[name].Value == true), nil
	}
	for _, said := range []map[string]string{s.target.Announced, contractAnnounces} {
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

// statements are hooks that say something of the deployment: they are true, or not lent.
var statements = []string{"terminate-on-last-controller", "closed-sessions-archived"}
