// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// Credentials are the identities that `as` and ${token.x} can name.
var Credentials = []string{"instance", "admin", "operator", "observe", "foreign", "anonymous"}

// ObserveIfGiven is what `as` can name beside them: observe where the operator gave its token, else instance.
const ObserveIfGiven = "observe-if-given"

// identitiesOfSteps are what the `as` of a step can name.
var identitiesOfSteps = append(slices.Clip(Credentials), ObserveIfGiven)

var (
	isWord   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	isReason = regexp.MustCompile(`^[a-z0-9][A-Za-z0-9:._/-]*$`)
	isRuling = regexp.MustCompile(`^(catalog|[A-Z]+(-[A-Z]+)*-?[0-9]+)$`)
)

// A stepDraft is a step while it is being read: the step, and the options that its verb will take.
type stepDraft struct {
	step        Step
	given       []string // which options stand there
	header      []Header
	body        Body
	redirects   int
	chunked     bool
	unpaced     bool
	walk        string
	pages       int
	again       Duration
	raw         bool
	every       Duration
	until       []Expectation
	untilClosed bool
	lasts       Duration // for
	times       int
	cut         bool // then: cut
	background  bool
	subprotocol []string
	handshake   *RawHandshake
	omit        []string
	split       int
	of          []Expectation
	where       []Expectation
	reason      string
	answers     Listen
	otherwise   *Otherwise
	steps       []*Step
	prepared    []*Step // given
	atOnce      int
	far         int
	let         []Let
	with        map[string]any
	optional    bool
	params      any
	other       bool // on: other
	failsWith   []string
}

func (d *stepDraft) has(option string) bool { return slices.Contains(d.given, option) }

func (r *reader) steps(n *yaml.Node, what string) []*Step {
	if !r.isList(n, what) {
		return nil
	}
	all := make([]*Step, 0, len(n.Content))
	for _, element := range n.Content {
		if s := r.step(element); s != nil {
			all = append(all, s)
		}
	}
	return all
}

// step reads one step: a verb, the options that the verb takes, and what every step may have.
func (r *reader) step(n *yaml.Node) *Step {
	if !r.isMapping(n, "a step") {
		return nil
	}
	verbKey, v := r.verbOf(n)
	if v == nil {
		return nil
	}
	outer := r.names
	r.names = nil
	d := &stepDraft{step: Step{At: r.at(n)}}
	var argument *yaml.Node
	for key, value := range pairs(n) {
		if key == verbKey {
			argument = value
			continue
		}
		option := find(options, key.Value)
		if option == nil && verbCalled(key.Value) != nil {
			continue // a second verb, which verbOf has found
		}
		if option == nil || !v.takes(key.Value) {
			r.problem(key, "%s has no option %s%s", aStep(v.name), quoted(key.Value), didYouMean(key.Value, optionsOf[v.name]))
			continue
		}
		d.given = append(d.given, key.Value)
		option.read(r, d, value)
	}
	d.step.Do = v.read(r, d, argument)
	d.refusals(r.at(n))
	d.step.names = r.takeNames()
	r.names = outer
	return &d.step
}

// verbOf finds the one verb of a step.
func (r *reader) verbOf(n *yaml.Node) (*yaml.Node, *verb) {
	var found *yaml.Node
	var v *verb
	for key := range pairs(n) {
		known := verbCalled(key.Value)
		if known == nil {
			continue
		}
		if found != nil {
			r.problem(key, "a step has one verb; this one has %s and %s", found.Value, key.Value)
			continue
		}
		found, v = key, known
	}
	if found == nil {
		r.problem(n, "a step needs a verb: %s%s", list(verbNames()), r.verbMeant(n))
	}
	return found, v
}

func (r *reader) verbMeant(n *yaml.Node) string {
	for key := range pairs(n) {
		if find(options, key.Value) == nil {
			if hint := didYouMean(key.Value, verbNames()); hint != "" {
				return hint
			}
		}
	}
	return ""
}

// softened reads the list of conditions that a ruling softens.
func (r *reader) softened(n *yaml.Node) []Softened {
	if !r.isList(n, "softened") {
		return nil
	}
	all := make([]Softened, 0, len(n.Content))
	for _, element := range n.Content {
		s := Softened{At: r.at(element)}
		if readEntries(r, element, "a softened condition", softenedKeys, &s) {
			if s.Ruling == "" && !hasKey(element, "ruling") {
				r.problem(element, "a softened condition needs the ruling that softens it")
			}
			if !hasKey(element, "expect") {
				r.problem(element, "a softened condition needs what it would expect")
			}
		}
		all = append(all, s)
	}
	return all
}

var softenedKeys = []entry[Softened]{
	{"ruling", "the ruling that softens: AMB-03, A17, or catalog when the requirement's own text does", textSchema(isRuling),
		func(r *reader, s *Softened, v *yaml.Node) {
			s.Ruling = r.form(v, "ruling", isRuling, "AMB-03, A17 or catalog")
		}},
	{"to", "what a broken condition becomes", enumSchema("warning", "note"),
		func(r *reader, s *Softened, v *yaml.Node) { s.Note = r.choice(v, "to", "warning", "note") == "note" }},
	{"in_words", "what a note or warning tells the reader of a report, as one sentence without its full stop", schema{"type": "string"},
		func(r *reader, s *Softened, v *yaml.Node) { s.InWords = r.text(v, "in_words") }},
	{"expect", "the strict form", refSchema("condition"),
		func(r *reader, s *Softened, v *yaml.Node) { s.Expect = r.condition(v, "expect") }},
}

// skips reads by reason what skips a test: skip_unless or skip_when, of which one reads the condition of a reason.
func (r *reader) skips(n *yaml.Node, what string, one func(reason, condition *yaml.Node) []Expectation) []SkipUnless {
	if !r.isMapping(n, what) {
		return nil
	}
	all := make([]SkipUnless, 0, len(n.Content)/2)
	for key, value := range pairs(n) {
		if !isReason.MatchString(key.Value) {
			r.problem(key, "the reason %s is not something like task-ended-too-fast or when-present:location", quoted(key.Value))
		}
		all = append(all, SkipUnless{At: r.at(key), Reason: key.Value, Unless: one(key, value)})
	}
	return all
}

func (r *reader) skipUnless(reason, condition *yaml.Node) []Expectation {
	unless := r.condition(condition, reason.Value)
	if len(unless) == 1 && isNegation(unless[0].Want) {
		r.problem(reason, "say it positively: skip_when, without not, skips the test where the condition holds")
	}
	return unless
}

// skipWhen reads what skips a test where it holds. Its negation is one condition, as long as it is about one subject.
func (r *reader) skipWhen(reason, condition *yaml.Node) []Expectation {
	when := r.condition(condition, reason.Value)
	switch {
	case len(when) > 1:
		r.problem(reason, "skip_when takes one subject below a reason; what must hold of several is written below exchange: "+
			"{.%s: ..., .%s: ...}", when[0].Subject, when[1].Subject)
		return when
	case len(when) == 1 && isNegation(when[0].Want):
		r.problem(reason, "say it positively: skip_unless, without not, skips the test where the condition does not hold")
	}
	for i := range when {
		at := when[i].Want.At
		when[i].Want = assertions.Value{At: at, Checks: []assertions.Check{{At: at, Word: assertions.ByName(negation), Want: when[i].Want}}}
	}
	return when
}

// Word is the word that the reason stands under in the file: skip_when or skip_unless, which takes no lone negation.
func (s *SkipUnless) Word() string {
	if len(s.Unless) == 1 && isNegation(s.Unless[0].Want) {
		return "skip_when"
	}
	return "skip_unless"
}

// negation is the word for the contrary.
const negation = "not"

// isNegation says whether all that is wanted is the contrary of something.
func isNegation(want assertions.Value) bool {
	return len(want.Checks) == 1 && want.Checks[0].Word != nil && want.Checks[0].Word.Name == negation
}

func (r *reader) keep(n *yaml.Node) []Keep {
	if !r.isMapping(n, "keep") {
		return nil
	}
	all := make([]Keep, 0, len(n.Content)/2)
	for key, value := range pairs(n) {
		r.newName(key)
		text := r.text(value, "what ${"+key.Value+"} stands for")
		if text == "" {
			continue
		}
		if path := r.path(value, text); path.String() != "" && r.isSubject(value, path) {
			all = append(all, Keep{At: r.at(key), Name: key.Value, Path: path})
		}
	}
	return all
}

// newName checks a name that let, keep or listen gives.
func (r *reader) newName(key *yaml.Node) {
	switch {
	case !isWord.MatchString(key.Value):
		r.problem(key, "%s cannot be a name: letters, digits, _ and - make one", quoted(key.Value))
	case slices.Contains(runNames, key.Value) || slices.Contains(nameFamilies, key.Value):
		r.problem(key, "${%s} is a built-in name; choose another one", key.Value)
	}
}

// otherwise reads another form of a request.
func (r *reader) otherwise(n *yaml.Node) *Otherwise {
	o := &Otherwise{At: r.at(n)}
	if readEntries(r, n, "otherwise", otherwiseKeys, o) {
		for _, key := range names(otherwiseKeys) {
			if !hasKey(n, key) {
				r.problem(n, "otherwise needs %s", key)
			}
		}
	}
	return o
}

var otherwiseKeys = []entry[Otherwise]{
	{"ruling", "the ruling that allows it", textSchema(isRuling),
		func(r *reader, o *Otherwise, v *yaml.Node) {
			o.Ruling = r.form(v, "ruling", isRuling, "AMB-03, A17 or catalog")
		}},
	{"when", "what the answer to the first form must be for the second to be sent", refSchema("condition"),
		func(r *reader, o *Otherwise, v *yaml.Node) { o.When = r.condition(v, "when") }},
	{"json", "the body of the second form", schema{},
		func(r *reader, o *Otherwise, v *yaml.Node) { o.JSON = r.value(v) }},
}

// aStep names a kind of step by its verb: a request step, an await step.
func aStep(verb string) string {
	if strings.ContainsRune("aeiou", rune(verb[0])) {
		return "an " + verb + " step"
	}
	return "a " + verb + " step"
}
