// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/spent"
)

// Spent shows where the time of a run went, stage by stage.
func (p *Progress) Spent(stages []spent.Stage) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.print(strings.TrimRight(spentTable(stages), "\n"))
}

// spentTable is that as a table with one line a stage. What tests do side by side counts for each of them, so that only the first
// column adds up to the time of the run.
func spentTable(stages []spent.Stage) string {
	var all time.Duration
	for _, s := range stages {
		all += s.Took
	}
	var b bytes.Buffer
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "where the time went\t%s\ttests\twaits of the contract\tanswers\tthe rest\tlongest test\tlongest wait\n", seconds(all))
	for _, s := range stages {
		fmt.Fprintf(t, "  %s\t%s\t%d\t%s\t%s\t%s\t%s %s\t%s %s\n", s.Name, seconds(s.Took), s.Tests, seconds(s.Waits), seconds(s.Answers), seconds(s.Rest),
			s.Longest, seconds(s.LongestTook), s.Waiter, seconds(s.LongestWait))
	}
	t.Flush()
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// seconds writes a time to a hundredth of a second.
func seconds(d time.Duration) string { return fmt.Sprintf("%.2fs", d.Seconds()) }
