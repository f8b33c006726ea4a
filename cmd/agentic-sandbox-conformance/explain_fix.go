// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
)

// explainFix says what an implementer has to look at: what each answer has to show, and which mistakes are known.
func explainFix(w io.Writer, t *suites.Test) {
	fmt.Fprintf(w, "How to fix\n  See that this holds, as it is written in %s:\n", strings.TrimSuffix(t.Source, "."))
	f := &fixer{describer: describer{w: w}}
	f.steps(t.Steps)
	if len(t.BrokenBy) > 0 {
		var mistakes []string
		for _, b := range t.BrokenBy {
			if mistake := strings.ReplaceAll(b.Fault, "-", " "); !slices.Contains(mistakes, mistake) {
				mistakes = append(mistakes, mistake)
			}
		}
		fmt.Fprintf(w, "  Mistakes that it is known to find: %s\n", strings.Join(mistakes, "; "))
	}
	fmt.Fprintln(w)
}

// A fixer tells of steps only what is judged, under what it is judged of.
type fixer struct {
	describer
	said map[string]bool
}

func (f *fixer) steps(steps []*suites.Step) {
	for _, s := range steps {
		until := untilOf(s.Do)
		if len(s.Expect)+len(until) > 0 {
			f.say("  - " + judgedOf(s.Do))
			for _, e := range slices.Concat(until, s.Expect) {
				f.say(fmt.Sprintf("      %s %s", e.Subject, f.value(e.Want)))
			}
		} else if silence, is := s.Do.(suites.Silence); is {
			f.say("  - on the connection, for " + span(silence.For) + ": nothing with " + f.conditions(silence.Of))
		}
		switch do := s.Do.(type) {
		case suites.Use:
			f.steps(do.Steps)
		case suites.Together:
			f.steps(do.All())
		}
	}
}

// say prints a line; the lines of one answer are not repeated when the same is asked again.
func (f *fixer) say(line string) {
	if f.said == nil {
		f.said = map[string]bool{}
	}
	if strings.HasPrefix(line, "  - ") {
		f.said = map[string]bool{line: true}
	} else if f.said[line] {
		return
	}
	f.said[line] = true
	fmt.Fprintln(f.w, line)
}

// untilOf is what a step itself waits for.
func untilOf(do suites.Action) []suites.Expectation {
	switch do := do.(type) {
	case suites.Poll:
		return do.Until
	case suites.Stream:
		return do.Until
	case suites.Receive:
		return do.Until
	case suites.Await:
		return do.Until
	}
	return nil
}

// judgedOf is what the judgement of a step is about.
func judgedOf(do suites.Action) string {
	switch do := do.(type) {
	case suites.Request:
		return "the answer to " + requestLine(do)
	case suites.Poll:
		if len(do.Until) > 0 {
			return "the answer to " + requestLine(do.Request) + ", sooner or later"
		}
		return "every answer to " + requestLine(do.Request)
	case suites.Stream:
		return "the stream of " + requestLine(do.Request)
	case suites.Open:
		return "the answer to the upgrade of " + do.URL
	case suites.Await:
		if do.Name == "stream" {
			return "the stream in the background"
		}
		return "what the webhook receiver " + do.Name + " gets"
	case suites.Together:
		return "all clients together"
	case suites.Watch:
		return "each of the " + watchedThings[do.What] + " of the run"
	case suites.Hook:
		return "what is seen at the hook " + do.Name
	}
	return "the connection, then"
}

// explainRulings shows the rulings that decide how the requirement is judged.
func explainRulings(w io.Writer, p *suites.Profile, t *suites.Test) error {
	all, err := catalog.Rulings(p.Name)
	if err != nil {
		return bug(err)
	}
	named := map[string]bool{}
	for s := range everyStep(t) {
		for _, soft := range s.Softened {
			named[soft.Ruling] = true
		}
	}
	heading := "Rulings (where the contract can be read in more than one way)\n"
	for _, r := range all {
		if !named[r.ID] && !slices.Contains(r.Requirements, t.ID) {
			continue
		}
		fmt.Fprint(w, heading)
		heading = ""
		explainRuling(w, r)
	}
	if heading == "" {
		fmt.Fprintln(w)
	}
	return nil
}

func explainRuling(w io.Writer, r catalog.Ruling) {
	fmt.Fprintf(w, "  %s  %s\n", r.ID, plainText(r.Title))
	for _, line := range wrapped(plainText(r.Ruling)+".", 110) {
		fmt.Fprintf(w, "    %s\n", line)
	}
}

// wrapped is a text in lines of at most so many bytes, as far as its words allow.
func wrapped(text string, most int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > most {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
