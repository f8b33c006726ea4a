// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/demo"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// longWaits are tests that a run spends most of its time with; they do nothing that others do not do as well.
var longWaits = []string{"PUSH-019", "SSE-011", "PTY-081", "PTY-126"}

// longTails are tests behind all others that two runs wait for, the one after the other, for half of their time. More runs play
// them, too.
var longTails = []string{"A2A-SEC-013", "A2A-STREAM-006", "A2A-STREAM-017"}

// byPace are tests that are measured where the machine prints some megabytes in time, and else skipped, which is a matter of chance beside other tests.
// More runs, which are played alone, play them too.
var byPace = []string{"PTX-061"}

var (
	rowRuns   = flag.Int("row-runs", 2, "runs that TestRunsInARow plays on one executor of each profile")
	rowFaults = flag.String("row-faults", "", "comma-separated faults of the executor of TestRunsInARow; the profile is the one that has them")
	rowShows  = flag.Bool("row-shows", false, "let TestRunsInARow keep all exchanges, which is half of its work, and name the tests whose task goes on")
)

// TestRunsInARow: on one executor, on one folder of data, all runs come to the same report, whatever the order of the tests
// and however many are at work at once, and none leaves a task that goes on, a push configuration, an instance or a terminal
// session behind. More runs, and executors with faults, whose runs have to come to the same outcomes:
//
//	go test ./cmd/agentic-sandbox-conformance -run TestRunsInARow -v -timeout 2h -args -row-runs 50 -row-faults NAME,NAME
func TestRunsInARow(t *testing.T) {
	for profile, server := range referenceServers {
		var faults []string
		if *rowFaults != "" {
			faults = strings.Split(*rowFaults, ",")
			if knownFaultsOf(profile, selftest.Faults(profile), faults) != nil {
				continue
			}
		}
		t.Run(profile, func(t *testing.T) {
			if profile != demo.OpenHandsProfile { // whose runs ask so much that the others would have to wait for the machine
				t.Parallel()
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			o, err := server.demo(ctx, faults, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(o.Close)
			target, err := o.Target(ctx)
			if err != nil {
				t.Fatal(err)
			}
			shown := map[string][]byte{} // by test: its evidence
			var first string
			outcomes := map[string]report.Outcome{} // of the first run
			for i := range *rowRuns {
				run := runInARow(ctx, t, profile, target, i, faults == nil)
				for k := range run.Results {
					r := &run.Results[k]
					if i == 0 {
						outcomes[r.ID] = r.Outcome
					} else if outcomes[r.ID] != r.Outcome {
						t.Logf("run %d: %s ended as %s, and as %s before: %+v %+v", i+1, r.ID, r.Outcome, outcomes[r.ID], r.Findings, r.Reason)
					}
					evidence, err := json.Marshal(r.Evidence)
					if err != nil {
						t.Fatal(err)
					}
					shown[r.ID] = append(shown[r.ID], evidence...)
					r.Evidence = nil // which is not the same twice
				}
				said := rowReport(t, run, faults == nil)
				t.Logf("run %d of %d has ended: %s", i+1, *rowRuns, run.Verdict)
				if i == 0 {
					first = said
				} else if diff := cmp.Diff(first, said); diff != "" {
					t.Errorf("run %d differs from the first (-first +this one):\n%s", i+1, diff)
				}
			}
			if profile == defaultProfile && faults == nil {
				administrator{target}.nothingIsLeft(t, shown)
			}
		})
	}
}

// runInARow plays one of the runs: the first as a demo does, those after it in an order of their own, every fourth with few
// tests at once. On a correct executor nothing but passes and skips is right.
func runInARow(ctx context.Context, t *testing.T, name string, target runner.Target, number int, correct bool) *report.Run {
	t.Helper()
	profile, err := loadProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	options := runner.Options{
		Select: func(test *suites.Test) bool {
			return !slices.Contains(longWaits, test.ID) && (*rowRuns > 2 || !slices.Contains(slices.Concat(longTails, byPace), test.ID))
		},
		Evidence: "none", Jobs: demoJobs, Rate: demoRate, Shuffle: number > 0, Seed: uint64(number + 1),
	}
	if *rowShows {
		options.Evidence = "all"
	}
	if number%4 == 3 {
		options.Jobs = 2
	}
	run, err := runner.Run(ctx, profile, target, options)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range run.Results {
		if correct && r.Outcome != report.Pass && r.Outcome != report.Skip {
			t.Errorf("run %d: %s ended as %s, want a pass: %+v %+v", number+1, r.ID, r.Outcome, r.Findings, r.Reason)
		}
	}
	return run
}

// rowReport is what two runs have to agree on: all that a report says, or, where faults are at work, all outcomes and the
// roots that lead the report.
func rowReport(t *testing.T, run *report.Run, whole bool) string {
	t.Helper()
	if !whole {
		var lines []string
		for _, r := range run.Results {
			lines = append(lines, fmt.Sprintf("%s %s", r.ID, r.Outcome))
		}
		for _, c := range report.Normalise(run).Causes {
			lines = append(lines, fmt.Sprintf("cause %s %s: %v", c.Kind, c.ID, c.Tests))
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	for i := range run.Results { // how long work takes beside other tests is a matter of chance, and no verdict
		r := &run.Results[i]
		r.Notes = slices.DeleteFunc(r.Notes, func(note string) bool {
			return strings.Contains(note, "was not measured (task-ended-too-fast)") || strings.Contains(note, "was not measured (busy-machine)")
		})
	}
	var text bytes.Buffer
	if err := report.WriteJSON(&text, report.Normalise(run).Settled()); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// An administrator looks at what the runs have left on the executor.
type administrator struct{ runner.Target }

// ask is a GET with the token of the administrator.
func (a administrator) ask(t *testing.T, path string) map[string]any {
	asked, err := http.NewRequest(http.MethodGet, target.RootOf(a.ExecutorURL)+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	asked.Header.Set("Authorization", "Bearer "+a.Tokens["admin"])
	answer, err := http.DefaultClient.Do(asked)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var v map[string]any
	if err := json.NewDecoder(answer.Body).Decode(&v); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: status %d, %v", path, answer.StatusCode, err)
	}
	return v
}

func (a administrator) nothingIsLeft(t *testing.T, shown map[string][]byte) {
	items, _ := a.ask(t, "/api/v2/admin/instances")["items"].([]any)
	if len(items) != 2 {
		t.Errorf("there are %d instances, want the 2 of before: %v", len(items), items)
	}
	if left, _ := a.ask(t, "/operator/sessions")["sessions"].([]any); len(left) > 0 {
		t.Errorf("%d terminal sessions are left: %v", len(left), left)
	}
	tasks, left := 0, 0
	for _, item := range items {
		api := "/agents/" + item.(map[string]any)["id"].(string) + "/v1/tasks"
		for cursor := ""; ; {
			page := a.ask(t, api+"?limit=100"+cursor)
			list, _ := page["tasks"].([]any)
			for _, task := range list {
				tasks++
				if !a.taskIsOver(t, api, task.(map[string]any), shown) {
					left++
				}
			}
			next, more := page["next_cursor"].(string)
			if !more {
				break
			}
			cursor = "&cursor=" + next
		}
	}
	if left > 0 {
		t.Errorf("%d tasks go on", left)
	}
	if tasks < 200 {
		t.Errorf("the runs have left %d tasks to look at, want some hundreds", tasks)
	}
}

// taskIsOver says whether a task has ended.
func (a administrator) taskIsOver(t *testing.T, api string, task map[string]any, shown map[string][]byte) bool {
	id, _ := task["id"].(string)
	status, _ := task["status"].(map[string]any)
	switch status["state"] {
	case "completed", "failed", "canceled", "rejected":
	default:
		left := a.ask(t, api+"/"+id)
		t.Logf("a task goes on, of %q: %v", testsThatShow(left["contextId"], shown), left)
		return false
	}
	if list := a.ask(t, api+"/"+id+"/pushNotificationConfigs"); !isEmpty(list) {
		t.Errorf("the task %s still has push configurations: %v", id, list)
	}
	return true
}

// isEmpty says whether a list answers without anything in it.
func isEmpty(page map[string]any) bool {
	for _, v := range page {
		if list, is := v.([]any); is {
			return len(list) == 0
		}
	}
	return false
}

// testsThatShow are the tests whose evidence holds a text, to tell whose task was left.
func testsThatShow(text any, shown map[string][]byte) []string {
	var ids []string
	for id, evidence := range shown {
		if bytes.Contains(evidence, fmt.Appendf(nil, "%v", text)) {
			ids = append(ids, id)
		}
	}
	return ids
}
