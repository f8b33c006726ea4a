// SPDX-License-Identifier: Apache-2.0

package assertions

var membersWord = Word{
	Name:  "members",
	Means: "is an object (or a list, for paths that begin with [) and each of these places in it fits",
	Takes: Inside,
	Judge: func(got, want any) error {
		for _, m := range want.(Members) {
			if err := holds(got, m.Path); err != nil {
				return err
			}
		}
		return want.(Members).Judge(got)
	},
}

// holds says whether got can have something at path at all: in a text nothing is absent.
func holds(got any, path Path) error {
	if len(path.steps) == 0 {
		return nil
	}
	switch got.(type) {
	case map[string]any:
		if path.steps[0].kind == 'm' {
			return nil
		}
	case []any:
		if path.steps[0].kind != 'm' {
			return nil
		}
	}
	if path.steps[0].kind == 'm' {
		return seen(got, "an object")
	}
	return seen(got, "a list")
}
