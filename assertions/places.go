// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"maps"
	"reflect"
	"slices"
)

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
			compared, known := comparedPlaces(check)
			if !known {
				return nil, false
			}
			places = append(places, compared...)
			continue
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

// comparedPlaces are those of a word that is given nothing but the paths of what it compares.
func comparedPlaces(check Check) (places []Path, known bool) {
	if check.Word.Name != sameWord.Name && check.Word.Name != timesIncreaseWord.Name {
		return nil, false
	}
	places, err := pathList(check.Word.Name, check.Want)
	return places, err == nil && !slices.ContainsFunc(places, func(p Path) bool { return p.Head() == "" })
}

// Same says whether two conditions want the same, wherever they are written.
func (v Value) Same(other Value) bool {
	return slices.EqualFunc(v.Checks, other.Checks, func(a, b Check) bool { return a.Word.Name == b.Word.Name && sameWant(a.Want, b.Want) })
}

func sameWant(a, b any) bool {
	switch a := a.(type) {
	case Value:
		b, is := b.(Value)
		return is && a.Same(b)
	case []Value:
		b, is := b.([]Value)
		return is && slices.EqualFunc(a, b, Value.Same)
	case Members:
		b, is := b.(Members)
		return is && slices.EqualFunc(a, b, func(a, b Member) bool { return a.Path.String() == b.Path.String() && a.Want.Same(b.Want) })
	case NamedArgs:
		b, is := b.(NamedArgs)
		return is && maps.EqualFunc(a, b, sameWant)
	}
	return reflect.DeepEqual(a, b)
}
