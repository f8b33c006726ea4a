// SPDX-License-Identifier: Apache-2.0

package slots

import (
	"slices"
	"time"
)

// How the number of slots follows the target: additive increase, multiplicative decrease, as TCP does it with what is on its way. A
// target that is near answers at the pace of its processors, so that more tests at once would only wait for each other. One that is far
// answers as fast whether it is asked by few or by many, up to a point; that point is looked for.
const (
	far     = 40 * time.Millisecond // from which time of a quick answer on a target is far
	copes   = 1.5                   // more slots, as long as quick answers take no more than so many times as long as they did
	slows   = 2                     // fewer, when they take longer than that
	leisure = 20 * time.Millisecond // and so much more: what is lost on the way in any case
)

// A pace is how fast a target answers. The zero value knows nothing.
type pace struct {
	took    []time.Duration // of the answers since the number of slots was looked at
	refused bool            // one of them said that it is asked too often, or did not come
	quick   time.Duration   // of a quarter of the answers, when the number of slots was last looked at
	best    time.Duration   // of a quarter of the answers, when it was quickest; 0: not known
}

// Far says whether the target is far, and copes with more than was asked for.
func (s *Slots) Far() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pace.best >= far && s.limit > s.least
}

// copes says whether quick answers are quick, and take no longer than when the target had less to do. One that answers slowly would be asked
// for more and more at once while it answers: that is not said of it.
func (s *Slots) copes() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &s.pace
	return p.best > 0 && p.best < Worth && p.quick <= time.Duration(copes*float64(p.best))+leisure
}

// Answered notes an answer of the target, and how long it took. overloaded says that it refuses to be asked so often, or did not answer.
func (s *Slots) Answered(took time.Duration, overloaded bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most <= s.least {
		return
	}
	p := &s.pace
	p.took = append(p.took, took)
	p.refused = p.refused || overloaded
	if len(p.took) < 2*s.limit && !p.refused {
		return
	}
	// Some operations take as long as the work of an agent: the quickest quarter of the answers tells of the way to the target.
	slices.Sort(p.took)
	quick := p.took[len(p.took)/4]
	p.quick = quick
	if !p.refused && (p.best == 0 || quick < p.best) {
		p.best = quick
	}
	switch before := s.limit; {
	case p.refused || quick > time.Duration(slows*float64(p.best))+leisure:
		s.limit = min(max(s.least, s.limit/2), s.top())
	case p.best >= far && quick <= time.Duration(copes*float64(p.best))+leisure:
		s.limit = min(s.top(), s.limit+max(1, s.least/4))
		if s.limit > before {
			s.tell()
		}
	}
	if p.refused {
		p.quick = time.Hour // until it is seen to cope again
	}
	p.took, p.refused = p.took[:0], false
}
