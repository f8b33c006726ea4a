// SPDX-License-Identifier: Apache-2.0

package reporttest

import (
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
)

// fleetEntry is a target of the sample fleet.
func fleetEntry(i int, name string, labels map[string]string) overview.Entry {
	return overview.Entry{Index: i, Name: name, URL: "https://" + name + ".example/", Labels: labels, Missing: "shard 1/2 is missing"}
}

// fleetRun is a run of the sample fleet: three tests on two surfaces.
func fleetRun(name string, outcomes ...report.Outcome) report.Settled {
	run := &report.Run{
		Tool: report.Tool{Name: "agentic-sandbox-conformance", Version: "v1.2.3"}, Suites: report.SuiteSet{Profile: "agentic-sandbox-v2", Digest: "d1", Contract: &report.Contract{SHA256: "c1"}},
		Target: report.Target{ExecutorURL: "https://" + name + ".example/"}, StartedAt: time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC), DurationMS: 1500, Verdict: report.Passed,
	}
	for i, t := range []report.Result{
		{ID: "CARD-001", Name: "card_is_served", Surface: "card", Level: "MUST", Requirement: "serve a card"},
		{ID: "TASK-001", Name: "tasks_have_ids", Surface: "tasks", Level: "MUST", Requirement: "give every task an id"},
		{ID: "TASK-002", Name: "tasks_can_be_listed", Surface: "tasks", Level: "SHOULD", Requirement: "list its tasks"},
	} {
		t.Outcome = outcomes[i]
		switch t.Outcome {
		case report.Fail, report.Warn:
			t.Findings = []report.Finding{{Subject: "status", Observed: "500", Expected: "200", Problem: "status is 500, want 200", Severity: t.Outcome}}
		case report.Skip:
			t.Reason = &report.Reason{Code: "no-hook:restart", Detail: "the hook is not configured"}
		case report.Blocked:
			t.Reason = &report.Reason{Code: "blocked", Detail: "no task could be made", Cause: "no task"}
		}
		run.Results = append(run.Results, t)
	}
	return run.Settled()
}

// Fleet is an overview with everything in it: what all break, what one breaks, what is missing, and what was played by another version.
func Fleet() *overview.Overview {
	b := overview.NewBuilder(overview.List{SHA256: "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8", Targets: 6}, []overview.Entry{
		fleetEntry(0, "eu-west", map[string]string{"region": "eu", "stage": "production"}), fleetEntry(1, "us-east", map[string]string{"region": "us"}),
		fleetEntry(2, "ap-south", nil), fleetEntry(3, "staging", nil), fleetEntry(4, "idle", nil), fleetEntry(5, "gone", nil),
	})
	b.Add(0, fleetRun("eu-west", report.Fail, report.Pass, report.Warn), "0/2", []string{"shard-0-of-2/eu-west/conformance.report.md", "shard-0-of-2/eu-west/conformance.report.json"})
	b.Add(1, fleetRun("us-east", report.Fail, report.Fail, report.Blocked), "0/2", nil)
	other := fleetRun("staging", report.Fail, report.Pass, report.Skip)
	other.Tool.Version = "v1.2.2"
	b.Add(3, other, "0/2", nil)
	unreachable := fleetRun("idle", report.Skip, report.Skip, report.Skip)
	unreachable.Verdict, unreachable.Because = report.Unreachable, "nothing listens at idle.example:443"
	b.Add(4, unreachable.Settled(), "0/2", nil)
	b.Note(overview.NoteMissing, "1 shard is missing: 1/2; play what is missing with --shard, and merge again", true)
	return b.Overview(report.Tool{Name: "agentic-sandbox-conformance", Version: "v1.2.3"})
}

// FleetOfPasses is an overview of two targets that keep the contract.
func FleetOfPasses() *overview.Overview {
	b := overview.NewBuilder(overview.List{SHA256: "00", Targets: 2}, []overview.Entry{fleetEntry(0, "a", nil), fleetEntry(1, "b", nil)})
	b.Add(0, fleetRun("a", report.Pass, report.Pass, report.Skip), "", nil)
	b.Add(1, fleetRun("b", report.Pass, report.Pass, report.Pass), "", nil)
	return b.Overview(report.Tool{Name: "agentic-sandbox-conformance", Version: "v1.2.3"})
}

// HostileFleet is an overview in which every text of a target is an attack on whoever shows it.
func HostileFleet() *overview.Overview {
	evil := "<script>alert(1)</script> ](javascript:x) `|` \x1b[31m ::error::x \u202e @all https://evil.example & ]]>"
	b := overview.NewBuilder(overview.List{SHA256: evil, Targets: 1, Shard: evil}, []overview.Entry{{Name: evil, URL: evil, Labels: map[string]string{evil: evil}, Missing: evil}, {Index: 1, Name: "b", Missing: evil}, {Index: 2, Name: "c"}})
	for i := range 2 {
		run := HostileRun()
		run.Target.ExecutorURL, run.Target.InstanceID, run.Tool.Version, run.Suites.Digest, run.Suites.Profile = evil, evil, evil, evil, evil
		run.Because = evil
		for k := range run.Results {
			run.Results[k].Surface += evil
			run.Results[k].Requirement += evil
		}
		b.Add(i, run.Settled(), evil, []string{"../../etc/passwd", "javascript:alert(1)", "b/conformance.report.html"})
	}
	b.Lack(2, evil)
	b.Note(evil, evil, true)
	return b.Overview(report.Tool{Name: evil, Version: evil})
}
