// SPDX-License-Identifier: Apache-2.0

package html

import (
	"fmt"
	"io"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

// longRuns are runs of n results of the kinds of which there may be many.
var longRuns = map[string]func(n int) *report.Run{
	"passes":   func(n int) *report.Run { return reporttest.Many(n, report.Pass, "") },
	"failures": func(n int) *report.Run { return reporttest.Many(n, report.Fail, "") },
	"failures and blocked tests, each with a cause of its own": func(n int) *report.Run { return reporttest.ManyBroken(n/2, 1, 10) },
	"skips with reasons of their own": func(n int) *report.Run {
		run := reporttest.Many(n, report.Skip, "")
		for i := range run.Results {
			run.Results[i].Evidence, run.Results[i].Findings = nil, nil
			run.Results[i].Reason = &report.Reason{Code: fmt.Sprintf("no-hook:hook-%d", i), Detail: fmt.Sprintf("hook %d is not configured", i)}
		}
		return run
	},
	"results of one id": func(n int) *report.Run {
		run := reporttest.Many(n, report.Pass, "")
		for i := range run.Results {
			run.Results[i].ID = "SAME-001"
		}
		return run
	},
}

// Ten times as many results take ten times as much memory, not a hundred times: a page is linear in what it is about. It
// is no parallel test because allocations are counted for the whole process.
func TestHTMLIsLinearInItsResults(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes large reports")
	}
	for name, of := range longRuns {
		few, often := of(100), of(1_000)
		one := testing.AllocsPerRun(1, func() { _ = Write(io.Discard, few.Settled()) })
		ten := testing.AllocsPerRun(1, func() { _ = Write(io.Discard, often.Settled()) })
		if ten > 15*one {
			t.Errorf("%s: a page of 1,000 results makes %.0f allocations, one of 100 %.0f: %.1f times as many, want about 10 and at most 15", name, ten, one, ten/one)
		}
	}
}

// BenchmarkHTML says what a result costs in pages of different lengths: the figures of 6,000 and of 60,000 are to be
// alike.
func BenchmarkHTML(b *testing.B) {
	for name, of := range longRuns {
		for _, n := range []int{600, 6_000, 60_000} {
			run := of(n)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_ = Write(io.Discard, run.Settled())
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/result")
			})
		}
	}
}
