// SPDX-License-Identifier: Apache-2.0

// Package names keeps what the names of a test stand for, and makes the values that nobody has seen before.
package names

import (
	"maps"
	"slices"
	"sync"
)

// A Scope is the names of one test; a branch of a `together` has a scope of its own inside it.
type Scope struct {
	outer *Scope
	mu    sync.RWMutex
	names map[string]any
	seen  map[string]bool // which of them are parts of what was seen, and not made by the suite
}

// NewScope is a scope without names, inside another one or (nil) by itself.
func NewScope(outer *Scope) *Scope { return &Scope{outer: outer, names: map[string]any{}} }

// Set gives a name its value from now on.
func (s *Scope) Set(name string, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[name] = v
	delete(s.seen, name)
}

// Keep is [Scope.Set] for a part of what was seen.
func (s *Scope) Keep(name string, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[name] = v
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[name] = true
}

// IsSeen says whether a name stands for a part of what was seen.
func (s *Scope) IsSeen(name string) bool {
	for ; s != nil; s = s.outer {
		s.mu.RLock()
		_, found := s.names[name]
		seen := s.seen[name]
		s.mu.RUnlock()
		if found {
			return seen
		}
	}
	return false
}

// Find is what a name stands for here, or in a scope outside.
func (s *Scope) Find(name string) (any, bool) {
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

// NameOf is a name that stands for a text here, or in a scope outside; empty where none does.
func (s *Scope) NameOf(text string) string {
	for ; s != nil; s = s.outer {
		own := s.Own()
		for _, name := range slices.Sorted(maps.Keys(own)) {
			if value, is := own[name].(string); is && value == text {
				return name
			}
		}
	}
	return ""
}

// Own is a copy of the names kept in this scope itself.
func (s *Scope) Own() map[string]any {
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := make(map[string]any, len(s.names))
	for name, v := range s.names {
		names[name] = v
	}
	return names
}

// Holds says whether a text is the value of one of the names.
func (s *Scope) Holds(text string) bool {
	for ; s != nil; s = s.outer {
		s.mu.RLock()
		for _, v := range s.names {
			if v == any(text) {
				s.mu.RUnlock()
				return true
			}
		}
		s.mu.RUnlock()
	}
	return false
}
