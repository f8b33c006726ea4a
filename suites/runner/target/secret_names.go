// SPDX-License-Identifier: Apache-2.0

package target

import (
	"maps"
	"net/textproto"
	"regexp"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/redact"
)

// secretHeaders carry credentials by their nature.
var secretHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key",
	"X-Session-Api-Key", "X-Access-Token", "X-Auth-Token"}

// IsSecretHeader says whether a header is one of them.
func IsSecretHeader(name string) bool {
	return slices.Contains(secretHeaders, name)
}

// PlainTokens are the credentials that are so short or so plain, like an ordinary word, that they are not looked for in every
// text: taking them out would take out other things too. Headers that carry them are removed all the same. Tokens go by their
// identity ("instance"), headers by their name ("the header X-Api-Key").
func (c Config) PlainTokens() []string {
	var names []string
	plain := func(secret string) bool { return secret != "" && (len(secret) < redact.Least || redact.Plain(secret)) }
	for _, identity := range slices.Sorted(maps.Keys(c.Tokens)) {
		if plain(c.Tokens[identity]) {
			names = append(names, identity)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Header)) {
		if IsNamedSecret(name) && slices.ContainsFunc(c.Header[name], plain) {
			names = append(names, "the header "+name)
		}
	}
	return names
}

// SecretName matches the names under which credentials are kept.
var SecretName = regexp.MustCompile(`(?i)auth|token|secret|passw|cookie|credential|api-?_?key|private|signature`)

// IsNamedSecret says whether a header has the name of one that carries credentials.
func IsNamedSecret(name string) bool {
	return IsSecretHeader(textproto.CanonicalMIMEHeaderKey(name)) || SecretName.MatchString(name) || secretHeader.MatchString(name)
}

// secretHeader matches, beside secretName, the names of headers that carry credentials.
var secretHeader = regexp.MustCompile(`(?i)key\b|key$|access|bearer|jwt|session|login|\bpin\b|\botp\b`)
