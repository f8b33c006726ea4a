// SPDX-License-Identifier: Apache-2.0

package overview

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// What is kept of the texts of a run, in characters.
const (
	maxSays    = 300
	maxName    = 200
	maxAddress = 500
)

// maxDuration is the longest run there is, in milliseconds: what a report says of more is no time that can be reckoned with.
const maxDuration = 1 << 32

// A Builder makes an overview of runs that come one at a time. It may be used by many goroutines at once.
type Builder struct {
	mu       sync.Mutex
	list     List
	entries  []Entry
	notes    []Note
	profiles map[string]*known
	words    map[string]string // texts that many runs have in common, each kept once
}

// known is what is known of a profile.
type known struct {
	order []string
	tests map[string]Test
}

// NewBuilder makes an overview of a list of targets, none of which has been played yet. entries say who they are, each with a Missing
// that holds until its run is added.
func NewBuilder(list List, entries []Entry) *Builder {
	list.SHA256, list.Shard = show.Brief(list.SHA256, maxName), show.Brief(list.Shard, maxName)
	b := &Builder{list: list, entries: append([]Entry{}, entries...), profiles: map[string]*known{}, words: map[string]string{}}
	for i := range b.entries {
		e := &b.entries[i]
		e.Verdict, e.Heading = report.Incomplete, "NOT PLAYED"
		e.Name, e.URL, e.Profile, e.Missing = show.Brief(e.Name, maxName), show.Brief(e.URL, maxAddress), show.Brief(e.Profile, maxName), show.Brief(e.Missing, maxAddress)
		labels := map[string]string{}
		for name, value := range e.Labels {
			labels[show.Brief(name, maxName)] = show.Brief(value, maxName)
		}
		e.Labels = labels
	}
	return b
}

// Note adds what is to be known about the runs.
func (b *Builder) Note(kind, text string, open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes = append(b.notes, Note{show.Brief(kind, maxName), show.Brief(text, 1000), open})
}

// Lack says why nothing is known of a target of the list; at is its place among the entries.
func (b *Builder) Lack(at int, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.entries[at].Missing = show.Brief(why, 500)
}

// Add takes in the run against a target; at is its place among the entries. Nothing of the run is kept but what the overview shows.
func (b *Builder) Add(at int, run report.Settled, shard string, reports []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := &b.entries[at]
	e.Missing, e.Shard, e.Reports = "", b.word(shard, maxName), reports
	e.URL, e.InstanceID, e.Profile = b.word(run.Target.ExecutorURL, maxAddress), b.word(run.Target.InstanceID, maxName), b.word(run.Suites.Profile, maxName)
	e.Verdict, e.Heading, e.Because = run.Verdict, show.Brief(run.ShortHeading(), maxName), show.Brief(run.Because, 500)
	started := run.StartedAt
	e.StartedAt, e.DurationMS = &started, min(max(run.DurationMS, 0), maxDuration)
	e.Version = &Version{Tool: report.Tool{Name: b.word(run.Tool.Name, maxName), Version: b.word(run.Tool.Version, maxName), Commit: b.word(run.Tool.Commit, maxName)},
		Digest: b.word(run.Suites.Digest, maxName), Contract: b.word(run.Suites.Contract.Revision(), maxName)}
	e.Summary = run.Summary
	e.Surfaces, e.Found, e.Passed, e.Skipped, e.Causes = map[string]report.Summary{}, nil, nil, map[string][]string{}, nil
	seen := map[string]bool{}
	for i := range run.Results {
		r := &run.Results[i]
		t := b.test(e.Profile, r)
		if seen[t.ID] {
			continue // the second of two tests that a report gives one id cannot be told from the first
		}
		seen[t.ID] = true
		surface := e.Surfaces[t.Surface]
		surface.Add(r)
		e.Surfaces[t.Surface] = surface
		b.result(e, t.ID, r)
	}
	for i := range run.Causes {
		if c := &run.Causes[i]; c.Kind != report.CauseBlocked && fails(run, c) {
			e.Causes = append(e.Causes, Cause{Profile: e.Profile, Says: b.word(c.Says, maxSays), Fix: b.word(c.Fix, maxSays), Tests: len(c.Tests)})
		}
	}
}

// fails says whether a test of the cause has failed.
func fails(run report.Settled, c *report.Cause) bool {
	return slices.ContainsFunc(run.Results, func(r report.Result) bool { return r.Cause == c.ID && r.Outcome == report.Fail && !r.Waived() })
}

// result notes what became of a test.
func (b *Builder) result(e *Entry, id string, r *report.Result) {
	switch {
	case r.Outcome == report.Pass:
		e.Passed = append(e.Passed, id)
	case r.Outcome == report.Skip:
		code := "no-reason-given"
		if r.Reason != nil && r.Reason.Code != "" {
			code = b.word(r.Reason.Code, maxName)
		}
		e.Skipped[code] = append(e.Skipped[code], id)
	case r.Blocked():
		e.Found = append(e.Found, Found{ID: id, Outcome: report.Blocked, Says: b.word(cmp.Or(r.BlockedBy(), r.ReasonText()), maxSays)})
	default:
		e.Found = append(e.Found, Found{ID: id, Outcome: r.Outcome, Waived: r.Waived(), Says: b.word(r.Headline(), maxSays)})
	}
}

// test notes that the profile has the test.
func (b *Builder) test(profile string, r *report.Result) Test {
	p := b.profiles[profile]
	if p == nil {
		p = &known{tests: map[string]Test{}}
		b.profiles[profile] = p
	}
	id := show.Brief(r.ID, maxName)
	t, is := p.tests[id]
	if !is {
		t = Test{ID: strings.Clone(id), Name: b.word(r.Name, maxName), Surface: b.word(r.Surface, maxName), Level: b.word(r.Level, maxName), Requirement: b.word(r.Requirement, maxSays)}
		p.tests[t.ID] = t
		p.order = append(p.order, t.ID)
	}
	return t
}

// word is a text, made safe to show on one line and cut, of which one copy serves all runs. It is no part of the run's own memory.
func (b *Builder) word(text string, most int) string {
	text = show.Brief(text, most)
	if kept, is := b.words[text]; is {
		return kept
	}
	text = strings.Clone(text)
	b.words[text] = text
	return text
}

// Overview is what the runs come to that were added so far. tool is the program that writes it.
func (b *Builder) Overview(tool report.Tool) *Overview {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := &Overview{Schema: Schema, Tool: tool, List: b.list, Notes: slices.Clone(b.notes), Broken: []Broken{}, Profiles: []Profile{}, Entries: append([]Entry{}, b.entries...)}
	for i := range o.Entries {
		e := &o.Entries[i]
		o.count(e)
		if e.Missing != "" {
			e.Because = e.Missing
		}
	}
	o.profiles(b.profiles)
	o.broken()
	o.causes()
	o.versions()
	o.conclude()
	slices.SortStableFunc(o.Entries, worstFirst)
	return o
}

// count counts a target, and the time in which it was played.
func (o *Overview) count(e *Entry) {
	c := &o.Counts
	switch {
	case e.Missing != "":
		c.Missing++
		return
	case e.Verdict == report.Passed:
		c.Pass++
	case e.Verdict == report.Failed:
		c.Fail++
	case e.Verdict == report.Unreachable:
		c.Unreachable++
	case e.Verdict == report.Unauthorized:
		c.Unauthorized++
	default:
		c.Incomplete++
	}
	s, all := e.Summary, &o.Summary
	all.Pass, all.Fail, all.Warn, all.Skip, all.Blocked, all.Waived = all.Pass+s.Pass, all.Fail+s.Fail, all.Warn+s.Warn, all.Skip+s.Skip, all.Blocked+s.Blocked, all.Waived+s.Waived
	if o.StartedAt == nil {
		o.StartedAt = e.StartedAt
	}
	ends := o.StartedAt.Add(time.Duration(o.DurationMS) * time.Millisecond)
	if e.StartedAt.Before(*o.StartedAt) {
		o.StartedAt = e.StartedAt
	}
	if end := e.StartedAt.Add(time.Duration(e.DurationMS) * time.Millisecond); end.After(ends) {
		ends = end
	}
	o.DurationMS = ends.Sub(*o.StartedAt).Milliseconds()
}

// profiles lists what was asked, by id and by name: in an order that does not depend on which run has ended first.
func (o *Overview) profiles(all map[string]*known) {
	for name, p := range all {
		profile := Profile{Name: name, Surfaces: []string{}, Tests: []Test{}}
		order := slices.Clone(p.order)
		slices.Sort(order)
		for _, id := range order {
			profile.Tests = append(profile.Tests, p.tests[id])
			if s := p.tests[id].Surface; !slices.Contains(profile.Surfaces, s) {
				profile.Surfaces = append(profile.Surfaces, s)
			}
		}
		slices.Sort(profile.Surfaces)
		o.Profiles = append(o.Profiles, profile)
	}
	slices.SortFunc(o.Profiles, func(a, b Profile) int { return cmp.Compare(a.Name, b.Name) })
}

// rank orders targets: the worst first.
func rank(e *Entry) int {
	switch {
	case e.Missing != "":
		return 3
	case e.Verdict == report.Failed:
		return 0
	case e.Verdict == report.Unreachable:
		return 1
	case e.Verdict == report.Unauthorized:
		return 2
	case e.Verdict == report.Passed:
		return 5
	}
	return 4
}

func worstFirst(a, b Entry) int {
	return cmp.Or(rank(&a)-rank(&b), b.Summary.Fail-a.Summary.Fail, b.Summary.Blocked-a.Summary.Blocked, a.Index-b.Index)
}
