// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

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
