// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

// together lets that many clients do the steps at once. Each has actors and names of its own; what it keeps can be seen
// in its element of `branches`.
func (p *player) together(step *suites.Step, do suites.Together) (*observation, bool) {
	began := time.Now()
	clients, err := p.clients(do)
	if err != nil {
		return p.unfilled(err), true
	}
	looked := looksAt(step, "branches")
	branches := make([]*player, clients)
	lasted := make([]any, clients)
	panics := make([]any, clients)
	slots := make(chan struct{}, cmp.Or(do.AtOnce, clients))
	var over atomic.Bool   // a client could not go on: those that wait for their turn need not begin
	var unkept atomic.Bool // there was no room for what a client saw
	var ready, prepared, written, all sync.WaitGroup
	ready.Add(clients)
	prepared.Add(clients)
	written.Add(clients)
	meet := func(at *sync.WaitGroup) func() {
		return sync.OnceFunc(func() {
			at.Done()
			if do.AtOnce == 0 { // who waits for his turn has nobody to wait for
				at.Wait()
			}
		})
	}
	for i := range branches {
		branch := p.branch(i)
		branches[i] = branch
		all.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					panics[i] = fmt.Sprintf("%v\n%s", v, debug.Stack())
				}
			}()
			begin, write := meet(&prepared), meet(&written)
			defer write() // also of a client that comes to nothing, for the others wait for it
			defer begin()
			ready.Done()
			ready.Wait()
			slots <- struct{}{}
			defer func() { <-slots }()
			if do.AtOnce == 0 || !over.Load() {
				lasted[i] = branch.client(do, begin, write)
			}
			if branch.broken() {
				over.Store(true)
			}
			switch {
			case !looked:
				branch.seen = nil
			case branch.seen != nil && !p.weight.keep(p.run, branch.seen):
				branch.seen = nil
				unkept.Store(true)
			}
		})
	}
	all.Wait()
	for _, v := range panics {
		if v != nil {
			panic(v)
		}
	}
	for _, branch := range branches {
		if branch.opened(p) {
			p.branches = append(p.branches, branch)
		}
	}
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
	o.value("lasted", lasted)
	if unkept.Load() {
		o.blocked = fmt.Sprintf("the answers to the %d clients are longer than what is kept of them (%d MiB for all tests at once)", clients, mostAgain>>20)
	}
	return o, p.gather(branches)
}

// gated says whether all clients begin with a request that has a body. Then their bodies go out at the same moment: what
// races in the target may be over within microseconds, and a request alone takes longer to be made.
func gated(do suites.Together) bool {
	if do.AtOnce != 0 || len(do.Steps) == 0 {
		return false
	}
	first, is := do.Steps[0].Do.(suites.Request)
	return is && first.Body.Given
}

// client does what one of several clients does, and says how long its steps took, without the preparation. Between the
// two it calls prepared, which returns when the others are so far as well; written does so too, before the first body.
func (p *player) client(do suites.Together, prepared, written func()) time.Duration {
	for _, let := range do.Let {
		v, err := p.expand(let.Value)
		if err != nil {
			p.failed(let.At, "let", err)
			return 0
		}
		p.names.set(let.Name, v)
	}
	given := p.given
	p.given = given || len(do.Given) > 0
	goOn := p.playSteps(do.Given)
	p.given = given
	if !goOn {
		return 0
	}
	prepared()
	if gated(do) && !p.run.client.Limited() {
		p.gate = written
	}
	began := time.Now()
	p.playSteps(do.Steps)
	return time.Since(began)
}

// broken says whether a client could not do all that it was to do.
func (p *player) broken() bool {
	return p.reason != nil || slices.ContainsFunc(p.findings, func(f report.Finding) bool { return f.Ruling == "" })
}

// mostClients bounds a together whose number the target declares.
const mostClients = 100

// clients is how many clients a together has.
func (p *player) clients(do suites.Together) (int, error) {
	if do.Number == "" {
		return do.Clients, nil
	}
	v, err := p.expand(do.Number)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(jsontext.Text(v))
	if err != nil || n < 0 || n > mostClients {
		return 0, fmt.Errorf("together is %s, want a whole number from 0 to %d", jsontext.Text(v), mostClients)
	}
	return n, nil
}

// branch is a player for one of several clients.
func (p *player) branch(n int) *player {
	branch := *p
	branch.names = newScope(p.names)
	branch.actors = map[string]*actor{}
	branch.receivers = maps.Clone(p.receivers)
	branch.ahead = nil
	branch.branches, branch.findings, branch.notes = nil, nil, nil
	branch.seen = nil
	return &branch
}

// opened says whether a branch of a player has opened what ends with the row. The others are not held until then, with all
// that they saw: a race may have hundreds.
func (p *player) opened(from *player) bool {
	for _, a := range p.actors {
		if a.socket != nil || a.stream != nil {
			return true
		}
	}
	return len(p.branches) > 0 || !maps.Equal(p.receivers, from.receivers)
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
