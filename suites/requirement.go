// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

var (
	isID      = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]*$`)
	isTests   = regexp.MustCompile(`^[A-Za-z*][A-Za-z0-9._*-]*$`) // ids, or patterns of them
	isTest    = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	isFault   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	isVersion = regexp.MustCompile(`^v[0-9]+(\.[0-9]+)*$`)
	isClaim   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._/:+-]*$`)
)

// levels are the keys that carry the sentence of a requirement.
var levels = []struct {
	key   string
	level Level
}{{"must", Must}, {"must_not", MustNot}, {"should", Should}, {"should_not", ShouldNot}, {"may", May}}

func levelEntries[T any](set func(into *T, level Level, says string)) []entry[T] {
	all := make([]entry[T], len(levels))
	for i, l := range levels {
		all[i] = entry[T]{l.key, "the requirement in one sentence: " + string(l.level) + " ...", refSchema("sentence"),
			func(r *reader, into *T, v *yaml.Node) { set(into, l.level, r.sentence(v, l.key)) }}
	}
	return all
}

func (r *reader) test(n *yaml.Node, suite *Suite) *Test {
	t := &Test{At: r.at(n), Suite: suite}
	if !readEntries(r, n, "a test", testKeys, t) {
		return nil
	}
	r.hasLevel(n, "a test")
	for _, needed := range []string{"id", "test", "steps"} {
		if !hasKey(n, needed) {
			r.problem(n, "a test needs %s", needed)
		}
	}
	t.Applies = suite.Applies.and(t.Applies)
	return t
}

// hasLevel checks that exactly one key carries the sentence.
func (r *nodes) hasLevel(n *yaml.Node, what string) {
	first := ""
	for key := range pairs(n) {
		for _, l := range levels {
			if l.key != key.Value {
				continue
			}
			if first != "" {
				r.problem(key, "%s has one sentence; this one has %s and %s", what, first, key.Value)
			}
			first = key.Value
		}
	}
	if first == "" {
		r.problem(n, "%s needs its sentence: must, must_not, should, should_not or may", what)
	}
}

// testKeys are the keys of a test.
var testKeys = append([]entry[Test]{
	{"id", "the catalog's id, which reports print and which never changes: CARD-022", textSchema(isID),
		func(r *reader, t *Test, v *yaml.Node) { t.ID = r.form(v, "id", isID, "CARD-022") }},
	{"test", "the name: says what is true when the test passes", textSchema(isTest),
		func(r *reader, t *Test, v *yaml.Node) {
			t.Name = r.form(v, "test", isTest, "cancel_moves_an_open_task_to_canceled")
		}},
	{"source", "where the contract says so", refSchema("sentence"),
		func(r *reader, t *Test, v *yaml.Node) { t.Source = r.sentence(v, "source") }},
	{"applies", "when the requirement is judged, in addition to what the suite says", refSchema("applies"),
		func(r *reader, t *Test, v *yaml.Node) { t.Applies = r.applies(v) }},
	{"slow", "how long the test has to wait; it is skipped when --max-wait is less", refSchema("duration"),
		func(r *reader, t *Test, v *yaml.Node) { t.Slow = r.duration(v, "slow") }},
	{"alone", "the test needs the target for itself; or the one thing of it that a word names: those that name another one are played beside it", schema{"anyOf": []any{schema{"type": "boolean"}, textSchema(isWord)}},
		func(r *reader, t *Test, v *yaml.Node) {
			if v.ShortTag() == "!!str" && !slices.Contains([]string{"yes", "no", "on", "off"}, v.Value) {
				t.Alone, t.Lane = true, r.form(v, "alone", isWord, "sends")
				return
			}
			t.Alone = r.boolean(v, "alone")
		}},
	{"last", "the test disturbs the target and runs after all others; together: beside others that say so; with alone the target may not survive it, and nothing asks it behind that but what leaves it other than it was", schema{"enum": []any{true, false, "together"}},
		func(r *reader, t *Test, v *yaml.Node) {
			if t.Beside = v.Value == "together"; t.Beside {
				t.Last = true
				return
			}
			t.Last = r.boolean(v, "last")
		}},
	{"at_once", "the rows are played at the same time: a wait that they have in common is paid once", schema{"type": "boolean"},
		func(r *reader, t *Test, v *yaml.Node) { t.AtOnce = r.boolean(v, "at_once") }},
	{"over", "the bindings that the operations are sent over, once each; all that the card declares if not said; pairs: every two of them, in either order; interfaces: each interface, also where several are of one binding", refSchema("texts"),
		func(r *reader, t *Test, v *yaml.Node) { t.Over = r.over(v) }},
	{"names_dialect", "the one test that fails when the executor greets in another PTY dialect; that blocks all others", schema{"type": "boolean"},
		func(r *reader, t *Test, v *yaml.Node) { t.NamesDialect = r.boolean(v, "names_dialect") }},
	{"let", "names that are fixed once per test, or row", schema{"type": "object"},
		func(r *reader, t *Test, v *yaml.Node) { t.Let = r.let(v) }},
	{"cases", "a table: the steps run once for each row; ${case.x} is a cell", refSchema("cases"),
		func(r *reader, t *Test, v *yaml.Node) { t.Cases = r.cases(v) }},
	{"given", "preparation: what breaks here blocks the test, it does not fail it", refSchema("steps"),
		func(r *reader, t *Test, v *yaml.Node) { t.Given = r.steps(v, "given") }},
	{"steps", "what is done, and what must then hold", refSchema("steps"),
		func(r *reader, t *Test, v *yaml.Node) { t.Steps = r.steps(v, "steps") }},
	{"broken_by", "the faults of the reference executor that make the test fail", refSchema("broken_by"),
		func(r *reader, t *Test, v *yaml.Node) { t.BrokenBy = r.brokenBy(v) }},
}, levelEntries(func(t *Test, level Level, says string) { t.Level, t.Says = level, says })...)

func (r *reader) let(n *yaml.Node) []Let {
	if !r.isMapping(n, "let") {
		return nil
	}
	all := make([]Let, 0, len(n.Content)/2)
	for key, value := range pairs(n) {
		r.newName(key)
		r.takeNames()
		l := Let{At: r.at(key), Name: key.Value, Value: r.value(value)}
		l.names = r.takeNames()
		all = append(all, l)
	}
	return all
}

func (r *reader) cases(n *yaml.Node) []Case {
	if !r.isList(n, "cases") {
		return nil
	}
	all := make([]Case, 0, len(n.Content))
	for _, row := range n.Content {
		c := Case{At: r.at(row), Cells: map[string]any{}}
		if !r.isMapping(row, "a row of cases") {
			continue
		}
		if len(row.Content) == 0 {
			r.problem(row, "a row of cases has no cells")
		}
		r.takeNames()
		for key, cell := range pairs(row) {
			if !isWord.MatchString(key.Value) {
				r.problem(key, "%s cannot be the name of a cell: letters, digits, _ and - make one", quoted(key.Value))
			}
			c.Cells[key.Value] = r.value(cell)
			if text, err := asText(c.Cells[key.Value]); err == nil && (c.Label == "" || key.Value == "name") {
				c.Label = text
			}
		}
		c.names = r.takeNames()
		all = append(all, c)
	}
	return all
}

// brokenBy reads the faults that break a test, each with what a finding then says: `cancel-is-ignored: task.state is`.
func (r *reader) brokenBy(n *yaml.Node) []Breakage {
	if n.Kind == yaml.SequenceNode && len(n.Content) > 0 {
		r.problem(n, "broken_by is a mapping, not a list: `cancel-is-ignored: task.state is \"working\"`")
		return nil
	}
	if !r.isMapping(n, "broken_by") {
		return nil
	}
	if len(n.Content) == 0 {
		r.problem(n, "broken_by must not be empty")
	}
	all := make([]Breakage, 0, len(n.Content)/2)
	for key, value := range pairs(n) {
		b := Breakage{At: r.at(key), Fault: r.form(key, "fault", isFault, "cancel-is-ignored")}
		if value.Kind != yaml.MappingNode {
			b.Says = r.pattern(value)
		} else if readEntries(r, value, "a fault", breakageKeys, &b) {
			switch {
			case !hasKey(value, "says"):
				r.problem(value, "a fault needs says")
			case len(value.Content) == 2:
				r.problem(value, "says alone is written behind the fault: %s: %s", b.Fault, quoted(b.Says))
			}
		}
		all = append(all, b)
	}
	return all
}

// pattern reads a regular expression that a finding must match.
func (r *nodes) pattern(n *yaml.Node) string {
	text := r.sentence(n, "says")
	// Parsing finds every mistake; compiling a thousand of these on each start would only cost time.
	if !strings.ContainsAny(text, `\+*?()|[]{}^$`) {
		return text
	}
	if _, err := syntax.Parse(text, syntax.Perl); err != nil {
		r.problem(n, "says is no regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return text
}

var patternSchema = schema{"type": "string", "format": "regex"}

var breakageKeys = []entry[Breakage]{
	{"says", "a regular expression that a finding of the test must match", patternSchema,
		func(r *reader, b *Breakage, v *yaml.Node) { b.Says = r.pattern(v) }},
	{"shows", "warning or note: what becomes of the test, where it is less than its level says", enumSchema(Warning, Note),
		func(r *reader, b *Breakage, v *yaml.Node) { b.Shows = r.choice(v, "shows", Warning, Note) }},
	{"beside", "tests that ask for what shows the fault, and do not fail under it: of a test that looks at the whole run", refSchema("ids"),
		func(r *reader, b *Breakage, v *yaml.Node) {
			b.Beside = r.texts(v, "beside", func(one *yaml.Node) string { return r.form(one, "beside", isTests, "TASK-020 or PTY-*") })
		}},
}

// applies reads when a requirement is judged.
func (r *reader) applies(n *yaml.Node) Applies {
	var a Applies
	readEntries(r, n, "applies", appliesKeys, &a)
	return a
}

var appliesKeys = []entry[Applies]{
	{"claims", "what the card must declare: streaming, idempotency/v1", refSchema("texts"),
		func(r *reader, a *Applies, v *yaml.Node) {
			a.Claims = r.texts(v, "claims", func(one *yaml.Node) string { return r.form(one, "claims", isClaim, "streaming") })
		}},
	{"lacks", "what the card must not declare", refSchema("texts"),
		func(r *reader, a *Applies, v *yaml.Node) {
			a.Lacks = r.texts(v, "lacks", func(one *yaml.Node) string { return r.form(one, "lacks", isClaim, "streaming") })
		}},
	{"auth", "enabled: only when anonymous requests are refused; disabled: only when they are not", enumSchema("enabled", "disabled"),
		func(r *reader, a *Applies, v *yaml.Node) {
			choice := r.choice(v, "auth", "enabled", "disabled")
			a.Auth, a.NoAuth = choice == "enabled", choice == "disabled"
		}},
	{"production", "only with --production", schema{"type": "boolean"},
		func(r *reader, a *Applies, v *yaml.Node) { a.Production = r.boolean(v, "production") }},
	{"observers", "the card lets at least so many observers into a terminal", schema{"type": "integer", "minimum": 1, "maximum": 64},
		func(r *reader, a *Applies, v *yaml.Node) { a.Observers = r.integer(v, "observers", 1, 64) }},
	{"since", "before this contract version every finding is a note", textSchema(isVersion),
		func(r *reader, a *Applies, v *yaml.Node) { a.Since = r.form(v, "since", isVersion, "v2.1") }},
	{"reserved", "never judged before this contract version", textSchema(isVersion),
		func(r *reader, a *Applies, v *yaml.Node) { a.Reserved = r.form(v, "reserved", isVersion, "v2.2") }},
}

// and adds what a test says to what its suite says.
func (a Applies) and(test Applies) Applies {
	both := a
	both.Claims = append(a.Claims[:len(a.Claims):len(a.Claims)], test.Claims...)
	both.Lacks = append(a.Lacks[:len(a.Lacks):len(a.Lacks)], test.Lacks...)
	both.Production = a.Production || test.Production
	both.Observers = max(a.Observers, test.Observers)
	if test.Auth || test.NoAuth {
		both.Auth, both.NoAuth = test.Auth, test.NoAuth
	}
	if test.Since != "" {
		both.Since = test.Since
	}
	if test.Reserved != "" {
		both.Reserved = test.Reserved
	}
	return both
}
