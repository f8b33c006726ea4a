// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

func TestAnswers(t *testing.T) {
	t.Parallel()
	full := func() *report.Run {
		return &report.Run{
			StartedAt: time.Date(2026, 11, 21, 10, 30, 0, 0, time.FixedZone("CET", 3600)),
			Suites: report.SuiteSet{Profile: "agentic-sandbox-v2", Version: "5a5a", Digest: "5a5a5a",
				Contract: &report.Contract{Name: "the contract", Requirements: 495, Rulings: 1, SHA256: "0123456789abcdef"}},
			Target:  report.Target{ExecutorURL: "https://sandbox.example", CardName: "agent", CardVersion: "2.3", ImplCommit: "9b1deb4"},
			Results: []report.Result{{ID: "A-1", Outcome: report.Pass}},
		}
	}
	skipped := func(r *report.Run, code string, n int) {
		for range n {
			r.Results = append(r.Results, report.Result{Outcome: report.Skip, Reason: &report.Reason{Code: code}})
		}
		r.Summary.Skip += n
	}
	for _, row := range []struct {
		name   string
		change func(*report.Run)
		about  string
		want   string
	}{
		{"when, in UTC", nil, "Tested", "https://sandbox.example on 2026-11-21 09:30 UTC"},
		{"card and commit", nil, "Version", "agent 2.3 by its card, commit 9b1deb4"},
		{"no commit", func(r *report.Run) { r.Target.ImplCommit = "" }, "Version", "agent 2.3 by its card, commit not given, see --impl-commit"},
		{"no card", func(r *report.Run) { r.Target.CardName, r.Target.CardVersion = "", "" }, "Version", "commit 9b1deb4"},
		{"the contract", nil, "Contract", "the contract, revision 0123456789ab (495 requirements, 1 of them in this run, 1 ruling)"},
		{"all of the contract", func(r *report.Run) { r.Suites.Contract.Requirements = 1 }, "Contract", "the contract, revision 0123456789ab (1 requirement, 1 ruling)"},
		{"no contract", func(r *report.Run) { r.Suites.Contract = nil }, "Contract", "revision not recorded"},
		{"the suites", nil, "Suites", "agentic-sandbox-v2 whose digest begins with 5a5a5a"},
		{"the card decided", func(r *report.Run) {
			r.Suites.Chosen = &report.Chosen{By: report.ChosenByCard, Because: "the card at https://a.example/card.json declares A2A 1.0 over JSONRPC"}
		}, "Profile", "agentic-sandbox-v2 was decided by the card of the target, since none was named: the card at https://a.example/card.json declares A2A 1.0 over JSONRPC"},
		{"all measured", nil, "Not measured", "nothing: every test was played and judged"},
		{"no test", func(r *report.Run) { r.Results = nil }, "Not measured", "no test was run"},
		{"reasons, the most frequent first", func(r *report.Run) {
			for i, n := range []int{1, 3, 2, 1, 1, 1, 1} {
				skipped(r, fmt.Sprintf("reason-%d", i), n)
			}
			r.Results = append(r.Results, report.Result{Outcome: report.Blocked})
			r.Summary.Blocked = 1
		}, "Not measured", "11 of 12: 1 blocked by something that did not work, 3 reason-1, 2 reason-2, 5 for 5 other reasons, listed below"},
		{"no baseline", nil, "Baseline", "none: no broken requirement was accepted"},
		{"a baseline that is not recorded", func(r *report.Run) { r.Summary.Waived = 2 }, "Baseline", "not recorded; it has waived 2 failures"},
		{"a baseline that is not met", func(r *report.Run) {
			r.Policies = []report.Policy{{Kind: report.KindStrict, Name: "--strict", Met: true},
				{Kind: report.KindBaseline, Name: "known.yaml", Entries: []report.Accepted{{ID: "A-1", Status: report.EntryWaived}, {ID: "A-2", Status: report.EntryStale}}}}
		}, "Baseline", "known.yaml not met: 1 waived, 1 stale; waived: A-1"},
		{"what changed, without a baseline", nil, "Last release",
			"not compared; to see what changed: agentic-sandbox-conformance diff OLD.json NEW.json"},
		{"what changed since the baseline", func(r *report.Run) {
			r.Policies = []report.Policy{{Kind: report.KindBaseline, Name: "known.yaml", Entries: []report.Accepted{{ID: "A-2", Status: report.EntryStale}, {ID: "A-4", Status: report.EntryWaived}}}}
			r.Results = append(r.Results, report.Result{ID: "A-3", Outcome: report.Fail}, report.Result{ID: "A-4", Outcome: report.Fail, Waiver: &report.Waiver{}})
			r.Summary.Fail = 2
		}, "Last release", "broken, and not accepted by the baseline: A-3; no longer broken: A-2; to see the rest: agentic-sandbox-conformance diff OLD.json NEW.json"},
		{"nothing changed since the baseline", func(r *report.Run) {
			r.Summary.Pass = 1
			r.Policies = []report.Policy{{Kind: report.KindBaseline, Name: "known.yaml", Met: true}}
		}, "Last release", "nothing is broken that the baseline does not accept; to see the rest: agentic-sandbox-conformance diff OLD.json NEW.json"},
	} {
		r := full()
		if row.change != nil {
			row.change(r)
		}
		got := ""
		for _, a := range Answers(r) {
			if a.Question == row.about {
				got = a.Text()
			}
		}
		if got != row.want {
			t.Errorf("%s: %s is %q, want %q", row.name, row.about, got, row.want)
		}
	}
	for _, a := range Answers(full()) {
		if strings.TrimSpace(a.Text()) == "" {
			t.Errorf("nothing answers %s", a.Question)
		}
	}
}
