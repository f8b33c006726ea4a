// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// namedWord stands for a condition that has a name: `task.state: {is: final}`.
const namedWord = "is"

var isConditionName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// maxNamed bounds what conditions that use conditions can grow to.
const maxNamed = 200

// A named is what is wanted of a value, by a name. Where the name stands it is read anew, so that what is loaded is the same as
// if it were written out there.
type named struct {
	at   Position
	want *yaml.Node // nil where something is wrong with it
}

// readConditions adds the conditions of a file to those that it knows. Each may use those before it.
func (r *conditions) readConditions(n *yaml.Node) {
	if !r.isMapping(n, "conditions") {
		return
	}
	r.later = map[string]Position{}
	for key := range pairs(n) {
		r.later[key.Value] = r.at(key)
	}
	for key, want := range pairs(n) {
		if !isConditionName.MatchString(key.Value) {
			r.problem(key, "%s cannot be the name of a condition: words in lower case, with hyphens between them, make one", quoted(key.Value))
		}
		if first, twice := r.known[key.Value]; twice {
			r.problem(key, "a condition called %s is already in %s", key.Value, first.at)
			continue
		}
		problems := len(r.problems)
		r.want(want)
		r.takeNames() // they are known, or not, where the condition is used
		if len(r.problems) > problems {
			want = nil
		}
		r.known[key.Value] = &named{r.at(key), want}
		delete(r.later, key.Value)
	}
}

// named adds what a name stands for.
func (r *conditions) named(w *wanting, n *yaml.Node) {
	name := r.text(n, namedWord)
	c, known := r.known[name]
	if !known {
		if name != "" {
			r.problem(n, "there is no condition %s%s", quoted(name), r.nameMeant(name))
		}
		return
	}
	r.used[c.at.String()] = true
	if c.want == nil {
		return
	}
	outer, at := r.stands, r.at(n)
	if outer == nil {
		r.grown = 0
	}
	if r.grown++; r.grown > maxNamed {
		return
	}
	r.stands = &at
	if c.want.Kind == yaml.MappingNode {
		r.words(w, c.want)
	} else if check, ok := r.check(c.want, "equals", c.want); ok {
		w.Checks = append(w.Checks, check)
	}
	r.stands = outer
	if outer == nil && r.grown > maxNamed {
		r.problem(n, "the condition %s grows to more than %d, with those that it uses", name, maxNamed)
	}
}

func (r *conditions) nameMeant(name string) string {
	if at, later := r.later[name]; later {
		return fmt.Sprintf(" here; it gets its name later, at %s", at)
	}
	return didYouMean(name, sortedKeys(r.known))
}

// A wanting is a value while its words are being read.
type wanting struct {
	assertions.Value
	inside assertions.Members
	at     int // where the check of inside stands among the checks
}

// words adds what a mapping of words wants. Keys that begin with a dot are places inside it; together they are one check, as
// an element that any looks for must fit all of them.
func (r *conditions) words(w *wanting, n *yaml.Node) {
	for key, argument := range pairs(n) {
		switch {
		case isInside(key.Value):
			if w.inside == nil {
				w.at = len(w.Checks)
				w.Checks = append(w.Checks, assertions.Check{At: r.at(key), Word: assertions.ByName(membersWord)})
			}
			w.inside = append(w.inside, assertions.Member{At: r.at(key), Path: r.dotted(key), Want: r.want(argument)})
		case key.Value == namedWord:
			r.named(w, argument)
		default:
			if check, ok := r.check(key, key.Value, argument); ok {
				w.Checks = append(w.Checks, check)
			}
		}
	}
}
