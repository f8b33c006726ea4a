// SPDX-License-Identifier: Apache-2.0

package runner_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/greeter"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// A profile more is a folder of suites and a row: nothing of the engine knows of greeters, of their hook and of their cues.
func TestAProfileIsAFolderAndARow(t *testing.T) {
	t.Parallel()
	folder, err := suites.LoadRow(greeter.Suites, greeter.Row)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		what       string
		everybody  bool
		configured bool
		want       string
	}{
		{"keeps it all", false, true, "GREET-001 pass\nGREET-002 pass\nGREET-003 pass\nGREET-004 pass"},
		{"greets everybody", true, true, "GREET-001 pass\nGREET-002 fail\nGREET-003 fail\nGREET-004 pass"},
		{"and nothing is configured", false, false, "GREET-001 pass\nGREET-002 pass\n" +
			"GREET-003 skip no-hook:forget: needs the hook forget; add it to the configuration file: hooks: {forget: {url: \"https://greeter.example/forget\"}}, which makes the greeter forget a name\n" +
			"GREET-004 skip no-cue:farewell: needs a word of parting; add it to the configuration file: cues: {farewell: \"...\"}"},
	} {
		t.Run(row.what, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(&greeter.Server{Everybody: row.everybody})
			defer server.Close()
			target := runner.Target{ExecutorURL: server.URL}
			if row.configured {
				target.Hooks = map[string]runner.Hook{"forget": {URL: server.URL + "/forget"}}
				target.Cues = map[string]any{"farewell": "bye"}
			}
			options := runner.Options{}
			run, err := runner.Start(t.Context(), greeter.Row, target, options).Play(folder, options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, verdicts(run)); diff != "" {
				t.Errorf("the verdicts (-want +got):\n%s", diff)
			}
		})
	}
}

// The rate of a profile bounds a run whose operator says none.
func TestTheRateOfAProfile(t *testing.T) {
	t.Parallel()
	folder, err := suites.LoadRow(greeter.Suites, greeter.Row)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&greeter.Server{})
	defer server.Close()
	row, options := greeter.Row, runner.Options{}
	row.Rate = 20
	began := time.Now()
	run, err := runner.Start(t.Context(), row, runner.Target{ExecutorURL: server.URL}, options).Play(folder, options)
	if err != nil {
		t.Fatal(err)
	}
	// The first look is three requests, and two tests are played: the first request need not wait.
	if took := time.Since(began); took < 4*time.Second/20 || run.Summary.Pass != 2 {
		t.Errorf("%d tests passed in %s", run.Summary.Pass, took)
	}
}

// verdicts are the outcomes of a run, with the reasons of what was skipped.
func verdicts(run *report.Run) string {
	var all []string
	for _, r := range run.Results {
		line := r.ID + " " + string(r.Outcome)
		if r.Reason != nil {
			line += " " + r.Reason.Code + ": " + r.Reason.Detail
		}
		all = append(all, line)
	}
	return strings.Join(all, "\n")
}
