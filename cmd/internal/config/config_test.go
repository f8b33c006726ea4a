// SPDX-License-Identifier: Apache-2.0

package config

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
	"github.com/roctinam/agentic-sandbox-conformance/suites/yamltext"
)

// someFlags are one of each kind that the program has.
func someFlags(t *testing.T) *pflag.FlagSet {
	t.Helper()
	return newFlags()
}

func newFlags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	for _, name := range []string{"executor-url", "token", "token-file", "admin-token", "admin-token-file", "v1-link", "title", "config"} {
		flags.String(name, "", "")
	}
	flags.Int("jobs", 16, "")
	flags.StringSlice("run", nil, "")
	flags.StringArray("header", nil, "")
	return flags
}

// resolved reads a command line, an environment and a configuration file.
func resolved(t *testing.T, args []string, env map[string]string, text string) (*pflag.FlagSet, Configured, error) {
	t.Helper()
	flags := someFlags(t)
	if text != "" {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--config", path)
	}
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	configured, err := Resolve(flags, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	return flags, configured, err
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	const file = "executor-url: http://file\njobs: 3\nrun: [A-*, B-*]\ntokens: {instance: from-file}\n"
	env := map[string]string{EnvPrefix + "EXECUTOR_URL": "http://env", EnvPrefix + "TOKEN": "from-env", EnvPrefix + "TITLE": ""}
	for _, row := range []struct {
		name string
		args []string
		env  map[string]string
		file string
		want []string // executor URL, token, token file, jobs, run
	}{
		{"defaults", nil, nil, "", []string{"", "", "", "16", ""}},
		{"the file over the default", nil, nil, file, []string{"http://file", "from-file", "", "3", "A-*,B-*"}},
		{"the environment over the file", nil, env, file, []string{"http://env", "from-env", "", "3", "A-*,B-*"}},
		{"the flag over both", []string{"--executor-url", "http://flag", "--run", "C-*"}, env, file,
			[]string{"http://flag", "from-env", "", "3", "C-*"}},
		{"a token file on the command line hides the tokens below", []string{"--token-file", "x"}, env, file,
			[]string{"http://env", "", "x", "3", "A-*,B-*"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			flags, _, err := resolved(t, row.args, row.env, row.file)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, name := range []string{"executor-url", "token", "token-file", "jobs", "run"} {
				got = append(got, strings.Trim(flags.Lookup(name).Value.String(), "[]"))
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfigured(t *testing.T) {
	t.Parallel()
	_, got, err := resolved(t, nil, map[string]string{"OPERATOR": "secret", "HOST": "ops.example"}, `
tokens: {operator: "${OPERATOR}", foreign: "$${x}${OPERATOR}"}
hooks:
  restart: {command: [systemctl, restart, "${HOST}"], parallel: true}
  create-session: {url: "https://${HOST}/pty", method: PUT, header: {X-Key: "${OPERATOR}"}}
  second-instance: {value: {id: a, n: 1.50, on: true, none: null}}
  echo-session: {value: true}
cues:
  completed: say done
  input-required: {json: {parts: [{kind: text, text: "ask ${HOST}"}]}}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := Configured{
		Tokens:  map[string]string{"operator": "secret", "foreign": "${x}secret"},
		Secrets: []string{"secret"}, // what hooks got from variables; the name of a host is none
		Hooks: map[string]runner.Hook{
			"restart":         {Command: []string{"systemctl", "restart", "ops.example"}, Parallel: true},
			"create-session":  {URL: "https://ops.example/pty", Method: "PUT", Header: http.Header{"X-Key": {"secret"}}},
			"second-instance": {Value: map[string]any{"id": "a", "n": json.Number("1.50"), "on": true, "none": nil}},
			"echo-session":    {Value: true},
		},
		Cues: map[string]any{
			"completed": "say done",
			"input-required": map[string]any{"json": map[string]any{"parts": []any{
				map[string]any{"kind": "text", "text": "ask ops.example"}}}},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Configured{}, "At")); diff != "" {
		t.Errorf("configured (-want +got):\n%s", diff)
	}
}

// FuzzConfig: whatever a configuration file holds, it is read or refused and nothing panics.
func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		"", "# nothing\n", "executor-url: http://h\n", "run: [a, b]\n", "tokens: {instance: x}\n", "hooks: {a: {value: [1, {b: c}]}}\n",
		"cues: {a: {json: {b: 1e3}}}\n", "a: &x 1\nb: *x\n", "<<: {a: b}\n", "? [a]\n: b\n", "jobs: [1]\n", "---\na: b\n---\nc: d\n",
		"hooks: 1\n", "tokens: {instance: {}}\n", "v1-link: '${'\n", "\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := yamltext.ParseFile("config.yaml", []byte(text))
		if err != nil {
			return // Resolve refuses it, whatever it says
		}
		c, err := of(file, func(string) (string, bool) { return "", false })
		if err == nil {
			_, _ = c.apply(someFlags(t), map[string]bool{})
		}
	})
}
