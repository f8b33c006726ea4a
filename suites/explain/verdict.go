// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
)

// rejected shows what the test is proved to reject: faults of the reference server, with what the finding then says.
func (p *page) rejected(program Program, profile *suites.Profile, t *suites.Test) {
	fmt.Fprintln(p.w, "What is rejected")
	if len(t.BrokenBy) == 0 {
		p.line(1, "Whatever is not accepted above; no fault of the reference server is named for it.")
		fmt.Fprintln(p.w)
		return
	}
	for _, b := range t.BrokenBy {
		only := ""
		if shows := t.Shows(b); shows != suites.Failure {
			only = " (a " + shows + ")"
		}
		p.line(1, fmt.Sprintf("- fault %s%s: the finding says: %s", b.Fault, only, patternText(b.Says)))
	}
	best := slices.MinFunc(t.BrokenBy, func(a, b suites.Breakage) int { return cmp.Compare(Weakness(t, a), Weakness(t, b)) })
	see, wait := "See it fail", ""
	if t.Shows(best) != suites.Failure {
		see = "See it"
	}
	if t.Slow > program.MaxWait {
		wait = " --max-wait " + t.Slow.String()
	}
	p.line(1, see+":")
	p.command(program.Demo(profile.Name)+" --run "+t.ID, "--fault "+best.Fault+wait)
	fmt.Fprintln(p.w)
}

// Weakness orders faults by how little becomes of them: 0 is a failure.
func Weakness(t *suites.Test, b suites.Breakage) int {
	return slices.Index([]string{suites.Failure, suites.Warning, suites.Note}, t.Shows(b))
}

// fix says where an implementer finds what has to hold, and shows what is right where an example can be made.
func (p *page) fix(profile *suites.Profile, t *suites.Test) {
	fmt.Fprintln(p.w, "How to fix")
	required := "What has to hold"
	if t.Source != "" {
		required = "Required by " + strings.TrimSuffix(t.Source, ".") + "; what has to hold"
	}
	p.line(1, required+" is said above"+judging(t.Steps)+".")
	p.examples(profile, t)
	fmt.Fprintln(p.w)
}

// judging says which of the steps judge something; nothing where all do.
func judging(steps []*suites.Step) string {
	var numbers []string
	for i, s := range steps {
		if judges(s) {
			numbers = append(numbers, strconv.Itoa(i+1))
		}
	}
	switch len(numbers) {
	case 0, len(steps):
		return ""
	case 1:
		return ", in step " + numbers[0]
	}
	return ", in the steps " + listing(numbers, " and ")
}

// judges says whether a step, or one inside of it, wants something of what it shows.
func judges(s *suites.Step) bool {
	told := suites.Tell(s.Do)
	if len(s.Expect)+len(s.Softened) > 0 || slices.ContainsFunc(told.Conditions, func(c suites.Conditions) bool { return c.Judged }) {
		return true
	}
	return slices.ContainsFunc(told.Parts, func(part suites.ToldPart) bool { return slices.ContainsFunc(part.Steps, judges) })
}

// rulings shows those that decide how the requirement is judged.
func (p *page) rulings(t *suites.Test, all []catalog.Ruling) {
	named := map[string]bool{}
	softened(t.Given, named)
	softened(t.Steps, named)
	shown := false
	for _, r := range all {
		if !named[r.ID] && !slices.Contains(r.Requirements, t.ID) {
			continue
		}
		if !shown {
			fmt.Fprintln(p.w, "Rulings (where the contract can be read in more than one way)")
			shown = true
		}
		p.ruling(r)
	}
	if shown {
		fmt.Fprintln(p.w)
	}
}

func softened(steps []*suites.Step, named map[string]bool) {
	for _, s := range steps {
		for _, soft := range s.Softened {
			named[soft.Ruling] = true
		}
		for _, part := range suites.Tell(s.Do).Parts {
			softened(part.Steps, named)
		}
	}
}

// Ruling tells how a sentence of the contract is read.
func Ruling(w io.Writer, r catalog.Ruling) { (&page{w: w}).ruling(r) }

func (p *page) ruling(r catalog.Ruling) {
	id := r.ID
	for _, line := range Wrapped(Plain(r.Title), widest-10) {
		fmt.Fprintf(p.w, "  %*s  %s\n", -len(r.ID), id, line)
		id = ""
	}
	p.paragraph(2, Plain(r.Ruling)+".")
}

// Plain is a sentence of the documentation without its marks and its full stop.
func Plain(markdown string) string {
	return strings.TrimSuffix(strings.NewReplacer("`", "", "*", "").Replace(markdown), ".")
}

// skips shows every reason for which the test may not be judged.
func (p *page) skips(program Program, t *suites.Test) {
	reasons := applicability(t)
	for _, list := range [][]*suites.Step{t.Given, t.Steps} {
		for _, reason := range SkipReasons(list) {
			if reason = program.decided(reason); !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
	}
	fmt.Fprintln(p.w, "Why it may be skipped")
	if len(reasons) == 0 {
		p.line(1, "Never: it applies to every target.")
	}
	for _, r := range reasons {
		p.line(1, "- "+r)
	}
}

// applicability is the reasons that are known before the test runs.
func applicability(t *suites.Test) []string {
	var reasons []string
	add := func(when bool, format string, args ...any) {
		if when {
			reasons = append(reasons, fmt.Sprintf(format, args...))
		}
	}
	for _, claim := range t.Applies.Claims {
		add(true, "the card does not declare %s", claim)
	}
	for _, claim := range t.Applies.Lacks {
		add(true, "the card declares %s", claim)
	}
	switch over := strings.Join(t.Over, " or "); {
	case over == suites.Pairs:
		add(t.Operates, "the card does not declare two bindings of A2A 1.0")
	case over != "":
		add(t.Operates, "the card declares no interface of A2A 1.0 over %s", over)
	default:
		add(t.Operates, "the card declares no interface of A2A 1.0 over a supported binding")
	}
	add(t.Applies.Auth, "the target answers anonymous requests (and --require-auth is not given)")
	add(t.Applies.NoAuth, "the target refuses anonymous requests")
	add(t.Applies.Production, "--production is not given")
	add(t.Applies.Observers > 0, "the card lets fewer observers into a terminal than %d", t.Applies.Observers)
	add(t.Applies.Reserved != "", "always: the contract reserves it for %s", t.Applies.Reserved)
	for _, need := range t.Needs {
		add(true, "%s", notConfigured(need))
	}
	for _, want := range t.Wants {
		add(true, "in part, where %s", notConfigured(want))
	}
	for _, reason := range unmet(slices.Concat(t.Given, t.Steps)) {
		add(true, "%s", reason)
	}
	add(t.Slow > 0, "it needs %s; raise --max-wait", t.Slow)
	return reasons
}

// SkipReasons are the codes of the reasons for which steps can skip their test, in order.
func SkipReasons(steps []*suites.Step) []string {
	var reasons []string
	for _, s := range steps {
		for _, skip := range s.SkipUnless {
			reasons = append(reasons, skip.Reason)
		}
		for _, part := range suites.Tell(s.Do).Parts {
			reasons = append(reasons, SkipReasons(part.Steps)...)
		}
	}
	return reasons
}
