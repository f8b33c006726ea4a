// SPDX-License-Identifier: Apache-2.0

// Package suites holds the requirements, one YAML file a topic, and reads them.
//
// A suite file is the requirement, written so that a release reviewer can sign it: what must hold, where that is written,
// what we do, what we expect, and which misbehaviours we have proved it catches. YAML says what, Go says how: the format
// has verbs (this package), words (package assertions) and names in ${braces}, and nothing else. docs/suite-format.md
// is its reference; schemas/suite.schema.json, generated from this package, is what editors read.
//
// Where the format differs from its first sketch, and why:
//
//   - `as:` names credentials, `by:` names an actor. They were one key; but one actor needs two sockets with different
//     tokens in turn, and two actors the same token.
//   - `softened:` is a list of conditions that only warn (or note) when broken, each with the ruling that says so,
//     beside an `expect:` that is the tolerant form. Nothing is switched off: both are judged, and both can be seen to
//     say no.
//   - `skip_unless:` and `skip_when:` end a test as skipped, with the reason named, where the contract makes a requirement
//     depend on what the target turns out to do (when-present:..., task-ended-too-fast). There are two, so that a
//     condition is always said positively; loaded, they are the same.
//   - `conditions:` gives names to what is wanted of a value, for `is:`. A list of states that stands in fifty places is read
//     once, and its name says why it is asked for; loaded, it is as if it were written out.
//   - `let:` names a value once per test, `walk:` follows a list's cursor, `times:` counts a poll. They are verbs' options
//     because words cannot send anything.
//   - a request may name an operation of A2A in place of a method and a URL: the same requirement then holds for every
//     binding, and `over:` says which. Two suites that say the same of two bindings would drift apart.
//   - fault names are written with hyphens, as the PTY catalog writes them.
package suites

import (
	"slices"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// A Position is a place in a suite file.
type Position = assertions.Position

// A Profile is all suites of one contract, in the order of their file names.
type Profile struct {
	Name   string // the folder: "agentic-sandbox-v2"
	Row    profiles.Profile
	Suites []*Suite
	Roots  []*Root // what several findings have in common, in the order of the files, and of what stands in them
	// SideEffects are what faults change beside the tests that name them, in the order of the file.
	SideEffects []SideEffect
	Digest      string // SHA-256 of the files, hex

	common common // what its shared.yaml gives, for suites that are added to it

	// Of a draft:
	around []*Suite        // beside it, outlined
	partly map[string]bool // folders of which not all files were read
}

// Version is the version of the suites, which is that of their text: the beginning of its digest.
func (p *Profile) Version() string { return p.Digest[:min(len(p.Digest), 12)] }

// Tests returns every test of the profile, in suite order.
func (p *Profile) Tests() []*Test {
	var tests []*Test
	for _, s := range p.Suites {
		tests = append(tests, s.Tests...)
	}
	return tests
}

// A Suite is one file: the requirements of one topic.
type Suite struct {
	At         Position
	Title      string // `suite:`
	Contract   string // the document the sources refer to
	Surface    string // groups tests in reports: "card", "pty-ws"
	As         string // default credentials of its steps; empty: "instance"
	Header     []Header
	Applies    Applies
	Lifecycles map[string]Lifecycle
	Shared     map[string][]*Step // named steps, those of the profile's shared.yaml included
	URIs       map[string]string  // ${uri.x}
	Tests      []*Test
	Untested   []Untested

	row        profiles.Profile  // of the profile that it belongs to
	conditions map[string]*named // those of the folder included
	used       map[string]bool   // of those, by where they got their names; what shared.yaml itself uses included
}

// A Lifecycle is a graph of states: final ones are never left, initial ones never entered again.
type Lifecycle struct {
	Initial, Open, Final []string
}

// A Level is how strongly the contract asks.
type Level string

// The levels of RFC 2119 that a requirement can have; the text is what reports print.
const (
	Must      Level = "MUST"
	MustNot   Level = "MUST NOT"
	Should    Level = "SHOULD"
	ShouldNot Level = "SHOULD NOT"
	May       Level = "MAY"
)

// A Test is one requirement and the steps that check it.
type Test struct {
	ID           string // "CARD-022": the catalog's id, which every report prints and which never changes
	Name         string // "signature_names_the_algorithm_eddsa"; says what is true when the test passes
	At           Position
	Suite        *Suite
	Level        Level
	Says         string // the requirement in one sentence
	Source       string
	Applies      Applies       // the suite's and its own
	Cases        []Case        // the steps run once for each; none means once
	Let          []Let         // names fixed when the test (or its case) begins
	AtOnce       bool          // the rows are played at the same time, so that a wait they have in common is paid once
	Alone        bool          // needs the target for itself
	Lane         string        // with Alone: the one thing that it needs for itself, as a word; who needs another one may be played beside it
	Last         bool          // runs after all others: it disturbs the target (restart, shutdown); with Alone, it may end it
	Beside       bool          // with Last: others that are so may be played beside it
	NamesDialect bool          // fails when the target greets in another PTY dialect than the contract's, which blocks all others
	Slow         time.Duration // waits at least this long by its nature; skipped when --max-wait is less
	Given        []*Step       // preparation: if it fails, the test is blocked, not failed
	Steps        []*Step
	Over         []string // the bindings its operations are sent over, once each: all that are declared if empty; Pairs; Interfaces
	BrokenBy     []Breakage
	Outlined     bool // only ID, Name, At and Suite are known, see [LoadSelected]

	// Operates is whether a step is an operation, found by the loader.
	Operates bool
	// Watches is whether a step watches the whole run, found by the loader.
	Watches bool

	// Needs lists what the operator must configure, found by the loader: "hook:restart", "cue:completed", "token:observe".
	Needs []string
	// Wants lists what only some rows need, or a hook that the test can do without; it is not in Needs.
	Wants []string
}

// Applies says when a requirement is judged.
type Applies struct {
	Claims     []string // what the card must declare: "streaming", "idempotency/v1"
	Lacks      []string // what it must not declare
	Auth       bool     // only when the target refuses anonymous requests
	NoAuth     bool     // only when it does not
	Production bool     // only with --production
	Observers  int      // the card lets at least so many observers into a terminal
	Since      string   // declared but not enforced before this contract version: the observation only informs
	Reserved   string   // never judged before this version
}

// A Case is one row of a test's table. Cells may hold ${names} that need no step (flags, uri, cue, token, fresh ...).
type Case struct {
	At    Position
	Cells map[string]any // ${case.x}; the cell `name`, else the first one, names the row in findings
	Label string
	Needs []string // what the operator must configure for this row, found by the loader, as Test.Needs

	names []nameRef
}

// A Let is a name with its value, which may use other names.
type Let struct {
	At    Position
	Name  string
	Value any

	names []nameRef
}

// A Breakage is a fault of the reference executor that must make the test fail, and what the finding must then say.
type Breakage struct {
	At    Position
	Fault string
	Says  string // a regular expression that some finding of the test must match
	Shows string // Warning or Note, where the test says no more than that, though its level would; empty: what its level does

	Beside []string // tests, or patterns of them, that have to be played with it, since what they ask shows the fault, and they do not fail under it
}

// What becomes of a broken requirement.
const (
	Failure = "failure"
	Warning = "warning"
	Note    = "note"
)

// Shows says what the test makes of a fault: a Failure, a Warning, or no more than a Note.
func (t *Test) Shows(b Breakage) string {
	switch {
	case b.Shows != "":
		return b.Shows
	case t.Applies.Since != "" || t.Level == May:
		return Note
	case t.Level == Should || t.Level == ShouldNot:
		return Warning
	}
	return Failure
}

// Gravest is the most that the test makes of a fault that it names, for rulings can soften all that its level demands; of a test
// that names none it is what the level says.
func (t *Test) Gravest() string {
	gravity := []string{Note, Warning, Failure}
	gravest := -1
	for _, b := range t.BrokenBy {
		gravest = max(gravest, slices.Index(gravity, t.Shows(b)))
	}
	if gravest < 0 {
		return t.Shows(Breakage{})
	}
	return gravity[gravest]
}

// An Untested is a requirement that no client can observe.
type Untested struct {
	At      Position
	ID      string
	Level   Level
	Says    string
	Source  string
	Because string
}

// A Step is one thing the harness does, and what must then hold.
type Step struct {
	At     Position
	By     string // the actor, whose socket is used; empty: the default one
	As     string // whose credentials: instance, admin, operator, observe, foreign, anonymous; empty: the suite's
	Do     Action
	Within Duration // how long it may take; zero: the run's --timeout

	Prepares bool // it is preparation, as under given: what goes wrong in it blocks the test

	SkipUnless []SkipUnless  // in order; the first that does not hold skips the test
	Assume     []Expectation // must hold for the step to mean anything, otherwise blocked
	Expect     []Expectation // the requirement
	Softened   []Softened    // what a ruling only warns of, or notes
	Keep       []Keep
	EnoughWhen []Expectation // where this holds, the steps that follow are for other answers: the row is done

	names []nameRef // the ${names} in all of the above
}

// A SkipUnless ends the test as skipped, for Reason, when its conditions do not hold. `skip_when` is the one condition that
// its own does not hold.
type SkipUnless struct {
	At       Position
	Reason   string
	Unless   []Expectation
	Expected bool // an A2A error is expected, and this says that it does not tell which it is
}

// An Expectation judges one subject of what a step observed.
type Expectation struct {
	At      Position
	Subject assertions.Path // "header.Sunset", "json.status.state", "task.state", "frames"
	Want    assertions.Value
	Named   bool // Want contains ${names} and must be filled in before judging
}

// A Softened is an expectation that does not fail when broken, because a ruling says so.
type Softened struct {
	At      Position
	Ruling  string // "AMB-03", "A17", or "catalog" when the requirement's own text softens
	Note    bool   // a note, not a warning
	InWords string // what a reader of the report is told when it is broken, for those who do not know the condition; may be empty
	Expect  []Expectation
}

// A Keep makes a part of the observation a name from the next step on.
type Keep struct {
	At   Position
	Name string
	Path assertions.Path
}

// A Duration is a bound or a wait. Max is set where the suite wrote a range, `12s..40s`: the longest wait the contract
// names; it is used when --max-wait allows it.
type Duration struct {
	Min, Max time.Duration
	Text     string // a time that is known when the test is played, `${seconds}s`; Min and Max are zero then
}

// A Header is one request header. Several with one name are sent as several lines. Drop removes a default one.
type Header struct {
	Name  string // written to the wire as it stands
	Value string
	Drop  bool
}
