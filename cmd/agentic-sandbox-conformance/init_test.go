// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/next"
)

// TestFirstConfigIsRead: whatever a target says of itself, the file is one configuration, before and after its comments have been made
// entries, and holds no token.
func TestFirstConfigIsRead(t *testing.T) {
	t.Parallel()
	const secret = "a-token-of-the-operator"
	hostile := "x\nhooks: {restart: {command: [evil]}}\u2028\u0085\r\n# \"' ${HOME} \x1b[2J"
	for _, row := range profiles.All {
		plan := next.Plan{Entries: next.Entries{Profile: row, MaxWait: "2m40s", Hosts: []string{"agent.example", hostile}}}
		names := append(row.Configurable(), "token:operator", "token:foreign", next.MaxWait, next.AllowHost, next.JWKS)
		for _, name := range names {
			if name != "hook:client-cert" {
				plan.Lacking = append(plan.Lacking, next.Lacking{ID: name, Ways: [][]string{{name}}})
			}
		}
		s := newSettings(pflag.NewFlagSet("init", pflag.ContinueOnError))
		if err := s.flags.Parse([]string{"--executor-url", "http://127.0.0.1:1/a b", "--profile", row.Name, "--token", secret, "--header", "X-Key: " + secret, "--tenant", "12", "--allow-host", "a.example,b.example"}); err != nil {
			t.Fatal(err)
		}
		seen := &runner.Survey{Auth: true, Instance: hostile, Chosen: true, Second: hostile, Admin: "http://127.0.0.1:1/" + hostile, Card: hostile,
			Claims: []report.Claim{{Name: hostile}}, Interfaces: []string{hostile}, Requirements: 500, Measured: 10, Next: plan.Steps()}
		text := (&config.First{Program: program, Flags: s.flags, Seen: seen, Target: runner.Target{Tokens: map[string]string{"instance": secret}}}).Text()
		if strings.Contains(text, secret) {
			t.Errorf("%s: the file holds a secret:\n%s", row.Name, text)
		}
		env := map[string]string{"SECOND_INSTANCE_TOKEN": "1", config.EnvPrefix + "OPERATOR_TOKEN": "2", config.EnvPrefix + "FOREIGN_TOKEN": "3"}
		read, err := resolved(t, nil, env, text)
		if err != nil {
			t.Fatalf("%s: %v in\n%s", row.Name, err, text)
		}
		if read.executorURL != "http://127.0.0.1:1/a b" || read.instance != hostile || read.profile != row.Name || read.tenant != "12" || len(read.allowHost) != 2 {
			t.Errorf("%s: read as %q, %q, %q, %q, %q", row.Name, read.executorURL, read.instance, read.profile, read.tenant, read.allowHost)
		}
		if len(read.configured.Hooks) != 1 || read.configured.Hooks["second-instance"].Value != any(hostile) {
			t.Errorf("%s: the hooks are %+v", row.Name, read.configured.Hooks)
		}
		if err := compiledSchema(t, "config").Validate(asJSON(t, text)); err != nil {
			t.Errorf("%s: %v", row.Name, err)
		}

		// Every entry that is a comment is one that can be used.
		var used strings.Builder
		for line := range strings.Lines(text) {
			entry := strings.TrimPrefix(strings.TrimLeft(line, " "), "# ")
			if strings.HasPrefix(line, "  second-instance:") || strings.HasPrefix(line, "allow-host:") {
				continue // stands there twice then
			}
			if indent := line[:len(line)-len(strings.TrimLeft(line, " "))]; indent != "" && !strings.HasPrefix(entry, "+") && !strings.HasPrefix(entry, "Seen") {
				line = indent + entry
			} else if strings.HasPrefix(line, "# max-wait") || strings.HasPrefix(line, "# jwks") || strings.HasPrefix(line, "# allow-host") {
				line = entry
			}
			used.WriteString(line)
		}
		if read, err = resolved(t, nil, env, used.String()); err != nil {
			t.Fatalf("%s: %v in\n%s", row.Name, err, used.String())
		}
		hooks := 0
		for _, h := range row.Hooks {
			if h.Name != "client-cert" { // it is given by flags
				hooks++
			}
		}
		if len(read.configured.Hooks) != hooks || len(read.configured.Cues) != len(row.Cues) || len(read.configured.Tokens) != 2 || read.maxWait == 0 {
			t.Errorf("%s: all entries are read as %+v", row.Name, read.configured)
		}
	}
}
