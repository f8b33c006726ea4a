// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// SideEffectsFile is the file of a folder that says what else faults change. The self-test adds to it, see [AddSideEffects].
const SideEffectsFile = "side_effects.yaml"

// A SideEffect says which tests a fault of the reference executor changes though they are not about it and do not name it.
type SideEffect struct {
	At    Position
	Fault string
	Tests []string // ids, or patterns of them with *
}

// Beside are the tests, or patterns of them, that a fault changes though they do not name it.
func (p *Profile) Beside(fault string) []string {
	i := slices.IndexFunc(p.SideEffects, func(s SideEffect) bool { return s.Fault == fault })
	if i < 0 {
		return nil
	}
	return p.SideEffects[i].Tests
}

func readSideEffects(file string, text []byte) ([]SideEffect, []Problem) {
	n, problems := parse(file, text)
	r := newReader(file, problems)
	if n == nil {
		return nil, problems
	}
	var all []SideEffect
	if readEntries(r, n, SideEffectsFile, sideEffectsKeys, &all) && !hasKey(n, "side_effects") {
		r.problem(n, "%s needs side_effects", SideEffectsFile)
	}
	return all, r.problems
}

var sideEffectsKeys = []entry[[]SideEffect]{
	{"side_effects", "what faults change in other tests than those that name them: by fault, ids, or patterns with *", sideEffectsSchema,
		func(r *reader, all *[]SideEffect, v *yaml.Node) {
			if !r.isMapping(v, "side_effects") {
				return
			}
			for key, tests := range pairs(v) {
				s := SideEffect{At: r.at(key), Fault: r.form(key, "fault", isFault, "cancel-is-ignored")}
				if r.isList(tests, s.Fault) {
					s.Tests = r.texts(tests, s.Fault, func(one *yaml.Node) string { return r.form(one, s.Fault, isTests, "TASK-022 or PTY-*") })
				}
				*all = append(*all, s)
			}
		}},
}

var sideEffectsSchema = schema{"type": "object", "propertyNames": textSchema(isFault), "additionalProperties": listSchema(textSchema(isTests))}

var sideEffectLine = regexp.MustCompile(`^  ([a-z0-9-]+): \[([^\]]*)\](.*)$`)

// widestSideEffect is the longest line that is written; goesOn is what the next one of the same fault begins with.
const (
	widestSideEffect = 120
	goesOn           = "    "
)

// AddSideEffects adds tests to the faults of a file of side effects, which has a line for each fault, or several where it is
// long, sorted as the tests in it are. It takes nothing out, and leaves comments as they are.
func AddSideEffects(text string, found map[string][]string) (string, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	first := slices.Index(lines, "side_effects:") + 1
	if first == 0 {
		return "", fmt.Errorf("%s has no line %q", SideEffectsFile, "side_effects:")
	}
	head, lines := lines[:first], joined(lines[first:])
	names := make([]string, len(lines))
	for i, line := range lines {
		parts := sideEffectLine.FindStringSubmatch(line)
		if parts == nil || i > 0 && parts[1] <= names[i-1] {
			return "", fmt.Errorf("%s: %q is no line such as `  cancel-is-ignored: [TASK-022]`, or not in its order", SideEffectsFile, line)
		}
		names[i] = parts[1]
	}
	for _, fault := range sortedKeys(found) {
		if len(found[fault]) == 0 {
			continue
		}
		tests, comment := found[fault], ""
		i, there := slices.BinarySearch(names, fault)
		if there {
			parts := sideEffectLine.FindStringSubmatch(lines[i])
			tests, comment = append(strings.Split(parts[2], ", "), tests...), parts[3]
			lines, names = slices.Delete(lines, i, i+1), slices.Delete(names, i, i+1)
		}
		tests = slices.Sorted(slices.Values(tests))
		line := "  " + fault + ": [" + strings.Join(slices.Compact(tests), ", ") + "]" + comment
		lines, names = slices.Insert(lines, i, line), slices.Insert(names, i, fault)
	}
	for _, line := range lines {
		head = append(head, folded(line)...)
	}
	return strings.Join(head, "\n") + "\n", nil
}

// joined are lines of which each has what goes on below it.
func joined(lines []string) []string {
	var all []string
	for _, line := range lines {
		if more, is := strings.CutPrefix(line, goesOn); is && len(all) > 0 {
			all[len(all)-1] += " " + more
		} else {
			all = append(all, line)
		}
	}
	return all
}

// folded is a line that goes on below where it is long; it breaks between tests.
func folded(line string) []string {
	var all []string
	for len(line) > widestSideEffect {
		at := strings.LastIndex(line[:min(widestSideEffect, strings.Index(line, "]")+1)], ", ")
		if at < 0 {
			break
		}
		all, line = append(all, line[:at+1]), goesOn+line[at+2:]
	}
	return append(all, line)
}
