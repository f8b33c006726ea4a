// SPDX-License-Identifier: Apache-2.0

package points

// Liberties are named edits of a behaviour that keep the contract: what it leaves free and other servers do otherwise, in tables by
// topic. No verdict may depend on one.
type Liberties[B any] []map[string]func(*B)

// Names are the names of all liberties, sorted.
func (l Liberties[B]) Names() []string { return Faults[B](l).Names() }

// Take gives a behaviour the named liberties, in this order. The error is that there is no such liberty.
func (l Liberties[B]) Take(b *B, names []string) error {
	return Faults[B](l).apply(b, "liberty", names)
}

// Edited names the points that a liberty changes of a behaviour, as [Edited] does; whole is true for one that does not exist, too.
func (l Liberties[B]) Edited(name string, conformant func() *B) (changed []string, whole bool) {
	return Faults[B](l).Edited(name, conformant)
}
