// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// steps numbers the steps and says what each does, what it presupposes, and what it accepts.
func (p *page) steps(steps []*suites.Step, depth int) {
	for i, s := range steps {
		told := suites.Tell(s.Do)
		if p.again(s) {
			p.line(depth, fmt.Sprintf("%d. %s again, as above%s", i+1, capital(told.Does), who(s)))
			p.outcome(depth+1, s)
			continue
		}
		p.line(depth, fmt.Sprintf("%d. %s%s", i+1, capital(told.Does), who(s)))
		for _, line := range told.Lines {
			p.line(depth+1, line)
		}
		for _, c := range told.Conditions {
			p.when(depth+1, capital(c.Says), c.Want)
		}
		for _, part := range told.Parts {
			if part.Says != "" {
				p.line(depth+1, capital(part.Says)+":")
			}
			p.steps(part.Steps, depth+2)
		}
		p.outcome(depth+1, s)
	}
}

// again says whether a step does shared steps that have been told, by the same client.
func (p *page) again(s *suites.Step) bool {
	use, is := s.Do.(suites.Use)
	if !is {
		return false
	}
	key := use.Name + " " + who(s)
	if p.told[key] {
		return true
	}
	if p.told == nil {
		p.told = map[string]bool{}
	}
	p.told[key] = true
	return false
}

// outcome says what becomes of what a step shows.
func (p *page) outcome(depth int, s *suites.Step) {
	p.reads.run = looksAtRun(s)
	for _, skip := range s.SkipUnless {
		p.skipped(depth, skip)
	}
	if s.Prepares {
		p.line(depth, "Preparation: what goes wrong here blocks the test.")
	}
	p.when(depth, "Precondition, otherwise the test is blocked", s.Assume)
	p.when(depth, "Accepted when", s.Expect)
	for _, soft := range s.Softened {
		becomes := "warning"
		if soft.Note {
			becomes = "note"
		}
		p.when(depth, fmt.Sprintf("Only a %s when this does not hold (%s)", becomes, softenedBy(soft.Ruling)), soft.Expect)
		if soft.InWords != "" {
			p.line(depth, fmt.Sprintf("The %s says: %s.", becomes, soft.InWords))
		}
	}
	for _, k := range s.Keep {
		p.line(depth, fmt.Sprintf("Saves %s as ${%s}.", Subject(k.Path), k.Name))
	}
	p.when(depth, "The rest is not needed when", s.EnoughWhen)
}

// softenedBy says what makes a condition less than a requirement: a ruling, or the text of the requirement.
func softenedBy(ruling string) string {
	if ruling == "catalog" {
		return "by the requirement's own text"
	}
	return "ruling " + ruling
}

// skipped says the condition of a skip positively where it can.
func (p *page) skipped(depth int, skip suites.SkipUnless) {
	p.skipCondition(depth, "Skipped as "+skip.Reason+" when", "Skipped as "+skip.Reason+" unless", skip)
}

// skipCondition says under which condition a test is skipped, where the suite says it so, and else which one has to hold.
func (p *page) skipCondition(depth int, when, unless string, skip suites.SkipUnless) {
	if len(skip.Unless) == 1 && len(skip.Unless[0].Want.Checks) == 1 {
		e := skip.Unless[0]
		if inner, is := e.Want.Checks[0].Want.(assertions.Value); is && e.Want.Checks[0].Word.Name == "not" {
			p.list(depth, when, p.reads.skipping(placeOf(e.Subject), inner))
			return
		}
	}
	p.when(depth, unless, skip.Unless)
}

// when writes a condition below what is said of it.
func (p *page) when(depth int, says string, all []suites.Expectation) {
	if len(all) > 0 {
		if strings.HasPrefix(says, "Accepted") || strings.HasPrefix(says, "Precondition") || strings.HasPrefix(says, "Only a ") {
			p.list(depth, says, p.reads.expectations(all))
		} else {
			p.list(depth, says, p.reads.chosenBy(all))
		}
	}
}

func (p *page) list(depth int, says string, all []sentence) {
	if len(all) == 1 {
		all = []sentence{all[0].collapsed()}
	}
	if len(all) == 1 && len(all[0].below) == 0 {
		p.line(depth, says+": "+all[0].text+".")
		return
	}
	if len(all) == 1 {
		p.line(depth, says+": "+all[0].text+":")
		all = all[0].below
	} else {
		p.line(depth, says+":")
	}
	p.sentences(depth+1, all)
}

// who is the actor and the credentials, where they are not the suite's, and the time limit.
func who(s *suites.Step) string {
	text := ""
	if s.By != "" {
		text += ", by " + s.By
	}
	if s.As != "" {
		text += ", as " + s.As
	}
	if within := s.Within.String(); within != "" {
		text += ", within " + within
	}
	return text + "."
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
