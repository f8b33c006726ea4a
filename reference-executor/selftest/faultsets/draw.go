// SPDX-License-Identifier: Apache-2.0

package faultsets

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// Sizes of sets. One with a fatal fault is small: there, most others are not seen.
const (
	Smallest  = 2
	Largest   = 40
	withFatal = 4
)

// Draw picks a set of 2 to 40 faults that edit different points. The same faults and the same seed give the same set. One
// set in eight may have a fault that changes nearly everything, and is small then. It is shorter than it might be where
// there are not enough faults that go together. Another fault in the list changes a set only if it comes into it.
func Draw(faults []Fault, seed uint64) []string {
	random := rand.New(rand.NewPCG(seed, 0))
	size := Smallest + random.IntN(Largest-Smallest+1)
	fatal := random.IntN(8) == 0
	if fatal {
		size = Smallest + random.IntN(withFatal-Smallest+1)
	}
	edited := map[string]bool{}
	var set []string
	for _, f := range shuffled(faults, seed) {
		if len(set) == size {
			break
		}
		if f.Fatal && !fatal || f.Whole && edited[anyWhole] || overlaps(edited, f.Points) {
			continue
		}
		for _, point := range f.Points {
			edited[point] = true
		}
		edited[anyWhole] = edited[anyWhole] || f.Whole
		fatal = fatal && !f.Fatal
		set = append(set, f.Name)
	}
	return set
}

// shuffled are the faults in an order that depends on the seed and on the name of each alone.
func shuffled(faults []Fault, seed uint64) []Fault {
	place := make(map[string]uint64, len(faults))
	for _, f := range faults {
		sum := fnv.New64a()
		fmt.Fprint(sum, f.Name)
		place[f.Name] = rand.New(rand.NewPCG(sum.Sum64(), seed)).Uint64()
	}
	return slices.SortedFunc(slices.Values(faults), func(a, b Fault) int { return cmp.Compare(place[a.Name], place[b.Name]) })
}

// anyWhole stands for all values that decide without being asked: which of them a fault edits is not known.
const anyWhole = ""

func overlaps(edited map[string]bool, points []string) bool {
	for _, point := range points {
		if edited[point] {
			return true
		}
	}
	return false
}
