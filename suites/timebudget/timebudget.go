// SPDX-License-Identifier: Apache-2.0

// Package timebudget says how long a test may take, from what its suite says: the waits that the contract imposes, and the bounds of
// what it waits for. A server that keeps to the contract never uses up such a bound, however slow it is. One that is broken may use up
// each of them, and the budget is how much of that time a test takes before it stops asking: what it has found is then its verdict.
package timebudget

import (
	"slices"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// Times are how a run reads the times of a suite.
type Times struct {
	Wait   func(suites.Duration) time.Duration // how long a wait lasts that the contract imposes
	Bound  func(suites.Duration) time.Duration // how long something may take, by what its step says
	Answer time.Duration                       // how long an answer may take where its step does not say
}

// AsWritten are the times of a suite as they are written, with the shorter one of a range, for a run that waits so long for an answer.
func AsWritten(answer time.Duration) Times {
	written := func(d suites.Duration) time.Duration { return d.Min }
	return Times{Wait: written, Bound: written, Answer: answer}
}

// A Budget is the time that a test may take on top of what the target answers in time.
type Budget struct {
	Row    time.Duration // what each row waits because the contract makes it
	Rows   int           // that are played one after the other
	InVain time.Duration // what rows that came to nothing may use up beside that; then no further one is begun
	Bound  time.Duration // the longest time that one step waits in vain
}

// Of is the budget of a test whose steps are played in so many rows.
func (t Times) Of(test *suites.Test, rows int) Budget {
	if test.AtOnce {
		rows = min(rows, 1)
	}
	steps := slices.Concat(test.Given, test.Steps)
	return Budget{Row: Waits(steps, t.Wait), Rows: rows, InVain: t.Answer, Bound: t.longest(steps)}
}

// Most is how long the test takes at most on a target of which nothing that it waits for comes: its waits, what it may use up in vain,
// the row that uses it up, and those that are then played side by side.
func (b Budget) Most() time.Duration {
	most := time.Duration(b.Rows)*b.Row + b.Bound
	if b.Rows > 1 {
		most += b.InVain + b.Bound
	}
	return most
}

// Waits is how long steps wait because the contract makes them, whatever the target does.
func Waits(steps []*suites.Step, wait func(suites.Duration) time.Duration) time.Duration {
	var all time.Duration
	for _, step := range steps {
		switch do := step.Do.(type) {
		case suites.Poll:
			all += wait(do.For)
			if do.Times > 1 {
				all += time.Duration(do.Times-1) * do.Every.Min
			}
		case suites.Stream:
			all += wait(do.For)
		case suites.Silence:
			all += wait(do.For)
		case suites.Await:
			all += wait(do.For)
		case suites.Block:
			all += Waits(do.Inside(), wait)
		}
	}
	return all
}

// longest is the longest time that one of the steps waits for something that does not come.
func (t Times) longest(steps []*suites.Step) time.Duration {
	var longest time.Duration
	for _, step := range steps {
		bound := t.Bound(step.Within)
		switch do := step.Do.(type) {
		case suites.Together:
			bound = max(bound, t.longest(do.Inside()))
		case suites.Block:
			bound = t.longest(do.Inside())
		case suites.Request, suites.Poll, suites.Stream, suites.Open, suites.Receive, suites.Await, suites.Hook:
			if bound == 0 {
				bound = t.Answer
			}
			if poll, is := do.(suites.Poll); is { // each of its answers may be waited for
				bound *= time.Duration(max(1, poll.Times))
			}
		}
		longest = max(longest, bound)
	}
	return longest
}
