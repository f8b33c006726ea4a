// SPDX-License-Identifier: Apache-2.0

// Package selftest proves the suites on the reference executor.
//
// Nothing is trusted until it has failed once. The rules, numbered as in every message:
//
//  1. every test passes on the correct executor, and is skipped nowhere but for reasons listed here by name;
//  2. every fault that a test names makes that test fail, with a finding that says what the test promised, and changes
//     no test that does not name it (or is not listed in side_effects.yaml); looked for among the tests that ask the executor for
//     what the fault edits (reach.go);
//  3. every expectation under steps has said no: a fault tripped it, or it rejects a subject that is not there;
//  4. no fault, no word and no shared step is unused;
//  5. and 6. words and report formats are proved by the tests of their packages;
//  7. nothing passes on a server that is no executor: one that answers everything alike, or nothing.
//  8. on a server with many faults at once each test says what it says under its own faults alone: faultsets has the rules,
//     and masks.yaml what one fault hides of another.
//  9. a root of roots.yaml is claimed by the report under each of the faults that it names, and under no other;
//  10. no verdict changes where the server takes a liberty: behaves in another way that the contract leaves free (liberties.go).
//
// One run of a profile is not enough to see everything: some requirements only apply to an executor without
// credentials, or after a restart. So there are several deployments (proof.go), and a test must pass in at least
// one of them. Waits that the contract imposes are shortened by one factor for harness and executor alike; limits are not.
package selftest

import (
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/faultsets"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// Options say what to prove.
type Options struct {
	Profile string   // empty: "agentic-sandbox-v2"
	Suites  fs.FS    // nil: the bundled ones
	Tests   []string // only the faults that these tests name; empty: all
	Faults  []string // only these; empty: all
	Workers int      // executors at once; 0: four for each processor, eight if Narrow, as most of their time is waiting
	Narrow  bool     // each fault plays only the tests that name it: fast, but what else it changes is not seen
	Vacuous bool     // rule 7 as well
	Alone   bool     // of the correct executor only Tests are asked too: for a quick look at a few; it needs Narrow
	Update  bool     // what else a fault changes is noted in Report.SideEffects, and is no problem
	Focused bool     // only Tests are played, under their faults as well: Alone, and rule 9 is left out (focus.go)

	// EveryFault plays them, if Focused, under every other fault as well (every_fault.go).
	EveryFault bool

	Many     int    // sets of several faults at once to play: rule 8
	Seed     uint64 // of the first of them; each set has the next seed
	SetsOnly bool   // only those sets; each line of progress names the faults of its set

	LibertiesOnly bool     // rule 10, and nothing else but what it stands on
	Liberties     []string // only these; empty: all

	// Progress, if set, is called with one line for everything that has been finished. Calls do not overlap.
	Progress func(line string)
}

// A Report is what the self-test established.
type Report struct {
	Profile      string    `json:"profile"`
	Narrow       bool      `json:"narrow,omitempty"`    // what else a fault changes was not looked for
	Tests        int       `json:"tests"`               // bundled tests
	Proved       int       `json:"proved"`              // of them: killed by every fault they name
	Faults       int       `json:"faults"`              // faults tried
	Kills        []Kill    `json:"kills"`               // by test, then fault
	Expectations int       `json:"expectations"`        // under steps
	Tripped      int       `json:"tripped"`             // of them: seen to say no because of a fault
	NotAsked     int       `json:"not_asked,omitempty"` // tests over gRPC alone, in a build that does not drive it
	Focus        *Focus    `json:"focus,omitempty"`     // what was played, when it was a few tests only
	Twice        int       `json:"twice,omitempty"`     // results that were not as they should be and were looked at again
	Vacuous      []Vacuous `json:"vacuous,omitempty"`
	Problems     []Problem `json:"problems"`

	Taken []Taken `json:"taken,omitempty"` // by fault and deployment, first those that make a test take longer by most

	SideEffects map[string][]string `json:"-"` // by fault: tests that it changes and that nothing says so of, if Options.Update

	Roots   int `json:"roots"`   // that the suites describe
	Claimed int `json:"claimed"` // pairs of a root and a fault under which the report leads with it

	Liberties int `json:"liberties,omitempty"` // under which no verdict may change

	ManyAtOnce *faultsets.Report `json:"many_at_once,omitempty"` // what sets of several faults established
}

// A Kill is one fault tried on one test that names it.
type Kill struct {
	Test       string         `json:"test"`
	Fault      string         `json:"fault"`
	Deployment string         `json:"deployment"`
	Outcome    report.Outcome `json:"outcome"`
	Finding    string         `json:"finding"` // the sentence that matched
	Killed     bool           `json:"killed"`
}

// A Problem is a rule that does not hold.
type Problem struct {
	Rule int    `json:"rule"`
	At   string `json:"at,omitempty"` // file:line:col, or the name of what it is about
	Says string `json:"says"`
}

// String is the problem as compilers would print it.
func (p Problem) String() string { return fmt.Sprintf("%s: %s (rule %d)", p.At, p.Says, p.Rule) }

// Run proves the profile. The error is for what keeps it from being tried at all; what was found wrong is in
// Report.Problems.
func Run(ctx context.Context, o Options) (*Report, error) {
	p, err := newProver(ctx, o)
	if err != nil {
		return nil, err
	}
	o = p.options
	if o.SetsOnly {
		err := p.many()
		return p.report(), err
	}
	if err := p.conformant(); err != nil {
		return nil, err
	}
	if o.LibertiesOnly {
		err := p.liberties()
		return p.report(), err
	}
	if !o.Narrow {
		if err := p.reaches(); err != nil {
			return nil, err
		}
	}
	if err := p.faults(); err != nil {
		return nil, err
	}
	if o.EveryFault {
		if err := p.everyFault(); err != nil {
			return nil, err
		}
	}
	if err := p.provenRoots(); err != nil {
		return nil, err
	}
	if len(o.Tests) == 0 && len(o.Faults) == 0 {
		p.expectations()
		if err := p.unused(); err != nil {
			return nil, err
		}
		if !o.Narrow {
			if err := p.liberties(); err != nil {
				return nil, err
			}
		}
	}
	if o.Vacuous {
		if err := p.vacuous(); err != nil {
			return nil, err
		}
	}
	if o.Many > 0 {
		if err := p.many(); err != nil {
			return nil, err
		}
	}
	return p.report(), nil
}

// newProver begins a self-test of the profile.
func newProver(ctx context.Context, o Options) (*prover, error) {
	if o.Profile == "" {
		o.Profile = "agentic-sandbox-v2"
	}
	if o.Suites == nil {
		o.Suites = suites.Embedded()
	}
	if o.Focused || o.LibertiesOnly {
		o.Narrow, o.Alone = true, true
	}
	if o.Workers == 0 {
		o.Workers = 4 * runtime.NumCPU()
		if o.Narrow { // a few tests each
			o.Workers *= 2
		}
	}
	with := proofOf(o.Profile)
	if with == nil {
		return nil, noProof(o.Profile)
	}
	profile, err := suites.LoadProfile(o.Suites, o.Profile)
	if err != nil {
		return nil, err
	}
	p := &prover{
		trials: trials{
			ctx: ctx, options: o, proof: with, profile: profile, tests: map[string]*suites.Test{}, roots: profile.Roots, beside: besides(profile.Tests()),
			saidNo: map[string]bool{}, said: map[string]said{},
		},
		claims: claims{roots: profile.Roots},
	}
	if o.Focused {
		p.focus = &Focus{Tests: o.Tests, EveryFault: o.EveryFault}
	}
	for _, t := range profile.Tests() {
		p.tests[t.ID] = t
	}
	return p, nil
}

// trials are what one self-test in progress has to try with, and what it has seen so far. Every rule stands on them.
type trials struct {
	ctx     context.Context
	options Options
	proof   *proof
	profile *suites.Profile
	tests   map[string]*suites.Test
	roots   roots
	beside  map[string][]string                 // what besides returns
	healthy map[string]map[string]report.Result // deployment, test id

	mu       sync.Mutex
	problems []Problem
	effects  map[string][]string // by fault, if options.Update
	saidNo   map[string]bool     // by position of the expectation
	said     map[string]said     // the last judgement of each, on the correct executor
}

// prover is one self-test in progress.
type prover struct {
	trials
	reach map[string]*reach // by deployment; not for a narrow self-test

	kills    []Kill
	taken    []Taken
	tried    map[string]bool
	notAsked int
	doubts   []doubt
	twice    int
	vacuums  []Vacuous
	freed    int               // liberties taken
	focus    *Focus            // nil: everything is played
	claims   claims            // of rule 9
	sets     *faultsets.Report // of rule 8
}

func (p *trials) problem(rule int, at, format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problems = append(p.problems, Problem{Rule: rule, At: at, Says: fmt.Sprintf(format, args...)})
}

func (p *trials) progress(format string, args ...any) {
	if p.options.Progress == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.options.Progress(fmt.Sprintf(format, args...))
}

func (p *prover) report() *Report {
	sort.Slice(p.kills, func(i, j int) bool {
		a, b := p.kills[i], p.kills[j]
		if a.Test != b.Test {
			return a.Test < b.Test
		}
		return a.Fault < b.Fault
	})
	slices.SortFunc(p.problems, func(a, b Problem) int {
		if a.Rule != b.Rule {
			return a.Rule - b.Rule
		}
		return strings.Compare(a.At+a.Says, b.At+b.Says)
	})
	r := &Report{
		Profile: p.profile.Name, Narrow: p.options.Narrow, Tests: len(p.tests), Faults: len(p.tried), Kills: p.kills,
		Expectations: len(p.said), Tripped: len(p.saidNo), NotAsked: p.notAsked, Twice: p.twice, Vacuous: p.vacuums, Problems: p.problems, ManyAtOnce: p.sets,
		Roots: len(p.profile.Roots), Claimed: p.claims.wanted(), Focus: p.focused(), SideEffects: p.effects, Taken: bySlowness(p.taken), Liberties: p.freed,
	}
	failed := map[string]bool{}
	named := map[string]bool{}
	for _, k := range p.kills {
		named[k.Test] = true
		if !k.Killed {
			failed[k.Test] = true
		}
	}
	for id := range named {
		if !failed[id] {
			r.Proved++
		}
	}
	return r
}

// Sentence is the one line that a release reviewer can quote.
func (r *Report) Sentence() string {
	if r.Faults == 0 && r.ManyAtOnce != nil {
		return fmt.Sprintf("%s: %s, %d problems", r.Profile, r.ManyAtOnce.Sentence(), len(r.Problems))
	}
	if r.Faults == 0 && r.Liberties > 0 {
		return fmt.Sprintf("%s: %d liberties taken, %d problems", r.Profile, r.Liberties, len(r.Problems))
	}
	killed := 0
	for _, k := range r.Kills {
		if k.Killed {
			killed++
		}
	}
	tests := r.Tests
	if r.Focus != nil {
		tests = len(r.Focus.Tests)
	}
	sentence := fmt.Sprintf("%s: %d of %d tests proved by %d faults (%d of %d kills for the stated reason), %d problems",
		r.Profile, r.Proved, tests, r.Faults, killed, len(r.Kills), len(r.Problems))
	if r.NotAsked > 0 {
		sentence += fmt.Sprintf("; %d over gRPC were not asked, which a build without the tag nogrpc proves", r.NotAsked)
	}
	if r.Twice > 0 {
		sentence += fmt.Sprintf("; %d results were looked at twice", r.Twice)
	}
	if r.Claimed > 0 {
		sentence += fmt.Sprintf("; %d claims of %d roots", r.Claimed, r.Roots)
	}
	if r.Liberties > 0 {
		sentence += fmt.Sprintf("; %d liberties taken", r.Liberties)
	}
	if r.ManyAtOnce != nil {
		sentence += "; " + r.ManyAtOnce.Sentence()
	}
	if r.Narrow {
		sentence += "; what else a fault changes was not looked for"
	}
	return sentence
}
