// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
)

// sharedConditions number the conditions by which watches choose what they look at. Most watches of a kind choose by the same few, and each
// of these is judged once of a thing, not once for each watch.
type sharedConditions struct {
	mu sync.Mutex
	of map[string][]condition // by kind of suites.Watched; the number is the index
}

// number gives those that want the same of the same subject the same number.
func (s *sharedConditions) number(kind string, conditions []condition) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[string][]condition{}
	}
	for i := range conditions {
		c := &conditions[i]
		for c.number = 0; c.number < len(s.of[kind]); c.number++ {
			known := &s.of[kind][c.number]
			if known.Subject.String() == c.Subject.String() && known.Want.Same(c.Want) {
				break
			}
		}
		if c.number == len(s.of[kind]) {
			s.of[kind] = append(s.of[kind], *c)
		}
	}
}

// judgedConditions are what is known of one thing: whether it fits the shared condition of each number.
type judgedConditions struct{ known []verdictOfOne }

type verdictOfOne byte

const (
	unknown verdictOfOne = iota
	fitsIt
	fitsNot
)

func (j *judgedConditions) fits(options *Options, c *condition, seen *subjects.Observation) bool {
	for len(j.known) <= c.number {
		j.known = append(j.known, unknown)
	}
	if j.known[c.number] == unknown {
		j.known[c.number] = fitsNot
		if fits, _ := options.fits(c.Want, c.subjectIn(seen)); fits {
			j.known[c.number] = fitsIt
		}
	}
	return j.known[c.number] == fitsIt
}
