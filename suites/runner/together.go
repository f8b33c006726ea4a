// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// together lets that many clients do the steps at once. Each has actors and names of its own; what it keeps can be seen
// in its element of `branches`.
func (p *player) together(step *suites.Step, do suites.Together) (*observation, bool) {
	began := time.Now()
	branches := make([]*player, do.Clients)
	panics := make([]any, do.Clients)
	var ready, all sync.WaitGroup
	ready.Add(do.Clients)
	for i := range branches {
		branch := p.branch(i)
		branches[i] = branch
		all.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					panics[i] = fmt.Sprintf("%v\n%s", v, debug.Stack())
				}
			}()
			ready.Done()
			ready.Wait()
			branch.playSteps(do.Steps)
		})
	}
	all.Wait()
	for _, v := range panics {
		if v != nil {
			panic(v)
		}
	}
	p.branches = append(p.branches, branches...)
	took := time.Since(began)
	o := newObservation()
	if within := p.within(step, 0); within > 0 && took > within+p.run.options.TimingTolerance {
		o.breaks(step.At, "branches", &assertions.Problem{Seen: "took " + took.Round(time.Millisecond).String(), Wanted: "at most " + within.String()})
	}
	o.set("branches", func() any {
		list := make([]any, len(branches))
		for i, branch := range branches {
			list[i] = branch.shown()
		}
		return list
	})
	return o, p.gather(branches)
}

// branch is a player for one of several clients.
func (p *player) branch(n int) *player {
	branch := *p
	branch.names = newScope(p.names)
	branch.actors = map[string]*actor{}
	branch.receivers = maps.Clone(p.receivers)
	branch.branches, branch.findings, branch.notes = nil, nil, nil
	branch.seen = nil
	return &branch
}

// shown is what a branch saw in its last step, and what it kept.
func (p *player) shown() map[string]any {
	members := p.names.own()
	if p.seen != nil {
		maps.Copy(members, p.seen.all())
	}
	return members
}

// gather takes over what the branches found; the same finding of several clients counts once.
func (p *player) gather(branches []*player) bool {
	goOn := true
	for i, branch := range branches {
		for _, f := range branch.findings {
			goOn = goOn && f.Ruling != "" // what a ruling softens ends nothing
			same := func(other report.Finding) bool {
				return other.At == f.At && other.Problem == f.Problem && other.Case == f.Case
			}
			if !slices.ContainsFunc(p.findings, same) {
				p.findings = append(p.findings, f)
			}
		}
		if p.curl == "" {
			p.curl = branch.curl
		}
		if branch.reason == nil {
			continue
		}
		goOn = false
		if p.reason == nil {
			p.reason, p.blocked = branch.reason, branch.blocked
			if branch.blocked {
				p.reason.Detail = fmt.Sprintf("client %d: %s", i+1, branch.reason.Detail)
			}
		}
	}
	return goOn
}
