// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/redact"
)

// leastOpaque is how many characters a word has that looks like a credential.
const leastOpaque = 8

var (
	// openValue matches what headers hold that is no credential: media types, dates, versions, preferences with their weight,
	// names of hosts, paths in lower case.
	openValue = regexp.MustCompile(`^([a-z]+/[a-z0-9.+*-]+|\*/\*|\d{4}-\d\d-\d\d\S*|v?\d+(\.\d+)+|[A-Za-z*-]+(,[A-Za-z*-]+)*(;q=[\d.]+)?` +
		`|[a-z0-9-]{1,20}(\.[a-z0-9-]{1,20})+\.[a-z]{2,10}(:\d+)?|/[a-z0-9._~/-]*)$`)
	// parameter matches one "name=value" of a header, the value in quotes or without.
	parameter = regexp.MustCompile(`[^\s=;,"]+=("(?:[^"\\]|\\.)*"|[^\s;,"]*)`)
)

// credentialsIn are the secrets in headers that the operator gives as credentials: the values that no ordinary header has, and
// what stands in them, as the values of cookies and parameters and the password of Basic.
func credentialsIn(header http.Header) []string {
	secrets := inHeader(header)
	for name, lines := range header {
		named := isNamedSecret(name)
		for _, line := range lines {
			if named || len(line) >= leastOpaque && !redact.Plain(line) && !isOpenHeader(line) {
				secrets = append(secrets, line)
			}
			secrets = append(secrets, parts(line)...)
			if scheme, credentials, is := strings.Cut(line, " "); is && strings.EqualFold(scheme, "Basic") {
				secrets = append(secrets, ofBasic(strings.TrimSpace(credentials))...)
			}
		}
	}
	return secrets
}

// isOpenHeader says whether the value of a header is no credential by its form.
func isOpenHeader(line string) bool {
	u, err := url.Parse(line)
	return openValue.MatchString(line) || err == nil && u.Scheme != "" && u.Host != "" && u.User == nil && u.RawQuery == ""
}

// parts are the values of cookies and of other parameters, as they stand there and as they are meant. Short and plain ones are
// preferences rather than credentials.
func parts(line string) []string {
	var secrets []string
	add := func(value string) {
		if len(value) >= leastOpaque && !redact.Plain(value) && !isOpenHeader(value) {
			secrets = append(secrets, value)
		}
	}
	for _, found := range parameter.FindAllStringSubmatch(line, -1) {
		value := found[1]
		if inner, quoted := strings.CutPrefix(value, `"`); quoted {
			value = strings.ReplaceAll(strings.ReplaceAll(strings.TrimSuffix(inner, `"`), `\"`, `"`), `\\`, `\`)
		}
		add(value)
		if meant, err := url.PathUnescape(value); err == nil && meant != value {
			add(meant)
		}
	}
	return secrets
}

// ofBasic are the credentials of Basic as a target decodes them, and the password among them.
func ofBasic(credentials string) []string {
	plain, err := base64.StdEncoding.DecodeString(credentials)
	if err != nil {
		if plain, err = base64.RawStdEncoding.DecodeString(credentials); err != nil {
			return nil
		}
	}
	_, password, _ := strings.Cut(string(plain), ":")
	return []string{string(plain), password}
}

// isRandom says whether a word that may hold slashes is a credential rather than a path: long, and of small and capital letters
// and digits.
func isRandom(word string) bool {
	return len(word) >= 20 && !strings.ContainsAny(word, ",; ") && !strings.HasPrefix(word, "./") && !strings.Contains(word, "//") &&
		strings.ContainsFunc(word, unicode.IsLower) && strings.ContainsFunc(word, unicode.IsUpper) && strings.ContainsFunc(word, unicode.IsDigit)
}
