// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"sync"
)

// sightings are what the target was seen to do, whether its card declares it or not.
type sightings struct {
	mu  sync.Mutex
	all map[sighting]bool
}

type sighting struct{ kind, name string }

func (s *sightings) add(kind, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[sighting]bool{}
	}
	if len(s.all) < 200 {
		s.all[sighting{kind, name}] = true
	}
}

func (s *sightings) has(kind, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[sighting{kind, name}]
}
