// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// rootsFile is the file of a folder that says which findings of several tests have one root; where they are many, others begin with its name:
// roots_push.yaml.
const rootsFile = "roots.yaml"

func isRootsFile(name string) bool {
	return name == rootsFile || strings.HasPrefix(name, strings.TrimSuffix(rootsFile, ".yaml")+"_") && isSuiteFile(name)
}

// A Root is one thing about a target that breaks several requirements: what a reader mends once. Which tests met it is
// decided by what their findings say, see package report.
type Root struct {
	At    Position
	Name  string // "task-id-ignored"; its cause in reports is called "root-" and this name
	Says  string // what the target does, in one sentence
	Fix   string // what to change, in one sentence
	Leads []string
	Shows []RootSign
	Least int // how many tests must show it
	// Faults are those of the reference executor that show it, and no others do.
	Faults []string
}

// A RootSign is what findings of some tests say when the root is there.
type RootSign struct {
	At        Position
	Tests     []string // ids, or patterns of them with *
	Says      string   // a regular expression that each of their findings must match
	Sometimes bool     // the root may be there though these tests pass
}

// leastShowing is how many tests must show a root that does not say.
const leastShowing = 2

// roots reads the file of roots.
func readRoots(file string, text []byte) ([]*Root, []Problem) {
	n, problems := parse(file, text)
	r := newReader(file, problems)
	if n == nil {
		return nil, problems
	}
	var all []*Root
	if readEntries(r, n, rootsFile, rootsKeys, &all) && !hasKey(n, "roots") {
		r.problem(n, "%s needs roots", rootsFile)
	}
	return all, r.problems
}

var rootsKeys []entry[[]*Root]

func init() {
	rootsKeys = []entry[[]*Root]{
		{"roots", "what breaks several requirements at once", listSchema(refSchema("root")),
			func(r *reader, all *[]*Root, v *yaml.Node) { *all = r.roots(v) }},
	}
}

func (r *reader) roots(n *yaml.Node) []*Root {
	if !r.isList(n, "roots") {
		return nil
	}
	var all []*Root
	for _, element := range n.Content {
		root := &Root{At: r.at(element), Least: leastShowing}
		if !readEntries(r, element, "a root", rootKeys, root) {
			continue
		}
		for _, needed := range rootNeeds {
			if !hasKey(element, needed) {
				r.problem(element, "a root needs %s", needed)
			}
		}
		r.leads(element, root)
		all = append(all, root)
	}
	return all
}

// rootsTwice are the problems of roots of a folder that have the name of one before.
func rootsTwice(all []*Root) []Problem {
	var problems []Problem
	first := map[string]Position{}
	for _, root := range all {
		if other, twice := first[root.Name]; twice && root.Name != "" {
			problems = append(problems, Problem{At: root.At, What: fmt.Sprintf("the root %s is already at %s", root.Name, other)})
			continue
		}
		first[root.Name] = root.At
	}
	return problems
}

// leads checks that the leading tests are among those that show the root, and that there are enough of them.
func (r *reader) leads(n *yaml.Node, root *Root) {
	members := root.Tests()
	for _, id := range root.Leads {
		if !slices.Contains(members, id) {
			r.problem(n, "%s leads the root %s and does not show it", id, root.Name)
		}
	}
	if hasKey(n, "shows") && len(members) < root.Least && !slices.ContainsFunc(members, isPattern) {
		r.problem(n, "the root %s is shown by %d tests at most and needs %d", root.Name, len(members), root.Least)
	}
}

func isPattern(test string) bool { return strings.Contains(test, "*") }

// Tests are the ids, and the patterns of ids, of all tests that can show the root, each once.
func (root *Root) Tests() []string {
	var all []string
	for _, s := range root.Shows {
		for _, id := range s.Tests {
			if !slices.Contains(all, id) {
				all = append(all, id)
			}
		}
	}
	return all
}

var rootNeeds = []string{"root", "says", "fix", "leads", "shows"}

var rootKeys = []entry[Root]{
	{"root", "the name, which reports print", textSchema(isFault),
		func(r *reader, root *Root, v *yaml.Node) {
			root.Name = r.form(v, "root", isFault, "task-id-ignored")
		}},
	{"says", "what the target does, in one sentence", refSchema("sentence"),
		func(r *reader, root *Root, v *yaml.Node) { root.Says = r.sentence(v, "says") }},
	{"fix", "what to change, in one sentence", refSchema("sentence"),
		func(r *reader, root *Root, v *yaml.Node) { root.Fix = r.sentence(v, "fix") }},
	{"leads", "the test without which there is no such root; of several, one must show it", eitherOr(textSchema(isID)),
		func(r *reader, root *Root, v *yaml.Node) { root.Leads = r.ids(v, "leads") }},
	{"least", "how many tests must show it; 2 if not said", schema{"type": "integer", "minimum": 2, "maximum": 1000},
		func(r *reader, root *Root, v *yaml.Node) { root.Least = r.integer(v, "least", 2, 1000) }},
	{"shows", "what findings say where the root is there", listSchema(entriesSchema("What tests say of a root", rootSignKeys, "tests", "says")),
		func(r *reader, root *Root, v *yaml.Node) { root.Shows = r.rootSigns(v) }},
	{"faults", "the faults of the reference executor that show the root", eitherOr(textSchema(isFault)),
		func(r *reader, root *Root, v *yaml.Node) {
			root.Faults = r.texts(v, "faults", func(one *yaml.Node) string { return r.form(one, "faults", isFault, "cancel-is-ignored") })
		}},
}

func (r *nodes) ids(n *yaml.Node, what string) []string {
	return r.texts(n, what, func(one *yaml.Node) string { return r.form(one, what, isID, "CARD-022") })
}

func (r *reader) rootSigns(n *yaml.Node) []RootSign {
	if !r.isList(n, "shows") {
		return nil
	}
	all := make([]RootSign, 0, len(n.Content))
	for _, element := range n.Content {
		s := RootSign{At: r.at(element)}
		if readEntries(r, element, "a sign of a root", rootSignKeys, &s) {
			for _, needed := range []string{"tests", "says"} {
				if !hasKey(element, needed) {
					r.problem(element, "a sign of a root needs %s", needed)
				}
			}
		}
		all = append(all, s)
	}
	return all
}

var rootSignKeys = []entry[RootSign]{
	{"tests", "the tests that say it: ids, or patterns with *", refSchema("ids"),
		func(r *reader, s *RootSign, v *yaml.Node) {
			s.Tests = r.texts(v, "tests", func(one *yaml.Node) string { return r.form(one, "tests", isTests, "TASK-022 or PTY-*") })
		}},
	{"says", "a regular expression that each finding of these tests must match, or what blocks them", schema{"type": "string", "format": "regex"},
		func(r *reader, s *RootSign, v *yaml.Node) {
			s.Says = r.sentence(v, "says")
			if _, err := syntax.Parse(s.Says, syntax.Perl); err != nil {
				r.problem(v, "says is no regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
			}
		}},
	{"sometimes", "the root may be there though these tests pass", schema{"type": "boolean"},
		func(r *reader, s *RootSign, v *yaml.Node) { s.Sometimes = r.boolean(v, "sometimes") }},
}
