// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// TestWhatStepsLackIsAReasonToSkip: a test that takes a terminal session, tries versions of TLS or listens to webhooks does not
// apply to every target.
func TestWhatStepsLackIsAReasonToSkip(t *testing.T) {
	t.Parallel()
	const (
		session = "there is no terminal session left to take (--session names some, the hook create-session makes them), and the target makes none"
		webhook = "the target is on another machine, and the hook webhook is not configured (hooks: in the configuration file)"
	)
	take := &suites.Step{Do: suites.Hook{Name: "session"}}
	for _, test := range []struct {
		name  string
		steps []*suites.Step
		want  []string
	}{
		{"a request", []*suites.Step{{Do: suites.Request{Method: "GET", URL: "u"}}}, nil},
		{"a session, twice", []*suites.Step{take, take}, []string{session}},
		{"a session in shared steps", []*suites.Step{{Do: suites.Use{Name: "a", Steps: []*suites.Step{take}}}}, []string{session}},
		{"a session in steps that may be left out", []*suites.Step{{Do: suites.Use{Name: "a", Optional: true, Steps: []*suites.Step{take}}}}, nil},
		{"a session of each client", []*suites.Step{{Do: suites.Together{Clients: 2, Steps: []*suites.Step{take}}}}, []string{session}},
		{"versions of TLS", []*suites.Step{{Do: suites.Hook{Name: "tls-versions"}}}, []string{"the card is not served over TLS"}},
		{"webhooks", []*suites.Step{{Do: suites.Listen{Name: "hooks"}}}, []string{webhook}},
		{"what the run has seen", []*suites.Step{{Do: suites.Hook{Name: "whole-run"}}}, nil},
		{"what stands among the needs anyway", []*suites.Step{{Do: suites.Hook{Name: "instance-token"}}, {Do: suites.Hook{Name: "restart"}}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := unmet(test.steps); !slices.Equal(got, test.want) {
				t.Errorf("the reasons are %q, want %q", got, test.want)
			}
		})
	}
	for need, want := range map[string]string{
		"hook:restart":     "the hook restart is not configured (hooks: in the configuration file)",
		"cue:failed":       "the cue failed is not configured (cues: in the configuration file)",
		"hook:client-cert": "the run has no client certificate (--cert and --key), or the target is not reached over TLS",
	} {
		if got := notConfigured(need); got != want {
			t.Errorf("of %s is said %q, want %q", need, got, want)
		}
	}
}

// TestReasonsSayWhatTheyMean: a reason that is found out while a test runs stands with what it means, where that is known.
func TestReasonsSayWhatTheyMean(t *testing.T) {
	t.Parallel()
	known := Program{Means: func(reason string) string {
		if reason == "slow" {
			return "waits longer than `--max-wait` allows"
		}
		return ""
	}}
	for _, test := range []struct {
		program      Program
		reason, want string
	}{
		{known, "slow", "slow (decided at run time): waits longer than --max-wait allows"},
		{known, "no-one-knows", "no-one-knows (decided at run time)"},
		{Program{}, "slow", "slow (decided at run time)"},
	} {
		if got := test.program.decided(test.reason); got != test.want {
			t.Errorf("%s is told as %q, want %q", test.reason, got, test.want)
		}
	}
}
