// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// Literal says in what a saved report does not have, by the very names, what its reader takes it to say; nil when there is
// nothing. Package encoding/json takes OUTCOME for outcome and a member that is missing for its zero value; another reader
// takes neither. Members that the reader does not know may stand there as well.
func Literal(run *Run, text []byte) error {
	read, err := json.Marshal(run)
	if err != nil {
		return err
	}
	return stands(read, text)
}

// Followed says in what a saved report is not what this version of the program would have written of the same run: what is
// always computed, such as its causes, was changed. Members that it does not know may stand there as well.
func Followed(run *Run, text []byte) error {
	var b bytes.Buffer
	if err := WriteJSON(&b, run.Settled()); err != nil {
		return err
	}
	return stands(b.Bytes(), text)
}

// stands says which member of the one text does not stand in the other.
func stands(wanted, text []byte) error {
	var values [2]any
	for i, one := range [][]byte{wanted, text} {
		d := json.NewDecoder(bytes.NewReader(one))
		d.UseNumber()
		if err := d.Decode(&values[i]); err != nil {
			return err
		}
	}
	return within(values[0], values[1], "")
}

func within(wanted, seen any, at string) error {
	switch wanted := wanted.(type) {
	case map[string]any:
		members, is := seen.(map[string]any)
		if !is {
			return differs(wanted, seen, at)
		}
		for _, name := range sortedNames(wanted) {
			value, has := members[name]
			if !has && !isNothing(wanted[name]) {
				return fmt.Errorf("the member %s is missing", show.Brief(join(at, name), 200))
			}
			if err := within(wanted[name], value, join(at, name)); err != nil {
				return err
			}
		}
		return nil
	case []any:
		list, is := seen.([]any)
		if isNothing(seen) && len(wanted) == 0 {
			return nil
		}
		if !is || len(list) != len(wanted) {
			return differs(wanted, seen, at)
		}
		for i := range wanted {
			if err := within(wanted[i], list[i], fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
		return nil
	}
	if wanted != seen && !(isNothing(wanted) && isNothing(seen)) {
		return differs(wanted, seen, at)
	}
	return nil
}

// isNothing says whether a value is none: null, or a list without elements.
func isNothing(v any) bool {
	list, is := v.([]any)
	return v == nil || is && len(list) == 0
}

func differs(wanted, seen any, at string) error {
	shown := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			return "?"
		}
		return show.Brief(string(text), 100)
	}
	if at == "" {
		return errors.New("it is no object")
	}
	return fmt.Errorf("%s is %s, and would be %s", show.Brief(at, 200), shown(seen), shown(wanted))
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func sortedNames(members map[string]any) []string {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
