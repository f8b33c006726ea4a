// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

const lifecycleSchema = `{"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": false, "properties": {` +
	`"initial": {"type": "array"}, "open": {"type": "array"}, "final": {"type": "array"}}}]}`

var followLifecycleWord = Word{
	Name: "follow_lifecycle",
	Means: "is a list in which the states, found at the first of these paths that an element has (elements with none do not count, " +
		"but some element has one), are known ones, an initial state is never entered from another one, and a final one is " +
		"never left",
	Takes: Named,
	Args: []Arg{
		{Name: "lifecycle", Takes: Literal, Required: true, Schema: lifecycleSchema},
		{Name: "state_at", Takes: Literal, Required: true, Schema: `{"type": ["string", "array"], "minItems": 1, "items": {"type": "string"}}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		life, err := lifecycleArgument("follow_lifecycle", args["lifecycle"])
		if err != nil {
			return err
		}
		paths, err := pathList("follow_lifecycle", args["state_at"])
		if err != nil {
			return err
		}
		list, err := elements(got)
		if err != nil {
			return err
		}
		var last any
		for i, element := range list {
			state, at := stateOf(element, paths)
			if IsMissing(state) {
				continue
			}
			if err := life.step(last, state); err != nil {
				return below(elementPath(i)+placeBelow(at), err)
			}
			last = state
		}
		if last == nil {
			return &Problem{Seen: fmt.Sprintf("has no state among %s", count(len(list), "element")), Wanted: "one at " + joinPaths(paths)}
		}
		return nil
	},
}

var laterStateWord = Word{
	Name:  "later_state",
	Means: "is a state of this life cycle that is the same as this one, or one that may follow it",
	Takes: Named,
	Args: []Arg{
		{Name: "lifecycle", Takes: Literal, Required: true, Schema: lifecycleSchema},
		{Name: "than", Takes: Literal, Required: true, Schema: `{"type": "string"}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		life, err := lifecycleArgument("later_state", args["lifecycle"])
		if err != nil {
			return err
		}
		if IsMissing(got) {
			return seen(got, "a state of the life cycle")
		}
		return life.step(args["than"], got)
	},
}

// A lifecycle is which states there are; any open or final state may follow an initial or open one.
type lifecycle struct{ initial, open, final []any }

func lifecycleArgument(word string, want any) (lifecycle, error) {
	members, is := want.(map[string]any)
	if !is {
		return lifecycle{}, fmt.Errorf("%s was given %s, not a life cycle", word, show(want))
	}
	list := func(name string) []any {
		states, _ := members[name].([]any)
		return states
	}
	life := lifecycle{initial: list("initial"), open: list("open"), final: list("final")}
	if len(life.initial)+len(life.open)+len(life.final) == 0 {
		return life, errors.New(word + " was given a life cycle without states")
	}
	return life, nil
}

// step says no to a state that cannot follow last. The same state may be reported again.
func (l lifecycle) step(last, state any) error {
	holds := func(states []any, s any) bool {
		return slices.ContainsFunc(states, func(v any) bool { return equal(s, v) })
	}
	switch {
	case !holds(l.initial, state) && !holds(l.open, state) && !holds(l.final, state):
		return &Problem{Seen: "is " + show(state) + ", which is not a state of the life cycle",
			Wanted: listed(slices.Concat(l.initial, l.open, l.final), "or")}
	case last == nil || equal(state, last):
		return nil
	case holds(l.final, last):
		return &Problem{Seen: "is " + show(state) + " and follows " + show(last) + ", which is final"}
	case holds(l.initial, state):
		return &Problem{Seen: "is " + show(state) + " and follows " + show(last) + ", but is only ever the first state"}
	}
	return nil
}

func joinPaths(paths []Path) string {
	texts := make([]string, len(paths))
	for i, p := range paths {
		texts[i] = p.String()
	}
	return strings.Join(texts, " or ")
}

// stateOf finds the state of an element at the first path that leads somewhere.
func stateOf(element any, paths []Path) (any, Path) {
	for _, path := range paths {
		if state := path.Find(element); !IsMissing(state) {
			return state, path
		}
	}
	return Missing, Path{}
}
