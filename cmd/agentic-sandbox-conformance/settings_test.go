// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
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
