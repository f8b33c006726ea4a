// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"sync"
)

// A scope is the names of one test; a branch of a `together` has a scope of its own inside it.
type scope struct {
	outer *scope
	mu    sync.RWMutex
	names map[string]any
}

func newScope(outer *scope) *scope { return &scope{outer: outer, names: map[string]any{}} }

// set gives a name its value from now on.
func (s *scope) set(name string, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[name] = v
}

func (s *scope) find(name string) (any, bool) {
	for ; s != nil; s = s.outer {
		s.mu.RLock()
		v, found := s.names[name]
		s.mu.RUnlock()
		if found {
			return v, true
		}
	}
	return nil, false
}

// lookup returns what ${name} stands for now.
func (p *player) lookup(name string) (any, error) {
	if v, found := p.names.find(name); found {
		return v, nil
	}
	return nil, fmt.Errorf("nothing called ${%s} is known", name)
}
