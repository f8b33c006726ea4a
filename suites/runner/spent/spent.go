// SPDX-License-Identifier: Apache-2.0

// Package spent tells where the time of a run goes: into waits that the contract imposes, into answers of the target, and into what is
// left, stage by stage.
package spent

import (
	"context"
	"sync"
	"time"
)

// A Stage is a part of a run, and what its time went into.
type Stage struct {
	Name  string        // "side by side"
	Took  time.Duration // by the clock
	Tests int           // that were played, or the own steps of tests that judge later

	// Of all tests together, whose times overlap where they are played side by side:
	Waits   time.Duration // that the contract imposes
	Answers time.Duration // until the target had answered, or an event or a frame had come
	Rest    time.Duration // neither: the harness, hooks of the operator, waiting for a turn

	Longest     string // the id of the test that took longest
	LongestTook time.Duration
	LongestWait time.Duration // of one test
	Waiter      string        // the id of that test
}

// An Account is kept of a run. The zero value is empty.
type Account struct {
	mu     sync.Mutex
	stages []Stage
	began  time.Time
}

// Begin ends the stage that goes on, if any, and begins the next one.
func (a *Account) Begin(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end()
	a.stages, a.began = append(a.stages, Stage{Name: name}), time.Now()
}

func (a *Account) end() {
	if n := len(a.stages); n > 0 && !a.began.IsZero() {
		a.stages[n-1].Took, a.began = time.Since(a.began), time.Time{}
	}
}

// Stages are all of them; the last one has ended. Those in which nothing was played are left out.
func (a *Account) Stages() []Stage {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.end()
	var all []Stage
	for _, s := range a.stages {
		if s.Tests > 0 {
			all = append(all, s)
		}
	}
	return all
}

// Played notes a test that was played in the stage that goes on, and what its time went into.
func (a *Account) Played(id string, took time.Duration, of *Test) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.stages) == 0 {
		return
	}
	waits, answers := of.waits.All(), of.answers.All()
	s := &a.stages[len(a.stages)-1]
	s.Tests++
	s.Waits += waits
	s.Answers += answers
	s.Rest += max(0, took-waits-answers)
	if took > s.LongestTook {
		s.Longest, s.LongestTook = id, took
	}
	if waits > s.LongestWait {
		s.Waiter, s.LongestWait = id, waits
	}
}

// A Test is what the time of one test goes into. A nil one is not asked for.
type Test struct{ waits, answers Span }

// Waits notes that the test waits because the contract makes it, until end is called.
func (t *Test) Waits() (end func()) {
	if t == nil {
		return func() {}
	}
	return t.waits.Begin()
}

// Asks notes that the test waits for the target, until end is called. While it waits because the contract makes it, that is no matter.
func (t *Test) Asks() (end func()) {
	if t == nil || t.waits.Open() {
		return func() {}
	}
	return t.answers.Begin()
}

// A Span is how long something went on, also where it goes on several times at once: clients that wait side by side wait once.
// The zero value is empty.
type Span struct {
	mu    sync.Mutex
	open  int
	since time.Time
	total time.Duration
}

// Begin notes that it goes on, until end is called.
func (s *Span) Begin() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open++; s.open == 1 {
		s.since = time.Now()
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open--; s.open == 0 {
			s.total += time.Since(s.since)
		}
	}
}

// Open says whether it goes on.
func (s *Span) Open() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open > 0
}

// All is how long it went on, as far as it has ended.
func (s *Span) All() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// testKey is where a context has what the time of its test goes into.
type testKey struct{}

// With is a context for a test that is asked for.
func With(ctx context.Context, t *Test) context.Context { return context.WithValue(ctx, testKey{}, t) }

// Of is what the time of the test goes into that a context is for; nil: nobody asks.
func Of(ctx context.Context) *Test {
	t, _ := ctx.Value(testKey{}).(*Test)
	return t
}
