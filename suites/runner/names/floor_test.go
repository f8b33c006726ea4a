// SPDX-License-Identifier: Apache-2.0

package names

import "testing"

func TestFloor(t *testing.T) {
	s := NewScope(nil)
	for kept, want := range map[string]string{
		"2026-11-29T02:10:05Z":           "2026-11-29T02:10:05Z",
		"2026-11-29T02:10:05.12Z":        "2026-11-29T02:10:05Z",
		"2026-11-29T04:10:05.999+02:00":  "2026-11-29T02:10:05Z",
		"1969-12-31T23:59:59.999999999Z": "1969-12-31T23:59:59Z",
	} {
		s.Set("stamp", kept)
		if got, err := s.Floor("stamp"); err != nil || got != want {
			t.Errorf("floor %s: %v, %v, want %s", kept, got, err, want)
		}
	}
	s.Set("stamp", "yesterday")
	for _, name := range []string{"stamp", "other"} {
		if got, err := s.Floor(name); err == nil {
			t.Errorf("floor %s: %v, want an error", name, got)
		}
	}
}
