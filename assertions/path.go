// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Path names a place inside a value: `status.state`, `keys[0].kid`, `metadata["runtime.kind"]`, `branches[*].task.id`.
// [*] stands for every element of a list; what follows it is looked up in each, and the result is one list, however many
// [*] there are. A negative index counts from the end. The zero Path is the value itself.
type Path struct {
	text  string
	steps []pathStep
}

type pathStep struct {
	member string
	index  int
	kind   byte // 'm' member, 'i' index, '*' every element
}

func (s pathStep) every() bool { return s.kind == '*' }

// ParsePath reads a path as suites write it. The error says which character cannot stand where it does.
func ParsePath(text string) (Path, error) {
	p := Path{text: text}
	rest := text
	for first := true; rest != ""; first = false {
		switch {
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			if strings.HasPrefix(rest, `["`) {
				if end = strings.Index(rest, `"]`); end >= 0 {
					end++
				}
			}
			if end < 0 {
				return Path{}, fmt.Errorf("path %q: [ is never closed", text)
			}
			step, err := bracket(rest[1:end])
			if err != nil {
				return Path{}, fmt.Errorf("path %q: %w", text, err)
			}
			p.steps = append(p.steps, step)
			rest = rest[end+1:]
		case rest[0] == '.' && !first, first:
			rest = strings.TrimPrefix(rest, ".")
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return Path{}, fmt.Errorf("path %q has an empty member name", text)
			}
			p.steps = append(p.steps, pathStep{kind: 'm', member: rest[:end]})
			rest = rest[end:]
		default:
			return Path{}, fmt.Errorf("path %q: %q cannot follow ]", text, rest[0])
		}
	}
	return p, nil
}

func bracket(inside string) (pathStep, error) {
	if inside == "*" {
		return pathStep{kind: '*'}, nil
	}
	if len(inside) >= 2 && inside[0] == '"' && inside[len(inside)-1] == '"' {
		return pathStep{kind: 'm', member: inside[1 : len(inside)-1]}, nil
	}
	n, err := strconv.Atoi(inside)
	if err != nil {
		return pathStep{}, fmt.Errorf(`[%s] is neither a number, nor *, nor a name in double quotes`, inside)
	}
	return pathStep{kind: 'i', index: n}, nil
}

// MustPath is ParsePath for paths written in Go; it panics on a path that does not parse.
func MustPath(text string) Path {
	p, err := ParsePath(text)
	if err != nil {
		panic("bug: " + err.Error())
	}
	return p
}

// String is the path as it was written.
func (p Path) String() string { return p.text }

// Head is the first member name of the path, the subject, and "" when the path does not begin with one.
func (p Path) Head() string {
	if len(p.steps) == 0 || p.steps[0].kind != 'm' {
		return ""
	}
	return p.steps[0].member
}

// Tail is the path without its first step.
func (p Path) Tail() Path {
	if len(p.steps) == 0 {
		return p
	}
	head := p.steps[0].member
	return Path{text: strings.TrimPrefix(strings.TrimPrefix(p.text, head), "."), steps: p.steps[1:]}
}

// Find returns what stands at the path in v, and [Missing] when nothing does. A place below a v that is itself missing
// is missing in a way that the word absent does not accept: nothing was measured there.
func (p Path) Find(v any) any {
	if IsMissing(v) && len(p.steps) > 0 {
		return unreached
	}
	return find(v, p.steps)
}

func find(v any, steps []pathStep) any {
	for i, step := range steps {
		switch step.kind {
		case 'm':
			members, ok := v.(map[string]any)
			if !ok {
				return Missing
			}
			if v, ok = members[step.member]; !ok {
				return Missing
			}
		case 'i':
			list, ok := v.([]any)
			n := step.index
			if n < 0 {
				n += len(list)
			}
			if !ok || n < 0 || n >= len(list) {
				return Missing
			}
			v = list[n]
		case '*':
			list, ok := v.([]any)
			if !ok {
				return Missing
			}
			rest := steps[i+1:]
			found := make([]any, 0, len(list))
			for _, element := range list {
				switch got := find(element, rest); {
				case IsMissing(got):
				case slices.ContainsFunc(rest, pathStep.every):
					found = append(found, got.([]any)...)
				default:
					found = append(found, got)
				}
			}
			return found
		}
	}
	return v
}

// Number is n as the JSON number that observations and suites carry.
func Number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }
