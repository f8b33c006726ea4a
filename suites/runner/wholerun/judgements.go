// SPDX-License-Identifier: Apache-2.0

package wholerun

import "sync"

// Judgements are how conditions without names hold of what the run has seen. Each row of a test that looks at the whole run asks the same
// of the same, which can be tens of thousands of objects: it is judged once, until more has been seen. The zero value has judged nothing.
type Judgements struct {
	mu sync.Mutex
	of map[any]*judgement
}

// A judgement is that of one condition.
type judgement struct {
	mu      sync.Mutex
	at      int // what it was judged at
	judged  bool
	verdict error
}

// Of is what judge returns for a condition, which is told by its address, at what was seen by now: [Seen.At].
func (j *Judgements) Of(condition any, at int, judge func() error) error {
	known := j.known(condition)
	known.mu.Lock()
	defer known.mu.Unlock()
	if !known.judged || known.at != at {
		known.verdict, known.at, known.judged = judge(), at, true
	}
	return known.verdict
}

func (j *Judgements) known(condition any) *judgement {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.of == nil {
		j.of = map[any]*judgement{}
	}
	if j.of[condition] == nil {
		j.of[condition] = &judgement{}
	}
	return j.of[condition]
}
