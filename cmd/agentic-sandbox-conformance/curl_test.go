// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/demo"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// lastStatus is the status of the last answer that curl has printed.
var lastStatus = regexp.MustCompile(`(?m)^HTTP/\S+ (\d+)`)

// TestCurlShowsWhatWasSeen: each command that a report prints under "by hand" is taken by a shell, and gets an answer with the
// status that the finding is about.
func TestCurlShowsWhatWasSeen(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"curl", "sh"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("the printed commands need " + tool)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	o, err := demo.StartExecutor(ctx, []string{"upgrade-refused", "card-redirects-twice", "malformed-json-is-a-server-error", "list-is-empty", "errors-as-plain-text",
		"stream-without-snapshot", "storage-dots-are-server-errors", "unknown-task-is-null"}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	target, err := o.Target(ctx)
	if err != nil {
		t.Fatal(err)
	}
	delete(target.Hooks, "end-session") // so that the sessions are there when the commands are tried
	profile, err := loadProfile(defaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	run, err := runner.Run(ctx, profile, target, runner.Options{Select: func(test *suites.Test) bool {
		return slices.Contains([]string{"CARD-001", "TASK-013", "TASK-012", "ERR-001", "ERR-008", "SSE-007", "ADM-007", "ADM-016", "PTY-022", "PTY-001", "PTY-011", "AUTH-003"}, test.ID)
	}})
	if err != nil {
		t.Fatal(err)
	}
	var met []report.Finding
	for i := range run.Results {
		met = append(met, run.Results[i].Findings...)
		if reason := run.Results[i].Reason; reason != nil && reason.Finding != nil {
			met = append(met, *reason.Finding)
		}
	}
	env := append(os.Environ(), "AGENTIC_SANDBOX_CONFORMANCE_TOKEN="+target.Tokens["instance"], "AGENTIC_SANDBOX_CONFORMANCE_ADMIN_TOKEN="+target.Tokens["admin"])
	tried := map[string]bool{}
	for _, f := range met {
		if f.Curl == "" || tried[f.Curl] {
			continue
		}
		tried[f.Curl] = true
		command := exec.CommandContext(ctx, "sh", "-c", strings.NewReplacer("--max-time 30", "--max-time 1", "--max-time 5", "--max-time 1").Replace(f.Curl))
		command.Env = env
		said, _ := command.Output() // a stream that is cut, and one redirect too many, are errors to curl
		answers := lastStatus.FindAllStringSubmatch(string(said), -1)
		status := 0
		if len(answers) > 0 {
			status, _ = strconv.Atoi(answers[len(answers)-1][1])
		}
		if status != f.Status {
			t.Errorf("%s is about status %d, and the command got %d: %s", f.At, f.Status, status, f.Curl)
		}
		for _, token := range target.Tokens {
			if strings.Contains(f.Curl, token) {
				t.Errorf("%s shows a token: %s", f.At, f.Curl)
			}
		}
	}
	if len(tried) < 10 {
		t.Errorf("%d commands were tried, want 10 and more of %d findings", len(tried), len(met))
	}
}
