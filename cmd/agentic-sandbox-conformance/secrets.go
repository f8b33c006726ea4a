// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
)

// learn adds secrets of the operator to what the program never prints.
func (a *app) learn(t runner.Target) {
	a.secrets = append(a.secrets, t)
	a.redact = secrets.New(nil, a.secrets...).Clean
}

// clean takes the secrets that are known out of a text.
func (a *app) clean(text string) string {
	if a.redact == nil {
		return text
	}
	return a.redact(text)
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
		if !strings.HasPrefix(arg, "--") || !secretFlags[name] {
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
	for name := range secretFlags {
		if value, set := env(envPrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))); set {
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
	t := runner.Target{Tokens: map[string]string{"token": s.token, "admin-token": s.adminToken}, Header: http.Header{}, Hooks: s.lent.hooks, Secrets: s.lent.secrets}
	for identity, token := range s.lent.tokens {
		t.Tokens[identity] = token
	}
	for _, line := range append(slices.Clone(s.header), s.publicHeader...) {
		addHeader(t.Header, line)
	}
	return t
}

// A cleaned writer takes the secrets that are known by then out of each text that is written.
type cleaned struct {
	app *app
	to  io.Writer
}

// Write implements io.Writer; it says that all was written of what it was given.
func (w *cleaned) Write(text []byte) (int, error) {
	if _, err := w.to.Write([]byte(w.app.clean(string(text)))); err != nil {
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

// plain says what is wrong with the value of a flag without the value: it may be a credential that slipped behind the wrong
// flag.
func plain(err error, f *pflag.Flag) error {
	if secretFlags[f.Name] {
		return errors.New("the value is malformed")
	}
	if wanted, known := flagTypes[f.Value.Type()]; known {
		return fmt.Errorf("want %s", wanted)
	}
	return err
}

// flagTypes are the types of flags whose values are read, in words.
var flagTypes = map[string]string{
	"int": "a whole number", "uint64": "a whole number that is not negative", "float64": "a number", "bool": "true or false",
	"duration": "a time such as 500ms, 30s or 5m", "stringSlice": "a list with commas in between",
}

// unknownWord shows a word that none of the known ones is, unless it looks like a credential rather than like a slip.
func unknownWord(word string) string {
	if len(word) >= 12 && strings.ContainsFunc(word, unicode.IsLetter) && strings.ContainsFunc(word, unicode.IsDigit) && !strings.ContainsAny(word, "*?/. ") {
		return "(not shown, as it may be a credential)"
	}
	return fmt.Sprintf("%q", word)
}
