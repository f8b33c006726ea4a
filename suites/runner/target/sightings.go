// SPDX-License-Identifier: Apache-2.0

package target

import (
	"maps"
	"slices"
	"sync"
)

// Sightings are what the target was seen to do, whether its card declares it or not.
type Sightings struct {
	mu  sync.Mutex
	all map[Sighting]bool
}

// A Sighting is one thing that was seen: a capability, a binding, an extension.
type Sighting struct{ Kind, Name string }

// Add notes that something was seen, up to a bound: a target can name as many things as it likes.
func (s *Sightings) Add(kind, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[Sighting]bool{}
	}
	if len(s.all) < 200 {
		s.all[Sighting{kind, name}] = true
	}
}

// Has says whether something was seen.
func (s *Sightings) Has(kind, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[Sighting{kind, name}]
}

// All is everything that was seen, in no order.
func (s *Sightings) All() []Sighting {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.all))
}
