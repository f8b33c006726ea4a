// SPDX-License-Identifier: Apache-2.0

package faultsets

import (
	"fmt"
	"slices"
	"testing"
)

func many(n int, change func(i int, f *Fault)) []Fault {
	all := make([]Fault, n)
	for i := range all {
		all[i] = Fault{Name: fmt.Sprintf("fault-%03d", i), Points: []string{fmt.Sprintf("point-%d", i)}}
		change(i, &all[i])
	}
	return all
}

func TestDraw(t *testing.T) {
	t.Parallel()
	faults := many(300, func(i int, f *Fault) {
		f.Points = []string{fmt.Sprintf("point-%d", i%120)}
		f.Whole, f.Fatal = i%10 == 3, i%20 == 7
	})
	named := map[string]Fault{}
	for _, f := range faults {
		named[f.Name] = f
	}
	fatals, sizes := 0, map[int]bool{}
	for seed := range uint64(400) {
		set := Draw(faults, seed)
		if !slices.Equal(set, Draw(faults, seed)) {
			t.Fatalf("seed %d gives two sets", seed)
		}
		if len(set) < Smallest || len(set) > Largest {
			t.Errorf("seed %d gives %d faults", seed, len(set))
		}
		sizes[len(set)] = true
		edited, wholes, fatal := map[string]bool{}, 0, 0
		for _, name := range set {
			f := named[name]
			if edited[f.Points[0]] {
				t.Errorf("seed %d: two faults edit %s", seed, f.Points[0])
			}
			edited[f.Points[0]] = true
			if f.Whole {
				wholes++
			}
			if f.Fatal {
				fatal++
			}
		}
		if wholes > 1 || fatal > 1 || fatal == 1 && len(set) > withFatal {
			t.Errorf("seed %d: of %d faults %d edit a value, and %d hide most others", seed, len(set), wholes, fatal)
		}
		fatals += fatal
	}
	if fatals == 0 || fatals > 60 {
		t.Errorf("%d of 400 sets have a fault that hides most others, want some, and few", fatals)
	}
	if !sizes[Smallest] || !sizes[Largest] {
		t.Errorf("the sizes are %v", sizes)
	}
}

func TestDrawTakesWhatThereIs(t *testing.T) {
	t.Parallel()
	one := many(5, func(_ int, f *Fault) { f.Points = []string{"the same"} })
	for seed := range uint64(20) {
		if set := Draw(one, seed); len(set) != 1 {
			t.Errorf("of faults that edit one point, %v are drawn", set)
		}
	}
	if set := Draw(nil, 1); len(set) != 0 {
		t.Errorf("of no faults, %v are drawn", set)
	}
}
