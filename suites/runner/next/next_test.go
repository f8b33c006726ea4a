// SPDX-License-Identifier: Apache-2.0

package next

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// TestSteps: what to configure first, and how much each step adds given those before it. A row of lacks is a test with what it lacks;
// ways are separated by a slash.
func TestSteps(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		lacks []string
		want  string
	}{
		"nothing is lacking": {nil, "nothing"},
		"the one that adds most comes first": {
			[]string{"cue:failed", "token:admin", "token:admin", "token:admin", "cue:failed"},
			"+3 token:admin = 13, +2 cue:failed = 15",
		},
		"what two things are needed for is counted under the later one": {
			[]string{"token:admin", "token:admin", "token:admin hook:provision", "hook:provision", "token:admin hook:provision"},
			"+2 token:admin = 12, +3 hook:provision = 15",
		},
		"what alone helps nobody is one step": {
			[]string{"hook:disks hook:restart", "hook:disks hook:restart", "cue:failed"},
			"+1 cue:failed = 11, +2 hook:disks hook:restart = 13",
		},
		"two things that help many come before one that helps few": {
			[]string{"hook:disks hook:restart", "hook:disks hook:restart", "hook:disks hook:restart", "cue:failed"},
			"+3 hook:disks hook:restart = 13, +1 cue:failed = 14",
		},
		"the half of two that helps as much by itself goes first": {
			[]string{"hook:restart", "hook:restart", "hook:restart hook:disks"},
			"+2 hook:restart = 12, +1 hook:disks = 13",
		},
		"two things that help together come one after the other where the first helps by itself": {
			[]string{"hook:restart", "hook:restart hook:disks", "hook:restart hook:disks", "cue:failed"},
			"+1 hook:restart = 11, +2 hook:disks = 13, +1 cue:failed = 14",
		},
		"one of several rows is enough": {
			[]string{"cue:failed/cue:completed", "cue:completed"},
			"+2 cue:completed = 12; cases of T-001 by cue:failed",
		},
		"a row that needs more is not waited for": {
			[]string{"cue:failed hook:restart/cue:completed"},
			"+1 cue:completed = 11; cases of T-001 by cue:failed hook:restart",
		},
		"of equals the one with the first name": {
			[]string{"token:observe", "hook:restart", "cue:failed"},
			"+1 cue:failed = 11, +1 hook:restart = 12, +1 token:observe = 13",
		},
		"of equals the one that others ask for, too": {
			[]string{"cue:adapter-broken/cue:adapter-completed", "cue:adapter-completed cue:adapter-prints"},
			"+1 cue:adapter-completed = 11, +1 cue:adapter-prints = 12; cases of T-001 by cue:adapter-broken",
		},
		"a test counts once": {
			[]string{"token:admin token:admin"},
			"+1 token:admin = 11",
		},
		"a statement is no step": {
			[]string{"hook:storage", "hook:restart"},
			"+1 hook:restart = 11; if +1 hook:storage = 12",
		},
		"statements are counted by themselves, as if all steps were done": {
			[]string{"hook:shell-session hook:create-session", "hook:shell-session hook:create-session", "hook:echo-session hook:create-session", "hook:create-session"},
			"+1 hook:create-session = 11; if +2 hook:shell-session = 13, +1 hook:echo-session = 12",
		},
		"what helps with a statement only is said beside it": {
			[]string{"hook:storage hook:restart"},
			"; if +1 hook:restart hook:storage = 11",
		},
	} {
		plan := Plan{Measured: 10, Entries: Entries{Profile: profiles.Of(profiles.Default)}}
		for i, lacks := range row.lacks {
			l := Lacking{ID: fmt.Sprintf("T-%03d", i+1)}
			for way := range strings.SplitSeq(lacks, "/") {
				l.Ways = append(l.Ways, strings.Fields(way))
			}
			plan.Lacking = append(plan.Lacking, l)
		}
		out := plan.Steps()
		if got := reporttest.Next(out); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

// TestLines: what is shown can be pasted, and names secrets only.
func TestLines(t *testing.T) {
	t.Parallel()
	plan := Plan{Entries: Entries{Profile: profiles.Of(profiles.Default), MaxWait: "2m40s", Hosts: []string{"agent.example", "a\": [evil"}}}
	for i, name := range []string{"hook:create-session", "token:admin", "cue:failed", MaxWait, AllowHost, "hook:second-instance", "cue:adapter-completed"} {
		plan.Lacking = append(plan.Lacking, Lacking{ID: fmt.Sprint(i), Ways: [][]string{{name}}})
	}
	plan.Lacking = append(plan.Lacking, Lacking{ID: "x", Ways: [][]string{{"token:admin"}}})
	want := `# +1: hosts that the card names, which the credentials may be sent to
allow-host: ["agent.example", "a\": [evil"]
# +1: the longest wait that the contract makes a test take
max-wait: 2m40s
tokens:
  # +2: a token that opens the admin and v1 surfaces
  admin: ${AGENTIC_SANDBOX_CONFORMANCE_ADMIN_TOKEN}
hooks:
  # +1: prints the id of a new terminal session
  create-session: {command: [PROGRAM, ARGUMENT]}
  # +1: another instance of the same target
  second-instance: {value: {id: "INSTANCE-ID", token: "${SECOND_INSTANCE_TOKEN}"}}
cues:
  # +1: the path of a request file, as adapter-command/v1 allows it, for which the adapter exits with 0
  adapter-completed: "VALUE"
  # +1: the agent ends the task as failed, because of what it was asked to do and not because of a broken machine
  failed: "WHAT YOU WOULD TELL THE AGENT"
`
	if diff := cmp.Diff(want, plan.Steps().Lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// TestEveryEntryIsYAML: whatever can be configured for a profile has lines that are one entry of a file.
func TestEveryEntryIsYAML(t *testing.T) {
	t.Parallel()
	for _, p := range profiles.All {
		e := Entries{Profile: p, MaxWait: "15s", Hosts: []string{"agent.example"}}
		for _, name := range append(p.Configurable(), "token:instance", "token:admin", "token:operator", "token:observe", "token:foreign", MaxWait, AllowHost, ClientCert, JWKS) {
			if name == "hook:client-cert" {
				continue // given by flags
			}
			var root map[string]any
			text := e.lines([]string{name}, nil)
			if err := yaml.Unmarshal([]byte(text), &root); err != nil || len(root) == 0 {
				t.Errorf("%s, %s: %v in\n%s", p.Name, name, err, text)
			}
			if e.what([]string{name}) == "" || strings.Contains(text, "...") {
				t.Errorf("%s, %s is not said clearly:\n%s", p.Name, name, text)
			}
		}
	}
}
