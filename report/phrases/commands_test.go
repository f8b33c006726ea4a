// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// The server of a demo is gone: the command starts it again, with the same faults, and names no flag that demo has not.
func TestADemoIsRepeatedAsADemo(t *testing.T) {
	t.Parallel()
	run := &report.Run{Target: report.Target{ExecutorURL: "http://127.0.0.1:40001/agents/x", StartedBy: []string{ToolName, "demo", "--profile", "a2a-1.0", "--fault", "a-fault"}},
		Flags: []report.Flag{{Name: "profile", Value: "a2a-1.0"}, {Name: "report-out", Value: "d/conformance.report.md"}, {Name: "run", Value: "A-1"}, {Name: "strict", Value: "true"}}}
	const want = ToolName + " demo --profile a2a-1.0 --fault a-fault \\\n  --run A-1 \\\n  --strict=true \\\n  --out rerun"
	if got := Command(run); got != want {
		t.Errorf("the command is %q, want %q", got, want)
	}
	if got := OneOf(run); got != "--run ID --out rerun/ID" {
		t.Errorf("one test is played with %q", got)
	}
}

// Whoever repeats the run by the command in a report still has that report afterwards.
func TestTheRunIsRepeatedElsewhere(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]report.Flag{
		nil,
		{{Name: "--report-out", Value: "k/r.md"}},
		{{Name: "report-out", Value: "conformance-report.md"}, {Name: "--seed", Value: "7"}},
	} {
		said := Command(&report.Run{Flags: flags})
		if strings.Count(said, "--report-out") != 1 || !strings.HasSuffix(said, "--report-out rerun/report.md") {
			t.Errorf("with %v the command is %q", flags, said)
		}
	}
}
