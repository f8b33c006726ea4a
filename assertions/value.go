// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"fmt"
)

// A Position is a place in a suite file. The zero Position is nowhere.
type Position struct {
	File      string
	Line, Col int
}

// String is the position as compilers print it: file:line:col.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// A Value is what a suite wants of one subject: one or more words that must all hold. A plain value in a suite is the
// one word "equals".
type Value struct {
	At     Position
	Checks []Check
}

// A Check is one word with its argument, compiled.
type Check struct {
	At   Position
	Word *Word
	Want any // as Word.Judge takes it
}

// Members wants something of several places inside one value.
type Members []Member

// A Member is one place inside a value and what is wanted there.
type Member struct {
	At   Position
	Path Path
	Want Value
}

// Judge returns nil if got is as wanted, and otherwise the first *Problem found.
func (v Value) Judge(got any) error {
	for i := range v.Checks {
		if err := v.Checks[i].Judge(got); err != nil {
			return err
		}
	}
	return nil
}

// Judge applies the one word to got.
func (c *Check) Judge(got any) error { return c.Word.Judge(got, c.Want) }

// Judge returns nil if every member of got is as wanted, and otherwise the first *Problem found, with the member's path.
func (m Members) Judge(got any) error {
	for i := range m {
		if err := m[i].Want.Judge(m[i].Path.Find(got)); err != nil {
			return m.withOthers(below(placeBelow(m[i].Path), err), i, got)
		}
	}
	return nil
}

// Map returns a copy of v in which every JSON value that a word is given has been replaced by what replace makes of it.
// Suites use it to fill in ${names}; an error of replace ends the walk and is returned.
func (v Value) Map(replace func(any) (any, error)) (Value, error) {
	checks := make([]Check, len(v.Checks))
	for i, c := range v.Checks {
		want, err := mapWant(c.Want, replace)
		if err != nil {
			return Value{}, err
		}
		checks[i] = Check{At: c.At, Word: c.Word, Want: want}
	}
	return Value{At: v.At, Checks: checks}, nil
}

func mapWant(want any, replace func(any) (any, error)) (any, error) {
	switch want := want.(type) {
	case Value:
		return want.Map(replace)
	case []Value:
		values := make([]Value, len(want))
		for i := range want {
			var err error
			if values[i], err = want[i].Map(replace); err != nil {
				return nil, err
			}
		}
		return values, nil
	case Members:
		members := make(Members, len(want))
		for i, m := range want {
			value, err := m.Want.Map(replace)
			if err != nil {
				return nil, err
			}
			members[i] = Member{At: m.At, Path: m.Path, Want: value}
		}
		return members, nil
	case NamedArgs:
		args := make(NamedArgs, len(want))
		for name, arg := range want {
			var err error
			if args[name], err = mapWant(arg, replace); err != nil {
				return nil, err
			}
		}
		return args, nil
	default:
		return replace(want)
	}
}

// NamedArgs are the arguments of a word that takes Named ones: JSON values and Values, by name.
type NamedArgs map[string]any
