// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
)

// knownSecrets are those of the operator, which the program never prints. Runs that are played side by side ask at the same time.
type knownSecrets struct {
	mu     sync.Mutex
	of     []runner.Target
	redact func(string) string // takes them out of a text; nil: none are known, or more than it takes out
}

// learn adds secrets to those that are known.
func (k *knownSecrets) learn(t runner.Target) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t.EnvironmentIsKnown = len(k.of) > 0 // the first one has them
	k.of = append(k.of, t)
	k.redact = nil // made when it is asked for: a list of targets has many secrets, and making it takes long
}

// clean takes the secrets that are known out of a text.
func (k *knownSecrets) clean(text string) string {
	k.mu.Lock()
	if k.redact == nil && len(k.of) > 0 {
		k.redact = secrets.New(nil, k.of...).Clean
	}
	redact := k.redact
	k.mu.Unlock()
	if redact == nil {
		return text
	}
	return redact(text)
}

// commandLine is the secrets that can be told before anything is read: what stands behind the flags for credentials, and
// their variables in the environment. The same token may stand in the wrong place as well.
func commandLine(args []string, env func(string) (string, bool)) runner.Target {
	t := runner.Target{Tokens: map[string]string{}, Header: http.Header{}}
	add := func(flag, value string) {
		switch {
		case value == "" || strings.HasPrefix(value, "--"):
		case strings.HasSuffix(flag, "header"):
			addHeader(t.Header, value)
		default:
			t.Tokens[fmt.Sprint(len(t.Tokens))] = value
		}
	}
	for i, arg := range args {
		name, value, joined := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		if !strings.HasPrefix(arg, "--") || !config.SecretFlags[name] {
			continue
		}
		if !joined && i+1 < len(args) {
			i++
			value = args[i]
		}
		if scheme := strings.ToLower(value); (scheme == "bearer" || scheme == "basic") && i+1 < len(args) {
			value = args[i+1] // the token stands behind its scheme, without quotes
		}
		add(name, value)
	}
	if env == nil {
		return t
	}
	for name := range config.SecretFlags {
		if value, set := env(config.VariableOf(name)); set {
			add(name, value)
		}
	}
	return t
}

// addHeader adds a line "name: value", if it is one.
func addHeader(to http.Header, line string) {
	if name, value, is := strings.Cut(line, ":"); is {
		to.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
}

// secrets are those among the settings, wherever they came from.
func (s *settings) secrets() runner.Target {
	t := runner.Target{Tokens: map[string]string{"token": s.token, "admin-token": s.adminToken}, Header: http.Header{}, Hooks: s.configured.Hooks, Secrets: s.configured.Secrets}
	for identity, token := range s.configured.Tokens {
		t.Tokens[identity] = token
	}
	for _, line := range append(slices.Clone(s.header), s.publicHeader...) {
		addHeader(t.Header, line)
	}
	return t
}

// A cleaned writer takes the secrets that are known by then out of each text that is written.
type cleaned struct {
	of *knownSecrets
	to io.Writer
}

// Write implements io.Writer; it says that all was written of what it was given.
func (w *cleaned) Write(text []byte) (int, error) {
	if _, err := w.to.Write([]byte(w.of.clean(string(text)))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// fileOf is the file that a writer leads to; nil when it is none.
func fileOf(w io.Writer) *os.File {
	if c, is := w.(*cleaned); is {
		w = c.to
	}
	file, _ := w.(*os.File)
	return file
}

// notShown stands in messages for what may be a credential.
const notShown = "(not shown, as it may be a credential)"

// unknownWord shows a word that none of the known ones is, unless it looks like a credential rather than like a slip.
func unknownWord(word string) string {
	if len(word) >= 12 && strings.ContainsFunc(word, unicode.IsLetter) && strings.ContainsFunc(word, unicode.IsDigit) && !strings.ContainsAny(word, "*?/. ") {
		return notShown
	}
	return fmt.Sprintf("%q", word)
}

// guarded is a message without the words in it that look like credentials. Whatever stood behind a flag, in a variable or in a file
// may be quoted there, and a token that was put in the wrong place is not known to be one.
func guarded(message string) string {
	return opaque.ReplaceAllStringFunc(message, func(word string) string {
		if before := strings.TrimRight(word, "./"); isCredential(before) {
			return notShown + word[len(before):]
		}
		return word
	})
}

// opaque matches words of the characters of bearer tokens, each with what stands before it: an address has a colon there.
var opaque = regexp.MustCompile(`:?[A-Za-z0-9._~+/=-]{20,}`)

// fileEnding matches the ends of names of files that this program reads and writes.
var fileEnding = regexp.MustCompile(`(?i)\.(ya?ml|json|md|markdown|html?|xml|txt|pem|crt|cer|key|out|log|sh)$`)

// isCredential says whether a word looks like a random one: long, of small and capital letters and digits, and no name of a file.
func isCredential(word string) bool {
	if len(word) < 20 || word[0] == ':' || fileEnding.MatchString(word) || !strings.ContainsFunc(word, unicode.IsLower) ||
		!strings.ContainsFunc(word, unicode.IsUpper) || !strings.ContainsFunc(word, unicode.IsDigit) {
		return false
	}
	folder := filepath.Dir(word)
	_, err := os.Stat(folder)
	return folder == "." || err != nil
}
