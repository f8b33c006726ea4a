// SPDX-License-Identifier: Apache-2.0

package order

import (
	"cmp"
	"slices"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/timebudget"
)

// longestFirst puts the tests in front that may take longest: the run ends when the last of them does.
func (p *Planner) longestFirst(order []int, tests []*suites.Test) {
	waits := make(map[int]time.Duration, len(order))
	for _, i := range order {
		rows := max(1, len(tests[i].Cases))
		switch {
		case !tests[i].Operates || !p.HasCard:
		case tests[i].AtOnce:
			rows = 1
		default:
			rows = max(1, p.Rows(tests[i]))
		}
		of := p.guess(slices.Concat(tests[i].Given, tests[i].Steps))
		waits[i] = time.Duration(rows)*(of.waits+p.longWork(tests[i])) + time.Duration(min(rows, guessedRows))*of.answers
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(waits[b], waits[a]) })
}

// guessedShare is the part of a bound that is thought to be used up where the work of an agent is waited for; only the order of tests is
// made of it. More of it would put those in front that take longest where nobody answers.
const guessedShare = 60

// guessedTrip is what a request is thought to take otherwise. It is nothing beside a wait, but a test may send hundreds one after the other.
const guessedTrip = 50 * time.Millisecond

// guessedWork is what long work of an agent is thought to take at least, whichever of the steps waits for it.
const guessedWork = 3 * time.Second

// longWork is what a row of a test is thought to wait for long work of the agent.
func (p *Planner) longWork(t *suites.Test) time.Duration {
	cue := "cue:" + p.Profile.LongWork
	if slices.Contains(t.Needs, cue) || slices.ContainsFunc(t.Cases, func(c suites.Case) bool { return slices.Contains(c.Needs, cue) }) {
		return guessedWork
	}
	return 0
}

// guessedStream is what the stream of an operation is thought to take that is read to its end.
const guessedStream = 2 * time.Second

// guessedRows is how many rows of a test are thought to wait for answers that take long: of many rows, most ask for something that is
// answered at once.
const guessedRows = 3

// A guess is how long steps may take.
type guess struct {
	waits   time.Duration // because the contract makes them wait
	answers time.Duration // what requests and operations let expect
}

func (g guess) all() time.Duration { return g.waits + g.answers }

// guess is how long steps may take: what they wait because the contract makes them, and what operations let expect.
func (p *Planner) guess(steps []*suites.Step) guess {
	var all guess
	for _, step := range steps {
		switch do := step.Do.(type) {
		case suites.Together:
			rounds := 1
			if do.AtOnce > 0 {
				rounds = max(1, (do.Clients+do.AtOnce-1)/do.AtOnce)
			}
			one := p.guess(do.Inside())
			all.waits += time.Duration(rounds) * one.waits
			all.answers += time.Duration(rounds) * one.answers
			continue
		case suites.Block:
			one := p.guess(do.Inside())
			all.waits += one.waits
			all.answers += one.answers
			continue
		case suites.Request:
			all.answers += guessedTrip
			if do.Operation != "" && !atOnce(do) {
				all.answers += p.share(step.Within)
			}
		case suites.Poll:
			all.answers += time.Duration(max(1, do.Times)) * guessedTrip
			if do.Operation != "" {
				all.answers += p.share(step.Within)
			}
		case suites.Await:
			all.answers += p.share(step.Within)
			if len(do.Until) > 0 || do.UntilClosed { // as a rule it comes long before
				all.answers += p.share(do.For)
				continue
			}
		case suites.Stream:
			all.answers += guessedTrip
			if do.Operation != "" && (len(do.Until) > 0 || do.UntilClosed) {
				all.answers += guessedStream
			}
		case suites.Open:
			all.answers += guessedTrip
		}
		all.waits += p.wait([]*suites.Step{step})
	}
	return all
}

// share is the part of a bound that is thought to be used up.
func (p *Planner) share(bound suites.Duration) time.Duration { return p.Reach(bound) / guessedShare }

// atOnce says whether an operation asks to be answered before the work is done.
func atOnce(do suites.Request) bool {
	params, _ := do.Params.(map[string]any)
	configuration, _ := params["configuration"].(map[string]any)
	at, says := configuration["returnImmediately"]
	return says && at != false
}

// wait is how long steps wait because the contract makes them, whatever the target does.
func (p *Planner) wait(steps []*suites.Step) time.Duration { return timebudget.Waits(steps, p.Reach) }
