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
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/names"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/weight"
)

// clients are those that do the steps of a `together`, each a player of its own.
type clients struct{ *player }

// A client is one of them.
type client struct{ *player }

// together lets that many clients do the steps at once. Each has actors and names of its own; what it keeps can be seen
// in its element of `branches`.
func (c clients) together(step *suites.Step, do suites.Together) (*subjects.Observation, bool) {
	began := time.Now()
	clients, elements, err := c.number(do)
	if err != nil {
		return unfilled(err), true
	}
	looked := looksAt(step, "branches")
	branches := make([]client, clients)
	lasted := make([]any, clients)
	panics := make([]any, clients)
	turns := newTurns(func() int {
		if do.Far > 0 && c.run.slots.Far() {
			return do.Far
		}
		return cmp.Or(do.AtOnce, clients)
	})
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
	left := c.seat.Fork(clients)
	for i := range branches {
		branch := c.branch(i)
		if elements != nil {
			branch.names.Set(suites.Element, elements[i])
		}
		branches[i] = branch
		all.Go(func() {
			defer left()
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
			turns.take()
			defer turns.leave()
			if do.AtOnce == 0 || !over.Load() {
				lasted[i] = branch.play(do, begin, write)
			}
			if branch.broken() {
				over.Store(true)
			}
			switch {
			case !looked:
				branch.seen = nil
			case branch.seen != nil && !c.weight.Keep(branch.seen):
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
		if branch.opened(c.player) {
			c.branches = append(c.branches, branch.player)
		}
	}
	took := time.Since(began)
	o := subjects.New()
	for _, branch := range branches {
		if branch.seen != nil {
			o.LeavesListUnread("branches", branch.seen)
		}
	}
	if within := c.within(step, 0); within > 0 && took > within+c.run.options.TimingTolerance {
		o.Breaks(step.At, "branches", &assertions.Problem{Seen: "took " + took.Round(time.Millisecond).String(), Wanted: "at most " + within.String()})
	}
	o.Set("branches", func() any {
		list := make([]any, len(branches))
		for i, branch := range branches {
			list[i] = branch.shown()
		}
		return list
	})
	o.Value("lasted", lasted)
	if unkept.Load() {
		o.Blocked = fmt.Sprintf("the answers to the %d clients are longer than what is kept of them (%d MiB for all tests at once)", clients, weight.MaxKept>>20)
	}
	return o, c.gather(branches)
}

// turns let so many clients at a time do their steps.
type turns struct {
	mu      sync.Mutex
	changed *sync.Cond
	most    func() int
	taken   int
}

func newTurns(most func() int) *turns {
	t := &turns{most: most}
	t.changed = sync.NewCond(&t.mu)
	return t
}

func (t *turns) take() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.taken >= t.most() {
		t.changed.Wait()
	}
	t.taken++
}

func (t *turns) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken--
	t.changed.Broadcast()
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

// play does what one of several clients does, and says how long its steps took, without the preparation. Between the
// two it calls prepared, which returns when the others are so far as well; written does so too, before the first body.
func (c client) play(do suites.Together, prepared, written func()) time.Duration {
	for _, let := range do.Let {
		v, err := c.expand(let.Value)
		if err != nil {
			c.failed(let.At, "let", err)
			return 0
		}
		c.names.Set(let.Name, v)
	}
	given := c.given
	c.given = given || len(do.Given) > 0
	goOn := c.playSteps(do.Given)
	c.given = given
	if !goOn {
		return 0
	}
	prepared()
	if gated(do) && !c.run.Client.Limited() {
		c.gate = written
	}
	began := time.Now()
	c.playSteps(do.Steps)
	return time.Since(began)
}

// broken says whether a client could not do all that it was to do.
func (p client) broken() bool {
	return p.reason != nil || slices.ContainsFunc(p.findings, func(f report.Finding) bool { return f.Ruling == "" })
}

// maxClients bounds a together whose number the target declares.
const maxClients = 100

// number is how many clients a together has, and the elements of the list that it goes over, if it does: the first of them, where there are more
// than it may have.
func (c clients) number(do suites.Together) (n int, elements []any, err error) {
	if do.Number == "" {
		return do.Clients, nil, nil
	}
	v, err := c.expand(do.Number)
	if err != nil {
		return 0, nil, err
	}
	if list, is := v.([]any); is {
		n = min(len(list), maxClients)
		return n, list[:n], nil
	}
	n, err = strconv.Atoi(jsontext.Text(v))
	if err != nil || n < 0 || n > maxClients {
		return 0, nil, fmt.Errorf("together is %s, want a list or a whole number from 0 to %d", jsontext.Text(v), maxClients)
	}
	return n, nil, nil
}

// branch is one of several clients.
func (c clients) branch(n int) client {
	branch := *c.player
	branch.names = names.NewScope(c.names)
	branch.actors = map[string]*actor{}
	branch.receivers = maps.Clone(c.receivers)
	branch.ahead = nil
	branch.branches, branch.findings, branch.notes, branch.decided, branch.cited = nil, nil, nil, nil, nil
	branch.seen = nil
	return client{&branch}
}

// opened says whether a branch of a player has opened what ends with the row. The others are not held until then, with all
// that they saw: a race may have hundreds.
func (c client) opened(from *player) bool {
	for _, a := range c.actors {
		if a.socket != nil || a.stream != nil {
			return true
		}
	}
	return len(c.branches) > 0 || !maps.Equal(c.receivers, from.receivers)
}

// shown is what a branch saw in its last step, and what it kept.
func (c client) shown() map[string]any {
	members := c.names.Own()
	if c.seen != nil {
		maps.Copy(members, c.seen.All())
	}
	return members
}

// gather takes over what the branches found; the same finding of several clients counts once.
func (c clients) gather(branches []client) bool {
	goOn := true
	for i, branch := range branches {
		if worst := branch.outcome(); c.isFirst(worst) {
			c.decided, c.cited = branch.decided, branch.cited
		}
		for _, f := range branch.findings {
			goOn = goOn && f.Ruling != "" // what a ruling softens ends nothing
			same := func(other report.Finding) bool {
				return other.At == f.At && other.Problem == f.Problem && other.Case == f.Case
			}
			if !slices.ContainsFunc(c.findings, same) {
				c.findings = append(c.findings, f)
			}
		}
		if c.curl == "" {
			c.curl = branch.curl
		}
		if branch.reason == nil {
			continue
		}
		goOn = false
		if c.reason == nil {
			c.reason, c.blocked = branch.reason, branch.blocked
			if branch.blocked {
				c.reason.Detail = fmt.Sprintf("client %d: %s", i+1, branch.reason.Detail)
			}
		}
	}
	return goOn
}
