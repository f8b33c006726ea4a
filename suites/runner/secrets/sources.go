// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// secretsOf are the secrets in what the operator has given: tokens, the values of headers, the password of a proxy,
// private members of a key set, and what hooks hold.
func secretsOf(config target.Config) []string {
	secrets := slices.Concat(slices.Collect(maps.Values(config.Tokens)), config.Secrets)
	secrets = append(secrets, credentialsIn(config.Header)...)
	secrets = append(secrets, inHeader(config.PublicHeader)...)
	for _, h := range config.Hooks {
		secrets = append(secrets, credentialsIn(h.Header)...)
		secrets = append(secrets, inValue(h.Value)...)
		for _, argument := range h.Command {
			for _, word := range strings.FieldsFunc(argument, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(`=:'"`, c) }) {
				if isOpaque(word) || isRandom(word) {
					secrets = append(secrets, word)
				}
			}
		}
	}
	if !config.EnvironmentIsKnown {
		secrets = append(secrets, ofProxies(os.Getenv)...)
		secrets = append(secrets, inEnvironment(os.Environ())...) // hooks get it, and may quote it
	}
	return append(secrets, inKeyFile(config.JWKS)...)
}

// inHeader are the values that are secret by their name, with and without their scheme, or look like it.
func inHeader(header http.Header) []string {
	var secrets []string
	for name, lines := range header {
		named := target.IsSecretHeader(textproto.CanonicalMIMEHeaderKey(name)) || secretName.MatchString(name)
		for _, line := range lines {
			_, credentials, schemed := strings.Cut(line, " ")
			switch {
			case named && schemed:
				secrets = append(secrets, line, credentials)
			case named || isOpaque(line) && !isOpenHeader(line):
				secrets = append(secrets, line)
			}
		}
	}
	return secrets
}

// isOpaque says whether a word looks like a credential rather than like something that a person would write: long enough,
// with letters and digits, and no address or path.
func isOpaque(word string) bool {
	return len(word) >= 8 && !strings.ContainsAny(word, "/,; ") && strings.ContainsFunc(word, unicode.IsLetter) && strings.ContainsFunc(word, unicode.IsDigit)
}

// inValue are the texts that stand under a name for credentials, such as the token of a second instance.
func inValue(v any) []string {
	var secrets []string
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if text, is := inner.(string); is && secretName.MatchString(name) {
				secrets = append(secrets, text)
			}
			secrets = append(secrets, inValue(inner)...)
		}
	case []any:
		for _, inner := range v {
			secrets = append(secrets, inValue(inner)...)
		}
	}
	return secrets
}

// inEnvironment are the values of variables with a name for credentials that look like some.
func inEnvironment(environment []string) []string {
	var secrets []string
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if secretName.MatchString(name) && len(value) >= 16 && !strings.ContainsAny(value, " ,;") && !strings.Contains(value, "://") &&
			strings.ContainsFunc(value, unicode.IsLetter) && strings.ContainsFunc(value, unicode.IsDigit) && !isOpenHeader(value) && !isPath(value) {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

// isPath says whether a value that begins with a slash is a path: one in 64 secrets in base64 begins so as well.
func isPath(value string) bool {
	if !strings.HasPrefix(value, "/") {
		return false
	}
	_, err := os.Stat(value)
	return err == nil || !isRandom(value)
}

// ofProxies are the passwords of the proxies that the environment names.
func ofProxies(env func(string) string) []string {
	var secrets []string
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		value := env(name)
		at := strings.LastIndexByte(value, '@')
		if at < 0 {
			continue
		}
		// Taken apart by hand: an address that is none is quoted in an error.
		credentials := value[:at]
		if _, behind, found := strings.Cut(credentials, "://"); found {
			credentials = behind
		}
		_, password, _ := strings.Cut(credentials, ":")
		secrets = append(secrets, password)
		if plain, err := url.PathUnescape(password); err == nil {
			secrets = append(secrets, plain)
		}
	}
	return secrets
}

// inKeyFile are the private members of the keys in the operator's file.
func inKeyFile(path string) []string {
	if path == "" || strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://") {
		return nil
	}
	file, err := os.Open(strings.TrimPrefix(path, "file://"))
	if err != nil {
		return nil
	}
	defer file.Close()
	var set struct{ Keys []map[string]any }
	if json.NewDecoder(io.LimitReader(file, wire.MaxBody)).Decode(&set) != nil {
		return nil
	}
	var secrets []string
	for _, key := range set.Keys {
		for _, name := range []string{"d", "p", "q", "dp", "dq", "qi", "k"} {
			if text, is := key[name].(string); is {
				secrets = append(secrets, text)
			}
		}
	}
	return secrets
}
