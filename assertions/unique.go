// SPDX-License-Identifier: Apache-2.0

package assertions

import "fmt"

var uniqueWord = Word{
	Name:   "unique",
	Means:  "is a list of different values, or (with a path) one whose elements have different values at that path",
	Takes:  Literal,
	Schema: `{"anyOf": [{"const": true}, {"type": "string"}]}`,
	Check: func(want any) error {
		_, err := optionalPath("unique", want)
		return err
	},
	Judge: func(got, want any) error {
		path, err := optionalPath("unique", want)
		if err != nil {
			return err
		}
		list, err := elements(got)
		if err != nil {
			return err
		}
		values := make([]any, len(list))
		for i, element := range list {
			values[i] = path.Find(element)
			if IsMissing(values[i]) {
				return below(elementPath(i)+placeBelow(path), seen(Missing, "a value of its own"))
			}
		}
		if i, j, twice := repeated(values); twice {
			return &Problem{Seen: fmt.Sprintf("has %s twice, at %s and %s", show(values[i]),
				elementPath(i)+placeBelow(path), elementPath(j)+placeBelow(path))}
		}
		return nil
	},
}

// repeated finds the first value that occurs twice.
func repeated(values []any) (first, second int, twice bool) {
	texts := map[string]int{}
	var others []int
	for j, v := range values {
		if text, is := v.(string); is {
			if i, seen := texts[text]; seen {
				return i, j, true
			}
			texts[text] = j
			continue
		}
		for _, i := range others {
			if equal(v, values[i]) {
				return i, j, true
			}
		}
		others = append(others, j)
	}
	return 0, 0, false
}

// optionalPath is an argument that is a path, or true for the value itself.
func optionalPath(word string, want any) (Path, error) {
	if want == true {
		return Path{}, nil
	}
	text, err := textArgument(word, want)
	if err != nil {
		return Path{}, err
	}
	return ParsePath(text)
}

// placeBelow writes a path as the continuation of another place.
func placeBelow(p Path) string {
	if text := p.String(); text != "" && text[0] != '[' {
		return "." + text
	}
	return p.String()
}
