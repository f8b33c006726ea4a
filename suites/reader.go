// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// A reader turns the nodes of one file into our types. It never stops at a problem: it notes it and reads on, so that an
// author sees all of them at once.
type reader struct {
	conditions
	row profiles.Profile // of the profile that the file belongs to
}

// newReader begins with a file, of which problems may be known already.
func newReader(file string, problems []Problem) *reader {
	r := &reader{}
	r.file, r.problems = file, problems
	return r
}

// conditions reads values and what is wanted of them: whatever may have ${names} in it.
type conditions struct {
	nodes
	uris   map[string]string    // for paths, in which ${uri.x} may stand
	life   map[string]Lifecycle // for words, which are given the lifecycle that a suite names
	names  []nameRef            // the ${names} read since takeNames
	braces int                  // how many texts with ${ have been read

	known map[string]*named
	used  map[string]bool     // those of them that a place has used, by where they got their names
	later map[string]Position // those of the file that have no name yet
	grown int                 // how many conditions have been read for the one whose name stands in the file
}

// nodes reads what stands in a file as it is, and notes what is wrong with it.
type nodes struct {
	file     string
	stands   *Position // where the name stands whose condition is being read
	problems []Problem
}

// A nameRef is one use of a ${name}.
type nameRef struct {
	name string
	at   Position
}

func (r *nodes) at(n *yaml.Node) Position {
	if r.stands != nil {
		return *r.stands
	}
	return Position{File: r.file, Line: n.Line, Col: n.Column}
}

func (r *nodes) problem(n *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, Problem{r.at(n), fmt.Sprintf(format, args...)})
}

// takeNames returns the names that have been read since it was last called.
func (r *conditions) takeNames() []nameRef {
	taken := r.names
	r.names = nil
	return taken
}

// An entry is one key that a mapping may have: its name, its meaning, the JSON Schema of its value, and how it is read.
// Loader, suggestions and editor schema all come from these tables, so they cannot differ.
type entry[T any] struct {
	name, means string
	schema      schema
	read        func(r *reader, into *T, value *yaml.Node)
}

// readEntries reads a mapping whose keys are those of the table. what names the mapping in messages: "a test".
func readEntries[T any](r *reader, n *yaml.Node, what string, table []entry[T], into *T) bool {
	if !r.isMapping(n, what) {
		return false
	}
	for key, value := range pairs(n) {
		e := find(table, key.Value)
		if e == nil {
			r.problem(key, "%s has no key %s%s", what, quoted(key.Value), didYouMean(key.Value, names(table)))
			continue
		}
		e.read(r, into, value)
	}
	return true
}

func find[T any](table []entry[T], name string) *entry[T] {
	for i := range table {
		if table[i].name == name {
			return &table[i]
		}
	}
	return nil
}

func names[T any](table []entry[T]) []string {
	all := make([]string, len(table))
	for i := range table {
		all[i] = table[i].name
	}
	return all
}

// pairs are the keys of a mapping with their values.
func pairs(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Kind == yaml.ScalarNode && !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

func (r *nodes) isMapping(n *yaml.Node, what string) bool {
	if n.Kind != yaml.MappingNode {
		r.problem(n, "%s must be a mapping, not %s", what, kindOf(n))
		return false
	}
	return true
}

func (r *nodes) isList(n *yaml.Node, what string) bool {
	if n.Kind != yaml.SequenceNode {
		r.problem(n, "%s must be a list, not %s", what, kindOf(n))
		return false
	}
	if len(n.Content) == 0 {
		r.problem(n, "%s must not be empty", what)
		return false
	}
	return true
}

// kindOf names what a node holds: "a list".
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	value, err := scalar(n)
	if err != nil {
		return n.Value
	}
	return kindOfValue(value)
}

// text reads a text in which ${ has no meaning.
func (r *nodes) text(n *yaml.Node, what string) string {
	value, err := any(nil), error(nil)
	if n.Kind == yaml.ScalarNode {
		value, err = scalar(n)
	}
	if err != nil {
		r.problem(n, "%s: %v", what, err)
		return ""
	}
	text, is := value.(string)
	switch {
	case !is && n.Kind == yaml.ScalarNode && n.Value != "":
		r.problem(n, "%s must be text, not %s: quote it (%q)", what, kindOf(n), n.Value)
	case !is:
		r.problem(n, "%s must be text, not %s", what, kindOf(n))
	}
	return text
}

// sentence reads a text that must say something.
func (r *nodes) sentence(n *yaml.Node, what string) string {
	before := len(r.problems)
	text := strings.TrimSpace(r.text(n, what))
	if text == "" && len(r.problems) == before {
		r.problem(n, "%s must not be empty", what)
	}
	return text
}

// form reads a text of a given form; like is an example for the message.
func (r *nodes) form(n *yaml.Node, what string, form *regexp.Regexp, like string) string {
	before := len(r.problems)
	text := r.text(n, what)
	if !form.MatchString(text) && len(r.problems) == before {
		r.problem(n, "%s is %s, want something like %s", what, quoted(text), like)
	}
	return text
}

// choice reads one of a few words.
func (r *nodes) choice(n *yaml.Node, what string, choices ...string) string {
	before := len(r.problems)
	text := r.text(n, what)
	for _, c := range choices {
		if c == text {
			return text
		}
	}
	if len(r.problems) == before {
		r.problem(n, "%s is %s, want %s%s", what, quoted(text), list(choices), didYouMean(text, choices))
	}
	return ""
}

func (r *nodes) boolean(n *yaml.Node, what string) bool {
	if n.Kind == yaml.ScalarNode {
		if value, err := scalar(n); err == nil {
			if is, ok := value.(bool); ok {
				return is
			}
		}
	}
	r.problem(n, "%s must be true or false, not %s", what, kindOf(n))
	return false
}

func (r *nodes) integer(n *yaml.Node, what string, least, most int) int {
	if n.Kind == yaml.ScalarNode {
		if value, err := scalar(n); err == nil {
			if number, ok := value.(json.Number); ok {
				if i, err := strconv.Atoi(number.String()); err == nil && i >= least && i <= most {
					return i
				}
				r.problem(n, "%s is %s, want a whole number from %d to %d", what, number, least, most)
				return least
			}
		}
	}
	r.problem(n, "%s must be a whole number from %d to %d, not %s", what, least, most, kindOf(n))
	return least
}

// template reads a text with ${names} in it.
func (r *conditions) template(n *yaml.Node, what string) string {
	text := r.text(n, what)
	r.collect(n, text)
	return text
}

// collect notes the names in a text.
func (r *conditions) collect(n *yaml.Node, text string) {
	if !strings.Contains(text, "${") {
		return
	}
	r.braces++
	at := r.at(n)
	if err := eachName(text, func(name string) { r.names = append(r.names, nameRef{name, at}) }); err != nil {
		r.problem(n, "%v", err)
	}
}

// value reads a JSON value with ${names} in its texts.
func (r *conditions) value(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		members := make(map[string]any, len(n.Content)/2)
		for key, value := range pairs(n) {
			r.collect(key, key.Value)
			members[key.Value] = r.value(value)
		}
		return members
	case yaml.SequenceNode:
		elements := make([]any, len(n.Content))
		for i, element := range n.Content {
			elements[i] = r.value(element)
		}
		return elements
	case yaml.ScalarNode:
		value, err := scalar(n)
		if err != nil {
			r.problem(n, "%v", err)
		}
		if text, is := value.(string); is {
			r.collect(n, text)
		}
		return value
	}
	return nil // an alias, which parse has refused
}

// texts reads one text or a list of texts.
func (r *nodes) texts(n *yaml.Node, what string, one func(*yaml.Node) string) []string {
	if n.Kind != yaml.SequenceNode {
		return []string{one(n)}
	}
	if !r.isList(n, what) {
		return nil
	}
	all := make([]string, len(n.Content))
	for i, element := range n.Content {
		all[i] = one(element)
	}
	return all
}

// path reads a path. Of the names only ${uri.x} may stand in it, because that is known while loading.
func (r *conditions) path(n *yaml.Node, text string) assertions.Path {
	if strings.Contains(text, "${") {
		filled, err := Expand(text, func(name string) (any, error) {
			uri, known := r.uris[strings.TrimPrefix(name, "uri.")]
			if !strings.HasPrefix(name, "uri.") {
				return nil, fmt.Errorf("${%s} cannot be used in a path; only ${uri.x} can", name)
			}
			if !known {
				return nil, fmt.Errorf("nothing called ${%s} is known%s", name, nameMeant(name, prefixed("uri.", sortedKeys(r.uris))))
			}
			return uri, nil
		})
		if err != nil {
			r.problem(n, "%v", err)
			return assertions.Path{}
		}
		text = filled.(string)
	}
	path, err := assertions.ParsePath(text)
	if err != nil {
		r.problem(n, "%v", err)
	}
	return path
}
