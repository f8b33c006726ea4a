// SPDX-License-Identifier: Apache-2.0

package names

import "testing"

func TestNear(t *testing.T) {
	s := NewScope(nil)
	for id, want := range map[string]string{
		"0197b0a2-27a4-7b52-8f0b-6f1f1a8b2c3d": "0197b0a2-27a4-7b52-8f0b-6f1f1a8b2c3",
		"1042":                                 "1042x",
		"tâche-à-faire-🐢":                      "tâche-à-faire-🐢x",
		"une-tâche-à-faire-🐢":                  "une-tâche-à-faire-",
	} {
		s.Set("task", id)
		if got, err := s.Near("task"); err != nil || got != want {
			t.Errorf("near %s: %v, %v, want %s", id, got, err, want)
		}
	}
	s.Set("task", 5)
	for _, name := range []string{"task", "other"} {
		if got, err := s.Near(name); err == nil {
			t.Errorf("near %s: %v, want an error", name, got)
		}
	}
}
