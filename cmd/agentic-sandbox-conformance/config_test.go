// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
	"github.com/roctinam/agentic-sandbox-conformance/suites/yamltext"
)

// resolved reads a command line, an environment and a configuration file as run does.
func resolved(t *testing.T, args []string, env map[string]string, config string) (*settings, error) {
	t.Helper()
	s := newSettings(pflag.NewFlagSet("run", pflag.ContinueOnError))
	if config != "" {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--config", path)
	}
	if err := s.flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	return s, s.resolve(&app{env: lookup})
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	const file = "executor-url: http://file\njobs: 3\nrun: [A-*, B-*]\ntokens: {instance: from-file}\n"
	env := map[string]string{envPrefix + "EXECUTOR_URL": "http://env", envPrefix + "TOKEN": "from-env", envPrefix + "TITLE": ""}
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
			s, err := resolved(t, row.args, row.env, row.file)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{s.executorURL, s.token, s.tokenFile, s.flags.Lookup("jobs").Value.String(), strings.Join(s.run, ",")}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfigured(t *testing.T) {
	t.Parallel()
	s, err := resolved(t, nil, map[string]string{"OPERATOR": "secret", "HOST": "ops.example"}, `
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
	want := configured{
		tokens:  map[string]string{"operator": "secret", "foreign": "${x}secret"},
		secrets: []string{"secret"}, // what hooks got from variables; the name of a host is none
		hooks: map[string]runner.Hook{
			"restart":         {Command: []string{"systemctl", "restart", "ops.example"}, Parallel: true},
			"create-session":  {URL: "https://ops.example/pty", Method: "PUT", Header: http.Header{"X-Key": {"secret"}}},
			"second-instance": {Value: map[string]any{"id": "a", "n": json.Number("1.50"), "on": true, "none": nil}},
			"echo-session":    {Value: true},
		},
		cues: map[string]any{
			"completed": "say done",
			"input-required": map[string]any{"json": map[string]any{"parts": []any{
				map[string]any{"kind": "text", "text": "ask ops.example"}}}},
		},
	}
	if diff := cmp.Diff(want, s.configured, cmp.AllowUnexported(configured{}), cmpopts.IgnoreFields(configured{}, "at")); diff != "" {
		t.Errorf("configured (-want +got):\n%s", diff)
	}
}

// A bearer token that comes as a header is the token of the instance, which requests without credentials leave out.
func TestBearerHeaders(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		token string
		given []string
		want  string // the token
		left  []string
	}{
		"a bearer token":      {given: []string{"Bearer one"}, want: "one"},
		"in small letters":    {given: []string{"bearer  one"}, want: "one"},
		"beside a token":      {token: "two", given: []string{"Bearer one"}, want: "two", left: []string{"Bearer one"}},
		"another scheme":      {given: []string{"Basic b25l"}, left: []string{"Basic b25l"}},
		"a scheme alone":      {given: []string{"Bearer"}, left: []string{"Bearer"}},
		"more than one":       {given: []string{"Bearer one", "Bearer two"}, left: []string{"Bearer one", "Bearer two"}},
		"nothing of the kind": {},
	} {
		target := runner.Target{Tokens: map[string]string{}, Header: http.Header{"X-Key": {"k"}}}
		if row.token != "" {
			target.Tokens["instance"] = row.token
		}
		for _, line := range row.given {
			target.Header.Add("Authorization", line)
		}
		takeBearer(&target)
		if got := target.Tokens["instance"]; got != row.want || !slices.Equal(target.Header.Values("Authorization"), row.left) || target.Header.Get("X-Key") != "k" {
			t.Errorf("%s: token %q and headers %v, want %q and %q", name, got, target.Header, row.want, row.left)
		}
	}
}

func TestShownFlagsHoldNoSecret(t *testing.T) {
	t.Parallel()
	s, err := resolved(t, []string{"--token", "hunter2", "--header", "X-Key: hunter2", "--jobs", "3"}, nil,
		"admin-token: hunter2\nexecutor-url: http://h\ntokens: {observe: hunter2}\nhooks: {restart: {command: [x, hunter2]}}\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []report.Flag{
		{Name: "admin-token", Value: "(given)"}, {Name: "executor-url", Value: "http://h"}, {Name: "header", Value: "X-Key"},
		{Name: "hooks", Value: "restart"}, {Name: "jobs", Value: "3"}, {Name: "token", Value: "(given)"}, {Name: "tokens", Value: "observe"},
	}
	if diff := cmp.Diff(want, s.shownFlags(strings.TrimSpace)); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
}

// FuzzConfig: whatever a configuration file holds, it is read or refused with exit 2, and nothing panics.
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
			return // readConfig refuses it, whatever it says
		}
		c, err := configOf(file, func(string) (string, bool) { return "", false })
		if err == nil {
			_, err = c.apply(newSettings(pflag.NewFlagSet("run", pflag.ContinueOnError)).flags, map[string]bool{})
		}
		var e *exit
		if err != nil && (!errors.As(err, &e) || e.code != exitUsage) {
			t.Errorf("error %v is no usage error", err)
		}
	})
}
