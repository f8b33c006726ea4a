// SPDX-License-Identifier: Apache-2.0

package assertions

// Places are the places inside a value that a condition looks at, so that nothing else of the value has to be made to see whether it
// holds. known is false where it looks at the value as a whole.
func (v Value) Places() (places []Path, known bool) {
	for _, check := range v.Checks {
		var nested []Value
		switch want := check.Want.(type) {
		case Members:
			if check.Word.Name != membersWord.Name {
				return nil, false
			}
			for _, member := range want {
				if member.Path.Head() == "" {
					return nil, false
				}
				places = append(places, member.Path)
			}
			continue
		case []Value:
			if check.Word.Name != anyOfWord.Name && check.Word.Name != allOfWord.Name {
				return nil, false
			}
			nested = want
		case Value:
			if check.Word.Name != notWord.Name {
				return nil, false
			}
			nested = []Value{want}
		default:
			return nil, false
		}
		for _, one := range nested {
			more, known := one.Places()
			if !known {
				return nil, false
			}
			places = append(places, more...)
		}
	}
	return places, true
}
