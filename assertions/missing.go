// SPDX-License-Identifier: Apache-2.0

package assertions

// Missing is the value of a subject that is not there. It is not nil: JSON null is a value.
var Missing = missing{}

type missing struct{}

func (missing) String() string { return "missing" }

// IsMissing says whether a value is [Missing].
func IsMissing(v any) bool {
	_, is := v.(missing)
	return is
}
