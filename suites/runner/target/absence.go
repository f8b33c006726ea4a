// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

const (
	absentLook = 50 * time.Millisecond
	// underWay is how long before the last answer is noted a request may be noted whose connection ended with the target: they are read
	// beside each other.
	underWay = 250 * time.Millisecond
	mostCut  = 64 // requests that are remembered
)

// Absences are the times of a run in which nobody listened where the target does: it has died, or was started again. What a test saw
// meanwhile says nothing of its requirement, and which request the target died of is not known where several were under way.
type Absences struct {
	of       *Target
	mu       sync.Mutex
	answered time.Time // when the last answer was noted
	cuts     []cut     // requests whose connection ended without an answer, in the order in which they were noted
	all      []*absence
	turn     sync.Mutex // of who is played again
}

// A cut is a request whose connection ended without an answer.
type cut struct {
	at   time.Time
	test string
}

type absence struct {
	from time.Time     // of the last answer before
	cuts []cut         // what was under way then, once it is over
	over chan struct{} // closed when it is, or when nobody waits for that any more
	to   time.Time     // zero: it is not over
	wait bool          // somebody waits for it to be over
}

// Turn gives those that are played again after an absence their turn, one after the other: what the target died of may kill it again. Who has
// had it calls what is returned.
func (s *Absences) Turn() (done func()) {
	s.turn.Lock()
	return s.turn.Unlock
}

// note notes what became of a request of a test to the target.
func (s *Absences) note(test string, q *Request, answered bool, problem string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, refused := time.Now(), problem == wire.ConnectionRefused
	switch {
	case answered:
		s.answered = now
		return
	case refused:
		s.going(now)
	}
	if wire.IsCut(problem) || refused && q.Written { // net/http has asked once more, on a connection of its own
		if len(s.cuts) == mostCut {
			s.cuts = slices.Delete(s.cuts, 0, 1)
		}
		s.cuts = append(s.cuts, cut{now, test})
	}
}

// going is the absence that is going on, which begins if none is; the caller holds mu.
func (s *Absences) going(now time.Time) *absence {
	if n := len(s.all); n > 0 && s.all[n-1].to.IsZero() {
		return s.all[n-1]
	}
	a := &absence{from: now, over: make(chan struct{})}
	if !s.answered.IsZero() {
		a.from = s.answered
	}
	s.all = append(s.all, a)
	return a
}

// since says whether the target was away at some time since then, or is.
func (s *Absences) since(then time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.all, func(a *absence) bool { return a.to.IsZero() || a.to.After(then) })
}

// ended notes that an absence is over, or that nobody waits for that any more.
func (s *Absences) ended(a *absence, back bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.cuts {
		if c.at.After(a.from.Add(-underWay)) {
			a.cuts = append(a.cuts, c)
		}
	}
	if back {
		a.to = time.Now()
	}
	close(a.over)
}

// WasAway says whether the target was away at some time since then, and waits until it is back, at most as long as an answer may take: after
// that it is gone, and Reachability says so. Where that is doubtful the target is asked.
func (s *Absences) WasAway(ctx context.Context, then time.Time, doubtful bool) bool {
	if !s.since(then) {
		if !doubtful || s.of.Reachability.Gone.Load() != nil || !s.refuses(ctx) {
			return false
		}
		s.mu.Lock()
		s.going(time.Now())
		s.mu.Unlock()
	}
	s.mu.Lock()
	a := s.all[len(s.all)-1]
	waits := a.to.IsZero() && !a.wait
	a.wait = a.wait || waits
	s.mu.Unlock()
	if waits {
		s.awaitBack(ctx, a)
	}
	select {
	case <-a.over:
	case <-ctx.Done():
	}
	return true
}

// refuses says whether nobody listens where the target does.
func (s *Absences) refuses(ctx context.Context) bool {
	t := s.of
	q := t.PlainGet(Join(t.Place.Base, ".well-known/agent-card.json"), "instance")
	q.Limit = min(q.Limit, CancelTime) // who refuses does it at once
	x := t.Send(ctx, q)
	return x.Status == 0 && x.Problem == wire.ConnectionRefused
}

func (s *Absences) awaitBack(ctx context.Context, a *absence) {
	bounded, cancel := context.WithTimeout(ctx, s.of.Limit)
	defer cancel()
	look := time.NewTicker(absentLook)
	defer look.Stop()
	for s.refuses(bounded) {
		select {
		case <-look.C:
			continue
		case <-bounded.Done():
		}
		break
	}
	back := bounded.Err() == nil
	s.ended(a, back)
	if !back && ctx.Err() == nil {
		cause := fmt.Sprintf("the target went away: nothing listens at %s any more (%s)", s.host(), wire.ConnectionRefused)
		s.of.Reachability.Gone.Store(&report.Reason{Code: "blocked", Detail: cause, Cause: cause})
	}
}

// host is where the target listens, for a reader.
func (s *Absences) host() string {
	if u, err := url.Parse(s.of.Place.Base); err == nil {
		return u.Host
	}
	return s.of.Place.Base
}

// during are the tests whose requests were under way when the target went away.
func (a *absence) during() []string {
	var tests []string
	for _, c := range a.cuts {
		tests = append(tests, c.test)
	}
	slices.Sort(tests)
	return slices.Compact(tests)
}

// DiedOf says whether the target is gone, and what a test asked was the only thing that was under way then.
func (s *Absences) DiedOf(test string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) == 0 || !s.all[len(s.all)-1].to.IsZero() {
		return false
	}
	return slices.Equal(s.all[len(s.all)-1].during(), []string{test})
}

// Told are sentences about the absences of a run, for its reader.
func (s *Absences) Told() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, a := range s.all {
		told := fmt.Sprintf("nothing listened at %s for %s after %s UTC (%s): what was played meanwhile was played again", s.host(),
			a.to.Sub(a.from).Round(100*time.Millisecond), a.from.UTC().Format(time.TimeOnly), wire.ConnectionRefused)
		during := "; when it went, requests were under way in "
		if a.to.IsZero() {
			told = fmt.Sprintf("the target went away after %s UTC, and nothing has listened at %s since", a.from.UTC().Format(time.TimeOnly), s.host())
			during = "; it may have died of a request in one of these tests, which shows when they are played one at a time, with --run: "
		}
		if tests := a.during(); len(tests) > 0 {
			told += during + strings.Join(tests, ", ")
		}
		all = append(all, told)
	}
	return all
}
