// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"maps"
	"net/textproto"
	"regexp"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/redact"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// Plain are the credentials that are so short or so plain, like an ordinary word, that they are not looked for in every
// text: taking them out would take out other things too. Headers that carry them are removed all the same. Tokens go by their
// identity ("instance"), headers by their name ("the header X-Api-Key").
func Plain(config target.Config) []string {
	var names []string
	plain := func(secret string) bool { return secret != "" && (len(secret) < redact.Least || redact.Plain(secret)) }
	for _, identity := range slices.Sorted(maps.Keys(config.Tokens)) {
		if plain(config.Tokens[identity]) {
			names = append(names, identity)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(config.Header)) {
		if isNamedSecret(name) && slices.ContainsFunc(config.Header[name], plain) {
			names = append(names, "the header "+name)
		}
	}
	return names
}

// secretName matches the names under which credentials are kept.
var secretName = regexp.MustCompile(`(?i)auth|token|secret|passw|cookie|credential|api-?_?key|private|signature`)

// secretHeader matches, beside secretName, the names of headers that carry credentials.
var secretHeader = regexp.MustCompile(`(?i)key\b|key$|access|bearer|jwt|session|login|\bpin\b|\botp\b`)

// isNamedSecret says whether a header has the name of one that carries credentials.
func isNamedSecret(name string) bool {
	return target.IsSecretHeader(textproto.CanonicalMIMEHeaderKey(name)) || secretName.MatchString(name) || secretHeader.MatchString(name)
}
