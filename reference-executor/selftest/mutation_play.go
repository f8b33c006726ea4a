// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"context"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/mutants"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// firstLook is how many tests are played under a mutant before all that met its site are.
const firstLook = 10

// maxAgain is how often the tests are played again under a mutant that nothing met: what the contract leaves open the server chooses
// anew each time, the form of a stream or the white space of an answer, and so it need not be as it was when it was recorded.
const maxAgain = 2

// maxAlone is how many tests are played each by itself under a mutant of every third.
const maxAlone = 3

// maxWatching is how many of the tests that look at the whole run are played beside.
const maxWatching = 12

// A mutator plays mutants.
type mutator struct {
	*prover
	recording *mutants.Recording
	homes     map[string]deployment
	texts     map[string]string // of the tests, as their files say them
	weights   map[string]int

	// trial plays tests in a deployment under a mutant: withMutant.
	trial func(m mutants.Mutant, d deployment, ids []string) (mutants.Fate, *mutants.Finding, []string, error)

	learning sync.Mutex
	passes   map[string]bool           // by deployment and test: whether it passes there, once that was asked
	wholeRun map[string][]string       // tests that look at the whole run and pass in a deployment, once they are asked for
	killers  map[string]map[string]int // by site, kind and part: how often a test has killed there
}

// maxTests is how many of the tests that met a mutant's site are played under it, the likely ones first. Those behind are
// about other things, and only use it.
const maxTests = 40

// fate plays one mutant: first the tests that are most likely to see it, then the others that met its site; of one that may
// survive the first only.
func (p *mutator) fate(m mutants.Mutant, lawful bool) mutants.Result {
	return p.fateAmong(m, p.ranked(m, p.recording.Tests(m)), lawful)
}

// fateAmong plays one mutant with tests that met its site, those that are most likely to see it first.
func (p *mutator) fateAmong(m mutants.Mutant, ids []string, lawful bool) mutants.Result {
	began := time.Now()
	result := mutants.Result{ID: m.String(), Fate: mutants.Unreached}
	likely := ids[:min(firstLook, len(ids))]
	p.look(m, &result, likely, 0, maxWatching)
	if result.Fate != mutants.Killed && !lawful {
		seen := maxWatching
		if result.Fate == mutants.Unreached {
			seen = 0 // they had nothing to see: how long an answer is differs from one server to the next
		}
		ids = ids[:min(maxTests, len(ids))]
		p.look(m, &result, ids, seen, math.MaxInt)
		for again := 0; result.Fate == mutants.Unreached && again < maxAgain && len(ids) > 0; again++ {
			p.look(m, &result, ids, 0, math.MaxInt)
		}
		if m.Mode == mutants.Nth && result.Fate != mutants.Unreached {
			p.lookAlone(m, &result, ids)
		}
	}
	if result.Fate == mutants.Killed {
		p.learn(m, result.By)
	}
	result.MS = time.Since(began).Milliseconds()
	return result
}

// wholeRuns is how many runs of all tests are played at once: each has as many requests under way as a run of a user has.
const wholeRuns = 2

// fatesTogether plays those mutants again that have neither been killed nor may survive, under all tests together, as a user plays
// them: what is asked for by one test alone is little, and what tests of the whole run look at is more beside others.
func (p *mutator) fatesTogether(chosen []mutants.Mutant, results []mutants.Result, over func() bool) error {
	by := map[string]mutants.Mutant{}
	for _, m := range chosen {
		by[m.String()] = m
	}
	var g errgroup.Group
	g.SetLimit(wholeRuns)
	for i := range results {
		r := &results[i]
		if r.Fate == mutants.Killed || r.Fate == mutants.Implied || r.Reason != "" {
			continue
		}
		g.Go(func() error {
			if over() || p.ctx.Err() != nil {
				return p.ctx.Err()
			}
			m, began := by[r.ID], time.Now()
			p.lookTogether(m, r)
			r.MS += time.Since(began).Milliseconds()
			p.progress("%s, all tests together: %s %s", r.Fate, r.ID, r.By)
			return p.ctx.Err()
		})
	}
	return g.Wait()
}

// lookTogether plays all tests that are at home where a mutant was met; of one that has survived, also those of the deployment in which
// most tests meet it, because the one that was played first may be there for a few.
func (p *mutator) lookTogether(m mutants.Mutant, result *mutants.Result) {
	met, tests := map[string]bool{}, map[string]int{}
	fullest := ""
	for _, id := range p.recording.Tests(m) {
		d, at := p.homes[id]
		if !at {
			continue
		}
		if result.In == "" || result.In == d.name {
			met[d.name] = true
		}
		if tests[d.name]++; tests[d.name] > tests[fullest] {
			fullest = d.name
		}
	}
	if result.Fate == mutants.Survived && fullest != "" {
		met[fullest] = true
	}
	var all []string
	for id, d := range p.homes {
		if met[d.name] {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	p.look(m, result, all, 0, math.MaxInt)
}

// lookAlone plays the likeliest tests each by itself: of what others ask for in between every third may be another one each time,
// and never one of those that such a test holds against each other.
func (p *mutator) lookAlone(m mutants.Mutant, result *mutants.Result, ids []string) {
	for _, id := range ids[:min(maxAlone, len(ids))] {
		if result.Fate != mutants.Killed {
			p.look(m, result, []string{id}, 1, 1)
		}
	}
}

// look plays tests in their deployments, beside them some of those that look at the whole run, and takes over what came of
// it, if it is more than is known.
func (p *mutator) look(m mutants.Mutant, result *mutants.Result, ids []string, from, to int) {
	by := map[string][]string{}
	for _, id := range ids {
		if d, at := p.homes[id]; at {
			by[d.name] = append(by[d.name], id)
		}
	}
	for _, d := range p.proof.deployments {
		if len(by[d.name]) == 0 || result.Fate == mutants.Killed {
			continue
		}
		watching := p.ranked(m, p.watchingIn(d, m))
		play := slices.Concat(by[d.name], watching[min(from, len(watching)):min(to, len(watching))])
		if from == 0 && (m.Mode != mutants.Always || declares(m) || ofMovedCard(m)) {
			play = slices.Concat(play, p.visiting(d, m))
		}
		slices.Sort(play)
		play = slices.Compact(play)
		fate, finding, outrun, err := p.trial(m, d, play)
		if m.Operator != mutants.Delay && finding != nil && fate != mutants.Killed && strings.Contains(finding.Text, "no answer within") {
			fate, finding, outrun, err = p.trial(m, d, play) // the machine may have been busy
		}
		if err == nil && fate != mutants.Killed && len(outrun) > 0 {
			if again, says, _, err := p.trial(m, d, outrun); err == nil && worse(again, fate) {
				fate, finding = again, says
			}
		}
		result.Tests += len(play)
		if err != nil {
			result.Says = err.Error()
			continue
		}
		if worse(fate, result.Fate) {
			result.Fate, result.By, result.Says, result.In = fate, "", "", d.name
			if finding != nil {
				result.By, result.Says = finding.Test, finding.Text
			}
		}
	}
}

// declares says whether a mutant changes what a card declares: tests that are not about a server judge it once its card says
// that they are.
func declares(m mutants.Mutant) bool {
	return strings.Contains(m.Kind, "agent-card.json 200") && strings.HasPrefix(m.Part, "json.capabilities")
}

// servedCard is the kind of the exchange in which a card is read where it is looked for.
const servedCard = "GET /.well-known/agent-card.json 200"

// ofMovedCard says whether a mutant changes a card that stands elsewhere: few tests are at home there, and all that read a card where it
// is looked for read that one too.
func ofMovedCard(m mutants.Mutant) bool { return strings.HasPrefix(m.Kind, "GET /cards/{id} 200") }

// visiting are some of the tests that met a mutant's site, though not as its mode wants, and pass in a deployment where that
// can be: what they judge of a small card they judge of a large one. A list that was short when they were alone is long
// beside others, at home as well.
func (p *mutator) visiting(d deployment, m mutants.Mutant) []string {
	met := m
	if ofMovedCard(m) {
		met.Kind = servedCard
	}
	ids := p.ranked(m, p.recording.AnyMode(met))
	var visitors []string
	for _, id := range ids[:min(firstLook, len(ids))] {
		home := p.homes[id].name == d.name
		if home && m.Mode == mutants.Large || !home && (declares(m) && !d.judges(p.tests[id]) || p.passesIn(d, id)) {
			visitors = append(visitors, id)
		}
	}
	return visitors
}

// passesIn says whether a test passes in a deployment in which it is not at home, as far as that can be told behind a proxy.
func (p *mutator) passesIn(d deployment, id string) bool {
	key := d.name + " " + id
	p.learning.Lock()
	passes, known := p.passes[key]
	p.learning.Unlock()
	if known {
		return passes
	}
	run, err := p.through(p.ctx, d, &mutants.Traffic{}, runner.Options{Select: func(t *suites.Test) bool { return t.ID == id }})
	passes = err == nil && len(run.Results) == 1 && run.Results[0].Outcome == report.Pass
	p.learning.Lock()
	defer p.learning.Unlock()
	p.passes[key] = passes
	return passes
}

// watchingIn are the tests that look at the whole run and pass in a deployment, as far as they look at what a mutant changes.
func (p *mutator) watchingIn(d deployment, m mutants.Mutant) []string {
	p.learning.Lock()
	defer p.learning.Unlock()
	if _, known := p.wholeRun[d.name]; !known {
		p.wholeRun[d.name] = p.findWatching(d)
	}
	var ids []string
	for _, id := range p.wholeRun[d.name] {
		frames := strings.Contains(p.texts[id], "watch: frames") || strings.Contains(p.texts[id], "watch: closes")
		tasks := strings.Contains(p.texts[id], "watch: tasks")
		if is := strings.HasPrefix(m.Kind, "WS "); is && (frames || tasks) || !is && (tasks || !frames) {
			ids = append(ids, id)
		}
	}
	return ids
}

// findWatching plays all that look at the whole run and are at home elsewhere together, as they are played beside others later;
// that a deployment is there for other tests does not matter.
func (p *mutator) findWatching(d deployment) []string {
	var ids, guests []string
	for id := range p.texts {
		t := p.tests[id]
		switch {
		case t == nil || !looksAround(t) || lawfulSkip(t) || overGRPCAlone(t) || p.costly(t):
		case p.homes[id].name == d.name:
			ids = append(ids, id)
		default:
			guests = append(guests, id)
		}
	}
	if len(guests) > 0 {
		run, err := p.through(p.ctx, d, &mutants.Traffic{}, runner.Options{Select: func(t *suites.Test) bool { return slices.Contains(guests, t.ID) }})
		if err == nil {
			for _, r := range run.Results {
				if r.Outcome == report.Pass {
					ids = append(ids, r.ID)
				}
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// worse orders fates by how much they say against the mutant.
func worse(a, b mutants.Fate) bool {
	order := []mutants.Fate{mutants.Unreached, mutants.Survived, mutants.Blocked, mutants.Unrelated, mutants.Killed}
	return slices.Index(order, a) > slices.Index(order, b)
}

// delayTimeout is the time for a request under a mutant that is late by delayBy.
const (
	delayTimeout = 2 * time.Second
	delayBy      = 2500 * time.Millisecond
)

// withMutant plays tests in one deployment under a mutant. Outrun are those that the work of the agent has left nothing to see
// of, or whose terminal was given up: beside others, on a busy machine, they may have been too slow for it.
func (p *mutator) withMutant(m mutants.Mutant, d deployment, ids []string) (fate mutants.Fate, finding *mutants.Finding, outrun []string, err error) {
	traffic := &mutants.Traffic{Mutant: &m, Seen: p.recording.Values(m.Site), DelayBy: delayBy}
	var timeout time.Duration
	if m.Operator == mutants.Delay {
		timeout = delayTimeout
	}
	ctx, stop := context.WithCancel(p.ctx)
	defer stop()
	var seen *mutants.Finding
	run, err := p.through(ctx, d, traffic, runner.Options{
		Timeout: timeout,
		Select:  func(t *suites.Test) bool { return slices.Contains(ids, t.ID) },
		Progress: func(told runner.Progress) {
			if told.Result == nil || seen != nil {
				return
			}
			findings := slices.DeleteFunc(findingsOf(*told.Result), func(f mutants.Finding) bool { return gaveUp(m, f) })
			if fate, finding := mutants.Judge(m, traffic.Seen, findings); fate == mutants.Killed {
				seen = finding
				stop() // the rest can only say it again
			}
		},
	})
	if err != nil {
		return "", nil, nil, err
	}
	if seen != nil {
		return mutants.Killed, seen, nil, nil
	}
	for _, r := range run.Results {
		tooSlow := slices.ContainsFunc(findingsOf(r), func(f mutants.Finding) bool { return gaveUp(m, f) })
		if (tooSlow || r.Outcome == report.Skip && r.Reason != nil && r.Reason.Code == "task-ended-too-fast") && len(ids) > 1 {
			outrun = append(outrun, r.ID)
		}
	}
	if traffic.Hits() == 0 {
		return mutants.Unreached, nil, outrun, nil
	}
	findings, blocked := saidOf(run)
	findings = slices.DeleteFunc(findings, func(f mutants.Finding) bool { return gaveUp(m, f) })
	fate, finding = mutants.Judge(m, traffic.Seen, findings)
	if fate == mutants.Survived && blocked != nil {
		return mutants.Blocked, blocked, outrun, nil
	}
	return fate, finding, outrun, nil
}

// findingsOf are the findings of a test that failed or warned.
func findingsOf(r report.Result) []mutants.Finding {
	var findings []mutants.Finding
	if r.Outcome == report.Fail || r.Outcome == report.Warn {
		for _, f := range r.Findings {
			findings = append(findings, mutants.Finding{Test: r.ID, Route: f.Route, Status: f.Status, Text: f.Subject + ": " + f.Problem})
		}
	}
	return findings
}

// gaveUp says whether a finding comes from the server having waited in vain for a Pong, which the run was too busy to send, or got too
// late: the times of terminals are shortened here. Of Pings and Pongs themselves it says something.
func gaveUp(m mutants.Mutant, f mutants.Finding) bool {
	about := m.Operator != mutants.Delay && (strings.HasSuffix(m.Kind, " ping") || strings.HasSuffix(m.Kind, "/attach pong"))
	return !about && strings.Contains(f.Text, "no pong for too long")
}

// saidOf are the findings of a run, and the first of what was blocked.
func saidOf(run *report.Run) (findings []mutants.Finding, blocked *mutants.Finding) {
	for _, r := range run.Results {
		findings = append(findings, findingsOf(r)...)
		if r.Outcome == report.Blocked && blocked == nil {
			blocked = &mutants.Finding{Test: r.ID, Text: reason(r)}
		}
	}
	for _, f := range run.Preflight {
		if f.Severity == report.Pass { // it is said of the correct server as well
			continue
		}
		findings = append(findings, mutants.Finding{Test: "PREFLIGHT", Route: f.Route, Status: f.Status, Text: f.Subject + ": " + f.Problem})
	}
	if blocked == nil && (run.Verdict == report.Unreachable || run.Verdict == report.Unauthorized) {
		blocked = &mutants.Finding{Test: "PREFLIGHT", Text: run.Because}
	}
	return findings, blocked
}

// beginsTest is the line with which a test begins in a suite file.
var beginsTest = regexp.MustCompile(`(?m)^ *- id: (\S+)`)

// testTexts are the tests of the profile as their files say them.
func (p *trials) testTexts() (map[string]string, error) {
	texts := map[string]string{}
	files, err := fs.Glob(p.options.Suites, p.profile.Name+"/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := fs.ReadFile(p.options.Suites, file)
		if err != nil {
			return nil, err
		}
		at := beginsTest.FindAllSubmatchIndex(text, -1)
		for i, m := range at {
			end := len(text)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			texts[string(text[m[2]:m[3]])] = string(text[m[0]:end])
		}
	}
	return texts, nil
}
