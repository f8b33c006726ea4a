// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"fmt"
	"io"
	"slices"
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
		p.line(1, fmt.Sprintf("- fault %s%s: the finding matches %s", b.Fault, only, b.Says))
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
	fmt.Fprintf(p.w, "    %s --run %s --fault %s%s\n\n", program.Demo(profile.Name), t.ID, best.Fault, wait)
}

// Weakness orders faults by how little becomes of them: 0 is a failure.
func Weakness(t *suites.Test, b suites.Breakage) int {
	return slices.Index([]string{suites.Failure, suites.Warning, suites.Note}, t.Shows(b))
}

// fix says what an implementer has to look at: what each answer has to show, and which mistakes are known.
func (p *page) fix(t *suites.Test) {
	fmt.Fprintln(p.w, "How to fix")
	required := "What is required:"
	if t.Source != "" {
		required = "Required by " + strings.TrimSuffix(t.Source, ".") + ":"
	}
	p.line(1, required)
	p.toShow(t.Steps, map[string]bool{})
	if len(t.BrokenBy) > 0 {
		var mistakes []string
		for _, b := range t.BrokenBy {
			if mistake := strings.ReplaceAll(b.Fault, "-", " "); !slices.Contains(mistakes, mistake) {
				mistakes = append(mistakes, mistake)
			}
		}
		p.line(1, "Common mistakes: "+strings.Join(mistakes, "; "))
	}
	fmt.Fprintln(p.w)
}

// toShow tells of steps only what is judged, under what it is judged of; the same is not told twice.
func (p *page) toShow(steps []*suites.Step, said map[string]bool) {
	for _, s := range steps {
		told := suites.Tell(s.Do)
		var judged []sentence
		for _, c := range told.Conditions {
			if !c.Judged {
				continue
			}
			if _, silence := s.Do.(suites.Silence); silence {
				judged = append(judged, sentence{c.Says, p.expectations(c.Want)})
			} else {
				judged = append(judged, p.expectations(c.Want)...)
			}
		}
		judged = append(judged, p.expectations(s.Expect)...)
		if key := fmt.Sprint(told.Of, judged); len(judged) > 0 && !said[key] {
			said[key] = true
			p.sentences(1, []sentence{{told.Of, judged}})
			p.example(told, s)
		}
		for _, part := range told.Parts {
			p.toShow(part.Steps, said)
		}
	}
}

// example shows an answer that the step accepts, where the whole of it can be made up.
func (p *page) example(told suites.Telling, s *suites.Step) {
	if len(told.Conditions) > 0 {
		return
	}
	if made, is := exampleOf(s.Expect); is {
		p.line(2, "for example:")
		for _, line := range made.lines() {
			p.line(3, line)
		}
	}
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
	for _, line := range Wrapped(Plain(r.Ruling)+".", widest-4) {
		p.line(2, line)
	}
}

// Plain is a sentence of the documentation without its marks and its full stop.
func Plain(markdown string) string {
	return strings.TrimSuffix(strings.NewReplacer("`", "", "*", "").Replace(markdown), ".")
}

// skips shows every reason for which the test may not be judged.
func (p *page) skips(t *suites.Test) {
	reasons := applicability(t)
	for _, list := range [][]*suites.Step{t.Given, t.Steps} {
		for _, reason := range SkipReasons(list) {
			if reason = reason + " (decided at run time)"; !slices.Contains(reasons, reason) {
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
		kind, name, _ := strings.Cut(need, ":")
		add(true, "the %s %s is not configured (%ss: in the configuration file)", kind, name, kind)
	}
	for _, want := range t.Wants {
		kind, name, _ := strings.Cut(want, ":")
		add(true, "in part, where the %s %s is not configured (%ss: in the configuration file)", kind, name, kind)
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
