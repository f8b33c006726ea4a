// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// Finding is a finding as visible text, for every format that shows findings whole.
func Finding(f *report.Finding, most int) string {
	var b strings.Builder
	b.WriteString(show.OneLine(f.At))
	if f.Case != "" {
		fmt.Fprintf(&b, ", in the case %s", show.Brief(f.Case, 600))
	}
	if f.Part != "" {
		fmt.Fprintf(&b, ", in the part %s", PartName(f.Part, 600))
	}
	switch f.Severity {
	case report.Warn:
		b.WriteString(" [warning]")
	case report.Pass:
		b.WriteString(" [note]")
	}
	if f.Ruling != "" {
		fmt.Fprintf(&b, " [ruling %s]", show.OneLine(f.Ruling))
	}
	p := PartsOf(f)
	switch {
	case p.Sentence == "" && p.About != "":
		fmt.Fprintf(&b, "\n  %s: %s\n", p.About, show.Brief(p.Subject, 500))
	case p.Sentence == "":
		fmt.Fprintf(&b, "\n  %s\n", show.Brief(p.Subject, 500))
	case p.About != "":
		fmt.Fprintf(&b, "\n  %s:\n  %s\n", p.About, hanging(p.Sentence, most))
	default:
		fmt.Fprintf(&b, "\n  %s\n", hanging(p.Sentence, most))
	}
	for _, part := range [][2]string{{"it means ", f.InWords}, {"observed ", p.Observed}, {"expected ", p.Expected}, {"in full  ", p.Full}} {
		if part[1] != "" {
			fmt.Fprintf(&b, "    %s %s\n", part[0], hanging(part[1], most))
		}
	}
	if f.Says != "" {
		fmt.Fprintf(&b, "    it says   %s\n", hanging(strconv.Quote(f.Says), most))
	}
	if f.SeenAt != "" {
		fmt.Fprintf(&b, "    seen at   %s\n", hanging(f.SeenAt, most))
	}
	if f.Common != "" {
		fmt.Fprintf(&b, "    in common %s\n", hanging(f.Common, most))
	}
	return b.String()
}

// Short is the finding that decides the outcome, with what was asked, on one line. What is about the whole run has all routes that
// it was seen at, and what these have in common.
func Short(r *report.Result) string { return short(r, true) }

// short is [Short], with or without the client of whose answer or connection the finding is.
func short(r *report.Result, named bool) string {
	f := r.Decisive()
	if f == nil {
		return r.Headline()
	}
	common := ""
	if beside := commonBeside(f); beside == f.Common && beside != "" {
		common = "; in common: " + beside
	} else if beside != "" {
		common = "; in common beside that: " + beside
	}
	if f.Says != "" {
		common = "; the answer says " + strconv.Quote(show.Brief(f.Says, 120)) + common
	}
	switch {
	case f.SeenAt != "":
		on := ""
		if noAnswer.MatchString(f.Route) {
			on = f.Route + ": "
		}
		if nowhereElse(f) != "" {
			return on + f.Told() + common
		}
		return on + f.Told() + common + "; seen at " + f.SeenAt
	case f.Route != "":
		by := ""
		if named {
			by = byActor(f)
		}
		return f.Route + by + refused(f) + ": " + f.Told() + common
	case f.Actor != "" && named:
		return atWebhook(f) + ": " + f.Told() + common
	}
	return f.Told() + common
}

// onlyRoute is the one route of a count of routes.
var onlyRoute = regexp.MustCompile(`^([^,]+) \(\d+\)$`)

// nowhereElse is the route that a finding about the whole run was seen at, where that is the one of the answer that it names; "" where it was seen
// at others.
func nowhereElse(f *report.Finding) string {
	if at := onlyRoute.FindStringSubmatch(f.SeenAt); at != nil && strings.HasSuffix(strings.SplitN(f.Where, ", ", 2)[0], "the answer to "+at[1]) {
		return at[1]
	}
	return ""
}

// commonBeside is what all that was not as wanted has in common beside the route that the finding names.
func commonBeside(f *report.Finding) string {
	route := nowhereElse(f)
	if route == "" {
		return f.Common
	}
	if rest, is := strings.CutPrefix(f.Common, route+" and "); is {
		return rest
	}
	if strings.HasPrefix(f.Common, route+" (") {
		return ""
	}
	return f.Common
}

// byActor names the client whose answer or connection a finding is about, where the test has several, whose credentials it showed, where
// the suite does not ask everything with these, and what was asked before.
func byActor(f *report.Finding) string {
	var parts []string
	if f.Actor != "" {
		parts = append(parts, "client "+show.Brief(f.Actor, 60))
	}
	switch f.As {
	case "":
	case "anonymous":
		parts = append(parts, "without credentials")
	default:
		parts = append(parts, "with the token of "+show.Brief(f.As, 60))
	}
	if f.After != "" {
		parts = append(parts, "after "+show.Brief(f.After, 200))
	}
	if len(parts) == 0 || f.Route == "" {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// atWebhook is the webhook that a finding is about, by the name that the exchange has for it.
func atWebhook(f *report.Finding) string { return "webhook " + show.Brief(f.Actor, 60) }

// refused says with what was answered, where that is an error and the finding says nothing of it: what is asked of an answer to something
// else is of no use to who does not know that it failed.
func refused(f *report.Finding) string {
	if f == nil || f.Status < 400 || strings.Contains(f.Told(), "status") {
		return ""
	}
	return fmt.Sprintf(", answered with %d", f.Status)
}

// A Case is the case of a test in which the finding was made that decides its outcome.
type Case struct {
	Name   string   // "" where the test has no cases
	More   int      // cases of which the same was found
	Others []string // the names of these, where they are few and short
	Part   string   // of the test's steps; "" where it has no parts
	All    int      // how many cases failed, if something else was found of some; 0: the same of all
	Held   []string // the cases in which the requirement holds, if they are few
	Holds  int      // how many these are
}

// What the other cases may take up that are named beside the first.
const (
	maxOthers     = 3
	longestOthers = 100 // characters
)

// caseOf is a case, and those of which the same was found.
func caseOf(name string, others []string) Case {
	c := Case{Name: show.Brief(name, 200), More: len(others)}
	c.Others = fewOf(others)
	return c
}

// fewOf are names if they are few and short, and none otherwise.
func fewOf(names []string) (few []string) {
	if len(names) > maxOthers || len([]rune(strings.Join(names, ""))) > longestOthers {
		return nil
	}
	for _, name := range names {
		few = append(few, show.Brief(name, longestOthers))
	}
	return few
}

// firstFew are the first names, as many as are few and short together.
func firstFew(names []string) []string {
	for n := min(len(names), maxOthers); n > 0; n-- {
		if few := fewOf(names[:n]); few != nil {
			return few
		}
	}
	return nil
}

// CaseOf is the case of the finding that [Short] is.
func CaseOf(r *report.Result) Case {
	f := r.Decisive()
	if f == nil || isOfTheRun(f) {
		return Case{}
	}
	c := rowOf(r, f)
	c.Part = PartName(f.Part, 200)
	if c.Name != "" && f.Severity == r.Outcome {
		c.Holds = len(r.Held)
		c.Held = firstFew(r.Held)
	}
	return c
}

// rowOf is the row of the test's table that a finding is about.
func rowOf(r *report.Result, f *report.Finding) Case {
	if f.Case == "" {
		return Case{}
	}
	named := f.Route == f.Case || strings.HasSuffix(f.Route, " "+f.Case) // the route in front of the finding says it
	others := casesSeenAlike(r.Findings, f)
	if len(others) == 0 && named {
		return Case{}
	}
	c := caseOf(f.Case, others)
	if all := casesLike(r.Findings, f.Severity); all > len(others)+1 {
		c.All = all
	}
	return c
}

// casesSeenAlike are the other cases in which the same was seen as in a finding, in order.
func casesSeenAlike(findings []report.Finding, of *report.Finding) []string {
	var cases []string
	for i := range findings {
		if f := &findings[i]; f.Case != "" && f.Case != of.Case && seenAlike(f, of) && !slices.Contains(cases, f.Case) {
			cases = append(cases, f.Case)
		}
	}
	return cases
}

// casesLike is of how many cases there are findings as severe.
func casesLike(findings []report.Finding, severity report.Outcome) int {
	cases := map[string]bool{}
	for i := range findings {
		if findings[i].Severity == severity {
			cases[findings[i].Case] = true
		}
	}
	return len(cases)
}

// PartName is the name of a part of a test's steps where it stands alone: suites begin it with a word that joins it to the part before.
func PartName(part string, most int) string {
	for _, joins := range []string{"and ", "also "} {
		part = strings.TrimPrefix(part, joins)
	}
	return show.Brief(part, most)
}

// In says in which case something was seen, in front of what was seen, with the name in the form that a format gives it: "in the cases
// `empty body` and `no body` alike: ", "in 8 cases alike, such as `empty body`: ", and "in the case `empty body`, and in another way
// in 2 more: " where it was not the same in all; "in the case `empty body`, part `the second time`: " of a part of its steps. It is empty
// where there are neither cases nor parts.
func (c Case) In(named func(string) string) string {
	in := c.rows(named)
	switch {
	case c.Part == "" && in == "":
		return ""
	case c.Part == "":
		return in + ": "
	case in == "":
		return "in the part " + named(c.Part) + ": "
	}
	return in + ", part " + named(c.Part) + ": "
}

// rows says in which rows of the test's table something was seen.
func (c Case) rows(named func(string) string) string { return c.fails(named) + c.holds(named) }

// holds says in which rows the requirement holds, behind those in which it does not.
func (c Case) holds(named func(string) string) string {
	switch {
	case c.Holds == 0:
		return ""
	case len(c.Held) == 0:
		return fmt.Sprintf(" (it holds in %d others)", c.Holds)
	}
	var held []string
	for _, name := range c.Held {
		held = append(held, named(name))
	}
	if more := c.Holds - len(held); more > 0 {
		held = append(held, fmt.Sprintf("%d more", more))
	}
	return " (it holds in " + show.InWords(held) + ")"
}

// fails says in which rows something was seen.
func (c Case) fails(named func(string) string) string {
	switch {
	case c.Name == "":
		return ""
	case c.All > c.More+1:
		return fmt.Sprintf("%s, and in another way in %d more", c.alike(named), c.All-c.More-1)
	}
	return c.alike(named)
}

// alike says in which rows the same was seen.
func (c Case) alike(named func(string) string) string {
	switch {
	case len(c.Others) > 0:
		alike := []string{named(c.Name)}
		for _, other := range c.Others {
			alike = append(alike, named(other))
		}
		return fmt.Sprintf("in the cases %s alike", show.InWords(alike))
	case c.More > 0:
		return fmt.Sprintf("in %d cases alike, such as %s", c.More+1, named(c.Name))
	}
	return "in the case " + named(c.Name)
}

// HeldIn says of a result that is broken or warned of in which of its cases the requirement holds; "" where there are none.
func HeldIn(r *report.Result) string {
	if len(r.Held) == 0 {
		return ""
	}
	var names []string
	for _, name := range r.Held {
		names = append(names, Quoted(name))
	}
	return fmt.Sprintf("It holds in %s: %s.", show.Plural(len(names), "other case", "other cases"), show.Brief(show.FirstOf(names, 20), 2000))
}

// Quoted is a name in quotes, for lines without a form.
func Quoted(name string) string { return `"` + name + `"` }

// ShortInCase is [Short] behind its case, for lines without a form.
func ShortInCase(r *report.Result) string { return CaseOf(r).In(Quoted) + Short(r) }

// SeenInCase is what was seen behind its case, as lines that are read first say it.
func SeenInCase(r *report.Result) string { return CaseOf(r).In(Quoted) + SeenPlainly(r) }

// SubjectOf is what a finding is about; of one of all answers of the run also which one that is.
func SubjectOf(f *report.Finding) string {
	if f.Where == "" {
		return f.Subject
	}
	return strings.TrimPrefix(f.Place()+", in "+f.Where, ", ")
}

// noAnswer matches the routes of what is no answer to a request: what came on a connection, and what a document declares.
var noAnswer = regexp.MustCompile(`^(?:WS|OpenAPI) `)

// About is what was asked, and with what it was answered, where the finding is not about just that; "" when it is not known.
func About(f *report.Finding) string {
	switch {
	case f.Route == "" && f.Actor != "":
		return atWebhook(f)
	case f.Route == "" || f.Subject == "status" || f.Status == 0 && (noAnswer.MatchString(f.Route) || isOfTheRun(f)): // what came in a stream has no status of its own
		return show.Brief(f.Route, 400) + byActor(f)
	case f.Status == 0:
		return show.Brief(f.Route, 400) + byActor(f) + ", which was not answered"
	}
	return fmt.Sprintf("%s%s, answered with %d", show.Brief(f.Route, 400), byActor(f), f.Status)
}

// Seen is what was observed, and whether that with the subject and what was expected says all that the sentence says: then
// the sentence need not stand there as well.
func Seen(f *report.Finding) (observed string, composed bool) {
	if f.Subject == "" || f.Observed == "" {
		return f.Observed, false
	}
	for _, verb := range []string{" ", " is "} {
		whole := f.Subject + verb + f.Observed
		if f.Expected != "" {
			whole += ", want " + f.Expected
		}
		if more, is := strings.CutPrefix(f.Sentence(), whole); is {
			return f.Observed + more, true
		}
	}
	return f.Observed, false
}

// hanging is text of the target with its further lines indented under the first.
func hanging(text string, most int) string {
	return strings.ReplaceAll(strings.TrimRight(show.Visible(show.Clip(text, most)), "\n"), "\n", "\n              ")
}
