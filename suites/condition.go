// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// condition compiles a mapping from subjects to what is wanted of them.
func (r *conditions) condition(n *yaml.Node, what string) []Expectation {
	if !r.isMapping(n, what) {
		return nil
	}
	if len(n.Content) == 0 {
		r.problem(n, "%s must name at least one subject", what)
	}
	all := make([]Expectation, 0, len(n.Content)/2)
	for key, wanted := range pairs(n) {
		subject := r.path(key, key.Value)
		if subject.String() == "" || !r.isSubject(key, subject) {
			continue
		}
		if wanted.Kind == yaml.MappingNode && hasMembers(subject.String()) && !r.holdsWords(wanted, subject.String()) {
			all = r.members(all, key, subject.String(), wanted)
			continue
		}
		all = append(all, r.expectation(key, subject, wanted))
	}
	return all
}

func (r *conditions) expectation(key *yaml.Node, subject assertions.Path, wanted *yaml.Node) Expectation {
	before := r.braces
	want := r.want(wanted)
	return Expectation{At: r.at(key), Subject: subject, Want: want, Named: r.braces > before}
}

// members makes an expectation of each member below a subject, so that each is judged and reported by itself:
// `json: {id: x, status.state: y}` are two, of json.id and of json.status.state.
func (r *conditions) members(all []Expectation, subjectKey *yaml.Node, subject string, wanted *yaml.Node) []Expectation {
	if len(wanted.Content) == 0 {
		r.problem(wanted, "%s names nothing that is wanted; {equals: {}} compares with an empty object", subject)
	}
	for key, member := range pairs(wanted) {
		if key.Value == "" {
			r.problem(key, "%s is not the path of a member of %s", quoted(key.Value), subject)
			continue
		}
		joined := subject + "." + key.Value
		if key.Value[0] == '[' {
			joined = subject + key.Value
		}
		if path := r.path(key, joined); path.String() != "" && r.isSubject(key, path) {
			all = append(all, r.expectation(key, path, member))
		}
	}
	return all
}

// holdsWords says whether a mapping below a subject such as json holds words for the subject itself, as in
// `json: {is_a: object}` and `json: {.id: x}`, or members. What holds both could be read either way, and is refused.
func (r *conditions) holdsWords(n *yaml.Node, subject string) bool {
	var words, members []string
	for key := range pairs(n) {
		if isInside(key.Value) || key.Value == namedWord || assertions.ByName(key.Value) != nil {
			words = append(words, key.Value)
		} else {
			members = append(members, key.Value)
		}
	}
	if len(words) > 0 && len(members) > 0 {
		remedy := "write a member that is called like a word [\"" + words[0] + "\"]"
		if slices.ContainsFunc(words, isInside) {
			remedy = "next to words, write a member as " + quoted("."+members[0])
		}
		r.problem(n, "%s holds words (%s) and members (%s); %s", subject, strings.Join(words, ", "), strings.Join(members, ", "), remedy)
	}
	return len(words) > 0
}

// want compiles what is wanted of one subject: a mapping of words, or a plain value, which means equals.
func (r *conditions) want(n *yaml.Node) assertions.Value {
	w := wanting{Value: assertions.Value{At: r.at(n)}}
	if n.Kind != yaml.MappingNode {
		if check, ok := r.check(n, "equals", n); ok {
			w.Checks = append(w.Checks, check)
		}
		return w.Value
	}
	if len(n.Content) == 0 {
		r.problem(n, "there is no word in {}; {equals: {}} compares with an empty object")
	}
	r.words(&w, n)
	if w.inside != nil {
		w.Checks[w.at].Want = w.inside
	}
	return w.Value
}

// membersWord is the word that keys which begin with a dot stand for; by its name it is not written.
const membersWord = "members"

// isInside says whether a key stands for a place inside of what is judged, not for a word.
func isInside(key string) bool { return strings.HasPrefix(key, ".") }

// dotted is the path of a key that begins with a dot: `.status.state`, `.[0].kid`, `.["runtime.kind"]`.
func (r *conditions) dotted(key *yaml.Node) assertions.Path {
	text := key.Value[1:]
	if text == "" || text[0] == '.' {
		r.problem(key, "%s is not the path of a member; write it like .a.b or .[0].a", quoted(key.Value))
		return assertions.Path{}
	}
	return r.path(key, text)
}

func (r *conditions) check(key *yaml.Node, name string, argument *yaml.Node) (assertions.Check, bool) {
	word := assertions.ByName(name)
	if name == membersWord {
		r.problem(key, "members is written as keys that begin with a dot%s", dottedLike(argument))
	} else if word == nil {
		hint := didYouMean(name, wordNames())
		if hint == "" {
			hint = " (a member is written " + quoted("."+name) + ")"
		}
		r.problem(key, "there is no word %s%s", quoted(name), hint)
		return assertions.Check{}, false
	}
	return assertions.Check{At: r.at(key), Word: word, Want: r.argument(word, argument)}, true
}

// dottedLike shows how the first member of a mapping is written.
func dottedLike(n *yaml.Node) string {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return ""
	}
	return ": " + quoted("."+n.Content[0].Value)
}

// argument compiles what stands behind a word.
func (r *conditions) argument(word *assertions.Word, n *yaml.Node) any {
	before, problems := r.braces, len(r.problems)
	var want any
	switch word.Takes {
	case assertions.Literal:
		want = r.literal(n, word.Name, word.Schema)
	case assertions.Nested:
		want = r.want(n)
	case assertions.Several:
		values := []assertions.Value{}
		if r.isList(n, word.Name) {
			for _, element := range n.Content {
				values = append(values, r.want(element))
			}
		}
		want = values
	case assertions.Inside:
		want = r.inside(n, word.Name)
	case assertions.Named:
		want = r.arguments(word, n)
	}
	if word.Check != nil && r.braces == before && len(r.problems) == problems {
		if err := word.Check(want); err != nil {
			r.problem(n, "%s: %v", word.Name, err)
		}
	}
	return want
}

func (r *conditions) literal(n *yaml.Node, what, schema string) any {
	value := r.value(n)
	if err := fits(schema, value); err != nil {
		r.problem(n, "%s: %v", what, err)
	}
	return value
}

func (r *conditions) inside(n *yaml.Node, what string) assertions.Members {
	if !r.isMapping(n, what) {
		return nil
	}
	if len(n.Content) == 0 {
		r.problem(n, "%s must name at least one member", what)
	}
	members := make(assertions.Members, 0, len(n.Content)/2)
	for key, wanted := range pairs(n) {
		members = append(members, assertions.Member{At: r.at(key), Path: r.path(key, key.Value), Want: r.want(wanted)})
	}
	return members
}

func (r *conditions) arguments(word *assertions.Word, n *yaml.Node) assertions.NamedArgs {
	named := assertions.NamedArgs{}
	if !r.isMapping(n, word.Name) {
		return named
	}
	for key, value := range pairs(n) {
		i := slices.IndexFunc(word.Args, func(a assertions.Arg) bool { return a.Name == key.Value })
		if i < 0 {
			r.problem(key, "%s takes no %s%s", word.Name, quoted(key.Value), didYouMean(key.Value, argNames(word)))
			continue
		}
		switch arg := word.Args[i]; arg.Takes {
		case assertions.Literal:
			named[arg.Name] = r.literal(value, word.Name+"."+arg.Name, arg.Schema)
			if name, is := named[arg.Name].(string); is && arg.Name == "lifecycle" {
				named[arg.Name] = r.lifecycle(value, name)
			}
		case assertions.Inside:
			named[arg.Name] = r.inside(value, word.Name+"."+arg.Name)
		default:
			named[arg.Name] = r.want(value)
		}
	}
	for _, arg := range word.Args {
		if _, given := named[arg.Name]; arg.Required && !given && !hasKey(n, arg.Name) {
			r.problem(n, "%s lacks its argument %s", word.Name, arg.Name)
		}
	}
	return named
}

// lifecycle puts a lifecycle in the place of its name: words know no suites.
func (r *conditions) lifecycle(n *yaml.Node, name string) any {
	l, known := r.life[name]
	if !known {
		r.problem(n, "there is no lifecycle %s%s", quoted(name), didYouMean(name, sortedKeys(r.life)))
		return name
	}
	graph := map[string]any{}
	for key, states := range map[string][]string{"initial": l.Initial, "open": l.Open, "final": l.Final} {
		listed := make([]any, len(states))
		for i, state := range states {
			listed[i] = state
		}
		graph[key] = listed
	}
	return graph
}

func hasKey(n *yaml.Node, name string) bool {
	for key := range pairs(n) {
		if key.Value == name {
			return true
		}
	}
	return false
}

func argNames(word *assertions.Word) []string {
	all := make([]string, len(word.Args))
	for i, a := range word.Args {
		all[i] = a.Name
	}
	return all
}

func wordNames() []string {
	all := make([]string, 0, len(assertions.Words))
	for i := range assertions.Words {
		if name := assertions.Words[i].Name; name != membersWord {
			all = append(all, name)
		}
	}
	return all
}
