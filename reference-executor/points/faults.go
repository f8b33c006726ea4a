// SPDX-License-Identifier: Apache-2.0

package points

import (
	"fmt"
	"maps"
	"slices"
)

// Faults are named edits of a behaviour, in tables by topic. A name stands in one of them only.
type Faults[B any] []map[string]func(*B)

// Names are the names of all faults, sorted.
func (f Faults[B]) Names() []string {
	var names []string
	for _, table := range f {
		names = slices.AppendSeq(names, maps.Keys(table))
	}
	slices.Sort(names)
	return names
}

// Break gives a behaviour the named faults, in this order. The error is that there is no such fault.
func (f Faults[B]) Break(b *B, names []string) error { return f.apply(b, "fault", names) }

func (f Faults[B]) apply(b *B, kind string, names []string) error {
	for _, name := range names {
		apply := f.named(name)
		if apply == nil {
			return fmt.Errorf("no %s %q%s", kind, name, Suggest(name, f.Names()))
		}
		apply(b)
	}
	return nil
}

// Edited names the points that a fault changes of a behaviour, as [Edited] does; whole is true for a fault that does not
// exist, too.
func (f Faults[B]) Edited(name string, conformant func() *B) (changed []string, whole bool) {
	apply := f.named(name)
	if apply == nil {
		return nil, true
	}
	was, is := conformant(), conformant()
	apply(is)
	return Edited(was, is)
}

func (f Faults[B]) named(name string) func(*B) {
	for _, table := range f {
		if apply := table[name]; apply != nil {
			return apply
		}
	}
	return nil
}
