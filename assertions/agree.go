// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"fmt"
	"sync"
)

var agreeOnWord = Word{
	Name: "agree_on",
	Means: "is a list of at least two elements that all have the same value at this path (true: that are all the same); a value " +
		"that is missing in one of them agrees with nothing",
	Takes:  Literal,
	Schema: `{"anyOf": [{"type": "string"}, {"const": true}]}`,
	Check: func(want any) error {
		_, err := optionalPath("agree_on", want)
		return err
	},
	Judge: func(got, want any) error { return agree("agree_on", got, want, difference) },
}

// agree compares every element with the first.
func agree(word string, got, want any, differ func(got, first any) error) error {
	path, err := optionalPath(word, want)
	if err != nil {
		return err
	}
	list, err := elements(got)
	if err != nil {
		return err
	}
	if len(list) < 2 {
		return &Problem{Seen: "has " + count(len(list), "element"), Wanted: "at least 2 to compare"}
	}
	first := path.Find(list[0])
	for i, element := range list {
		at := elementPath(i) + placeBelow(path)
		value := path.Find(element)
		if IsMissing(value) {
			return &Problem{Path: at, Seen: "is missing", Wanted: "something to compare"}
		}
		if i == 0 {
			continue
		}
		if err := differ(value, first); err != nil {
			return differs(at, err)
		}
	}
	return nil
}

func differs(at string, err error) error {
	var p *Problem
	if !errors.As(err, &p) {
		return err
	}
	moved := *p
	moved.Path = at + p.Path
	if moved.Wanted != "" {
		moved.Wanted += " as in [0]"
	}
	return &moved
}

var sameWord = Word{
	Name:   "same",
	Means:  "is an object or list with the same value at all of these paths",
	Takes:  Literal,
	Schema: `{"type": "array", "minItems": 2, "items": {"type": "string"}}`,
	Check: func(want any) error {
		_, err := pathList("same", want)
		return err
	},
	Judge: func(got, want any) error {
		paths, err := pathList("same", want)
		if err != nil {
			return err
		}
		if IsMissing(got) {
			return &Problem{Seen: "is missing"}
		}
		var first any
		for i, path := range paths {
			value := path.Find(got)
			if IsMissing(value) {
				return &Problem{Path: placeBelow(path), Seen: "is missing", Wanted: thereAt(paths, got)}
			}
			if i == 0 {
				first = value
			}
			if err := below(placeBelow(path), difference(value, first)); err != nil {
				return alike(err, paths[0])
			}
		}
		return nil
	},
}

// thereAt is the first value at one of several paths, with the path: what is missing at another one should be that.
func thereAt(paths []Path, got any) string {
	for _, path := range paths {
		if value := path.Find(got); !IsMissing(value) {
			return fmt.Sprintf("%s as %s", show(value), path)
		}
	}
	return "something to compare"
}

func alike(err error, first Path) error {
	var p *Problem
	if errors.As(err, &p) && p.Wanted != "" {
		p.Wanted = fmt.Sprintf("%s as %s", p.Wanted, first)
	}
	return err
}

func checkPath(want any) error {
	_, err := optionalPath("a path", want)
	return err
}

// pathList is an argument that is a list of paths.
func pathList(word string, want any) ([]Path, error) {
	list, err := textOrList(word, want)
	if err != nil {
		return nil, err
	}
	paths := make([]Path, len(list))
	for i := range list {
		if paths[i], err = parsedPath(list[i].(string)); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// parsedPaths are paths that words have been given, which are judged again and again.
var parsedPaths sync.Map // Path by string

func parsedPath(text string) (Path, error) {
	if known, is := parsedPaths.Load(text); is {
		return known.(Path), nil
	}
	path, err := ParsePath(text)
	if err == nil {
		parsedPaths.Store(text, path)
	}
	return path, err
}
