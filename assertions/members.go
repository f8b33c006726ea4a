// SPDX-License-Identifier: Apache-2.0

package assertions

var membersWord = Word{
	Name:  "members",
	Means: "is an object (or a list, for paths that begin with [) and each of these places in it fits; a place is written as a key that begins with a dot: .status.state, .[0].kid",
	Takes: Inside,
	Judge: func(got, want any) error {
		for _, m := range want.(Members) {
			if err := mayHold(got, m.Path); err != nil {
				return err
			}
		}
		return want.(Members).Judge(got)
	},
	Holds: func(got, want any) (bool, error) {
		for _, m := range want.(Members) {
			if !hasRoom(got, m.Path) {
				return false, nil
			}
		}
		return want.(Members).holds(got)
	},
}

// hasRoom says whether got can have something at path at all: in a text nothing is absent.
func hasRoom(got any, path Path) bool {
	if len(path.steps) == 0 {
		return true
	}
	switch got.(type) {
	case map[string]any:
		return path.steps[0].kind == 'm'
	case []any:
		return path.steps[0].kind != 'm'
	}
	return false
}

// mayHold is hasRoom, with what there is instead.
func mayHold(got any, path Path) error {
	if hasRoom(got, path) {
		return nil
	}
	if path.steps[0].kind == 'm' {
		return ofAnotherKind(got, "an object")
	}
	return ofAnotherKind(got, "a list")
}
