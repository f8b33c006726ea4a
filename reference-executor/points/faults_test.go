// SPDX-License-Identifier: Apache-2.0

package points

import (
	"slices"
	"testing"
)

type switches struct{ first, second func() int }

func off() *switches {
	none := func() int { return 0 }
	return &switches{none, none}
}

var breaks = Faults[switches]{
	{"first-is-one": func(s *switches) { s.first = func() int { return 1 } }},
	{"second-is-two": func(s *switches) { s.second = func() int { return 2 } }, "first-is-three": func(s *switches) { s.first = func() int { return 3 } }},
}

func TestFaultsOfAllTablesAreNamed(t *testing.T) {
	if got := breaks.Names(); !slices.Equal(got, []string{"first-is-one", "first-is-three", "second-is-two"}) {
		t.Errorf("the names are %q", got)
	}
}

func TestBreak(t *testing.T) {
	for _, c := range []struct {
		name          string
		faults        []string
		first, second int
		err           string
	}{
		{name: "no fault"},
		{name: "one", faults: []string{"second-is-two"}, second: 2},
		{name: "of several tables", faults: []string{"first-is-one", "second-is-two"}, first: 1, second: 2},
		{name: "the last one counts", faults: []string{"first-is-one", "first-is-three"}, first: 3},
		{name: "an unknown one", faults: []string{"second-is-tow"}, err: `no fault "second-is-tow" (did you mean "second-is-two"?)`},
	} {
		b := off()
		err := breaks.Break(b, c.faults)
		switch {
		case c.err != "":
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: the error is %v, want %s", c.name, err, c.err)
			}
		case err != nil || b.first() != c.first || b.second() != c.second:
			t.Errorf("%s: %d and %d, error %v, want %d and %d", c.name, b.first(), b.second(), err, c.first, c.second)
		}
	}
}

func TestEditedByAFault(t *testing.T) {
	if changed, whole := breaks.Edited("second-is-two", off); whole || !slices.Equal(changed, []string{"second"}) {
		t.Errorf("it changes %q, and whole is %t", changed, whole)
	}
	if changed, whole := breaks.Edited("no-such-fault", off); !whole || changed != nil {
		t.Errorf("a fault that does not exist changes %q, and whole is %t", changed, whole)
	}
}

func TestLiberties(t *testing.T) {
	taken, b := Liberties[switches](breaks), off()
	if err := taken.Take(b, []string{"second-is-two"}); err != nil || b.first() != 0 || b.second() != 2 {
		t.Errorf("%d and %d, error %v, want 0 and 2", b.first(), b.second(), err)
	}
	if err := taken.Take(b, []string{"second-is-tow"}); err == nil || err.Error() != `no liberty "second-is-tow" (did you mean "second-is-two"?)` {
		t.Errorf("of an unknown one the error is %v", err)
	}
	if changed, whole := taken.Edited("second-is-two", off); whole || !slices.Equal(changed, []string{"second"}) {
		t.Errorf("it changes %q, and whole is %t", changed, whole)
	}
	if !slices.Equal(taken.Names(), breaks.Names()) {
		t.Errorf("the names are %q", taken.Names())
	}
}
