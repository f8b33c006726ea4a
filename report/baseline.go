// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
)

// A Baseline is the failures that the operator knows of and accepts for now.
type Baseline struct {
	Name    string // of the file, without folders
	SHA256  string // of the file, hex
	Day     string // on which the run is judged, UTC: "2026-11-22"
	Entries []Accepted
}

// An Accepted is one entry of a baseline, and what became of it.
type Accepted struct {
	ID      string      `json:"id"`
	Status  EntryStatus `json:"status"`
	Says    string      `json:"says"` // what became of it, in a sentence
	At      string      `json:"at"`   // where it stands: "baseline.yaml:3:5"
	Reason  string      `json:"reason"`
	Owner   string      `json:"owner"`
	Issue   string      `json:"issue,omitempty"`
	Expires string      `json:"expires"` // the last day it holds, UTC: "2027-01-31"
}

// An EntryStatus is what became of an entry of a baseline.
type EntryStatus string

// What can become of an entry.
const (
	EntryWaived      EntryStatus = "waived"       // the test failed, and the failure is accepted
	EntryStale       EntryStatus = "stale"        // the test does not fail any more; the policy is not met
	EntryExpired     EntryStatus = "expired"      // the test failed after the last day; the failure counts
	EntryNotMeasured EntryStatus = "not-measured" // skipped or blocked, so nobody knows
	EntryNotSelected EntryStatus = "not-selected" // the run left the test out
)

// expired reports whether the last day of the entry is over.
func (b *Baseline) expired(e *Accepted) bool { return b.Day > e.Expires }

// Waivers are the entries that are in force, by the id of their test.
func (b *Baseline) Waivers() map[string]Waiver {
	waivers := map[string]Waiver{}
	if b == nil {
		return waivers
	}
	for i := range b.Entries {
		if e := &b.Entries[i]; !b.expired(e) {
			waivers[e.ID] = Waiver{Reason: e.Reason, Owner: e.Owner, Issue: e.Issue, Expires: e.Expires}
		}
	}
	return waivers
}

// judge says what became of each entry, and which of them keep the policy from being met. A failure whose entry has
// expired gets a note that says so.
func (b *Baseline) judge(run *Run) (Policy, []string) {
	p := Policy{Kind: KindBaseline, Name: b.Name, SHA256: b.SHA256}
	results := map[string]*Result{}
	for i := range run.Results {
		results[run.Results[i].ID] = &run.Results[i]
	}
	var unmet []string
	for _, e := range b.Entries {
		r := results[e.ID]
		e.Status, e.Says = b.became(&e, r)
		switch e.Status {
		case EntryStale:
			unmet = append(unmet, e.Says)
		case EntryExpired:
			unmet = append(unmet, e.Says)
			r.Findings = append(r.Findings, Finding{At: e.At, Subject: "waiver", Observed: "expired after " + e.Expires,
				Problem: e.Says, Severity: Pass})
		}
		p.Entries = append(p.Entries, e)
	}
	return p, unmet
}

// became is what became of one entry, with the result of its test; nil when the test was not selected.
func (b *Baseline) became(e *Accepted, r *Result) (EntryStatus, string) {
	late := ""
	if b.expired(e) {
		late = fmt.Sprintf("; it expired after %s", e.Expires)
	}
	switch {
	case r == nil:
		return EntryNotSelected, e.ID + " was not selected, so nothing is known about its entry" + late
	case r.Waived():
		return EntryWaived, fmt.Sprintf("the failure of %s is accepted until %s", e.ID, e.Expires)
	case r.Outcome == Fail:
		return EntryExpired, fmt.Sprintf("the entry of %s at %s expired after %s, so its failure counts (owner %s)", e.ID, e.At, e.Expires, e.Owner)
	case r.Outcome == Pass || r.Outcome == Warn:
		return EntryStale, fmt.Sprintf("%s no longer fails, so its entry at %s is stale: remove it (owner %s)", e.ID, e.At, e.Owner) + late
	}
	why := "blocked"
	if r.Outcome == Skip {
		why = "skipped"
	}
	if r.Reason != nil {
		why = cmp.Or(r.Reason.Code, why)
	}
	return EntryNotMeasured, fmt.Sprintf("%s was not measured (%s), so nothing is known about its entry", e.ID, why) + late
}
