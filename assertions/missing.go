// SPDX-License-Identifier: Apache-2.0

package assertions

// Missing is the value of a subject that is not there. It is not nil: JSON null is a value.
var Missing = missing{}

// unreached is missing too, but says more: not even what should have held the place is there. A place in a body that
// never came is not an absent one, so the word absent refuses it.
var unreached = missing{holder: true}

type missing struct{ holder bool }

func (missing) String() string { return "missing" }

// IsMissing says whether a value is [Missing]. Compare with it, not with ==.
func IsMissing(v any) bool {
	_, is := v.(missing)
	return is
}
