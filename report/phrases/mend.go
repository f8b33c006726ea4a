// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// Bounds of what stands before everything else in a report.
const (
	MaxForemost = 3   // of the things to mend: with the answers to a reviewer's questions they are the first screen
	maxInShort  = 110 // characters of a requirement, and of what was seen, in a short line
	maxSide     = 140 // characters of what was seen, and of what was wanted instead, where the whole finding stands further down
	maxShared   = 300 // characters of what shows a root cause
	maxMissing  = 240 // of why something did not come, such as the code with which a connection was closed
	maxUnwanted = 60  // of what was seen where nothing should be
)

// A Mend is one thing that the reader of a report will mend. Its texts may hold what the target said.
type Mend struct {
	Lead   string         // what is wrong, or the id of the requirement
	Result *report.Result // that of the requirement; nil of a root cause
	Cause  string         // the id of the root cause; "" of a requirement
	Text   string         // what to do, and what shows it; or what the requirement asks for
	Case   Case           // in which that was seen
	Seen   string         // in the target
}

// Foremost is how many of so many things to mend stand before everything else: a line that says that there is one more would take its place.
func Foremost(all int) int {
	if all == MaxForemost+1 {
		return all
	}
	return min(all, MaxForemost)
}

// NothingBroken says of a run without failures what that means.
func NothingBroken(run *report.Run) string {
	switch {
	case run.Summary.Measured() == 0:
		return "Nothing was measured, so nothing is known."
	case run.Summary.Waived > 0:
		return "No requirement is broken but those that are waived."
	}
	return "No requirement was seen broken."
}

// NoFailures says of so many warnings that they are no failures, above a list of them. Whether they fail the run is for the operator to say.
func NoFailures(warnings int) string {
	if warnings == 1 {
		return "that is no failure:"
	}
	return "that are no failures:"
}

// notInTime follows what is asked for where nothing is known but that something did not come in time.
const notInTime = " (only that something did not come in time)"

// ToMend are the root causes of a run and the failures that show none of them, what breaks most first, and last those of which nothing is
// known but that something did not come in time.
func ToMend(run *report.Run) []Mend {
	var all, late []Mend
	add := func(one Mend, isLate bool) {
		if isLate {
			one.Text += notInTime
			late = append(late, one)
		} else {
			all = append(all, one)
		}
	}
	causes := run.SharedCauses(report.Fail)
	for i := range causes {
		add(shared(&causes[i]), causes[i].Late())
	}
	for _, r := range run.Alone() {
		if !shows(causes, r) {
			add(alone(r), r.Late())
		}
	}
	return append(all, late...)
}

// Warned are the root causes of warnings alone, what warns most first, and the warnings that have none in common. Those that share the cause of
// a failure stand with it.
func Warned(run *report.Run) []Mend {
	var all []Mend
	causes, broken := run.SharedCauses(report.Warn), run.SharedCauses(report.Fail)
	for i := range causes {
		all = append(all, shared(&causes[i]))
	}
	for i := range run.Results {
		if r := &run.Results[i]; r.Outcome == report.Warn && r.Cause == "" && !shows(causes, r) && !shows(broken, r) {
			all = append(all, alone(r))
		}
	}
	return all
}

// shared is what several tests met.
func shared(c *report.SharedCause) Mend {
	g := report.Group{Results: c.With(c.Worst())}
	behind := report.Group{Results: c.With(report.Blocked)}
	if blocked := behind.IDs(); c.Kind == report.CauseFinding && len(g.Results) == 1 && len(c.Results) == 1+len(blocked) && len(c.Shown) == 0 {
		one := alone(g.Results[0]) // its own requirement says more than what it has in common with what it blocks
		one.Text += fmt.Sprintf(" (%s by this: %s)", show.Plural(len(blocked), "more test is blocked", "more tests are blocked"), show.FirstOf(blocked, 10))
		return one
	}
	also := ""
	if n := len(c.Shown); n > 0 {
		shows := "show"
		if n == 1 {
			shows = "shows"
		}
		also = fmt.Sprintf("; beside something else, %s %s it too", show.FirstOf(c.Shown, 20), shows)
	}
	seen := g.Results[0] // or one that shows just what the cause says
	if i := slices.IndexFunc(g.Results, func(r *report.Result) bool {
		return strings.HasPrefix(strings.Replace(short(r, false), refused(r.Decisive()), "", 1), c.Says)
	}); i >= 0 {
		seen = g.Results[i]
	}
	if c.Lead != nil {
		seen = c.Lead
	}
	in := CaseOf(seen)
	if slices.Contains([]string{report.CauseMissingRoute, report.CauseSilentRoute, report.CauseFailingRoute}, c.Kind) { // whatever it is asked
		in = Case{}
	}
	return Mend{Lead: show.Ended(show.Clip(c.Says, 500)), Text: fmt.Sprintf("%s (%s%s)", show.Clip(c.Fix, 500), c.CountsWith(show.FirstOf(g.IDs(), 150)), also),
		Cause: c.ID, Case: in, Seen: show.Brief(SeenPlainly(seen), maxShared)}
}

// shows says whether a result shows one of the causes, and something else besides: it follows from that cause first.
func shows(causes []report.SharedCause, r *report.Result) bool {
	return slices.ContainsFunc(causes, func(c report.SharedCause) bool { return slices.Contains(c.Shown, r.ID) })
}

// alone is a result that has its cause in common with nothing.
func alone(r *report.Result) Mend {
	return Mend{Lead: r.ID, Result: r, Text: r.Level + " " + show.Brief(strings.TrimSuffix(r.Requirement, "."), 300), Case: CaseOf(r), Seen: SeenPlainly(r)}
}

// SeenPlainly is what was seen as lines that are read first say it, without its case: [Short] with both sides of the finding in sight, as a long one
// would push the other out.
func SeenPlainly(r *report.Result) string {
	whole := plainly(Short(r))
	f := r.Decisive()
	if f == nil {
		return show.Brief(whole, 500)
	}
	observed, expected := f.Observed, f.Expected
	if f.Nearest != "" {
		_, observed, expected, _ = takenApart(f.Nearest, f.Subject)
	}
	if strings.Contains(observed, "; or ") || len([]rune(observed)) <= maxSide && len([]rune(expected)) <= maxSide {
		return show.Brief(whole, 500)
	}
	observed, expected = plainly(observed), plainly(expected)
	seen := middleCut(lastOf(observed, maxSide), maxSide)
	if strings.HasPrefix(observed, isMissing) {
		seen = middleCut(observed, maxMissing)
	}
	if unwanted.MatchString(expected) { // that it is there is all that counts
		seen = middleCut(observed, maxUnwanted)
	} else if at := offset.FindStringIndex(observed); at != nil && len([]rune(observed)) > maxSide { // where two texts part
		seen = "… " + middleCut(observed[at[0]:], maxSide)
	} else if around := cutAround(observed, expected, maxSide); around != "" && !strings.HasPrefix(observed, isMissing) { // what came instead stands behind that
		seen = around
	}
	whole = strings.Replace(whole, observed, seen, 1)
	whole = strings.Replace(whole, expected, middleCut(expected, maxSide), 1)
	return show.Brief(whole, 500)
}

// offset begins what two texts have where they part.
var offset = regexp.MustCompile(`\bat offset \d+ it has `)

// isMissing begins what was seen of something that did not come.
const isMissing = "is missing"

// lastOf is what was seen in several places without the first of them, which say where it is: the last one is what should not be there. A
// byte that is no text stands in one place, and what it stands between says less than the byte.
func lastOf(observed string, most int) string {
	before, places, is := strings.Cut(observed, "has ")
	if !is || strings.HasPrefix(places, "no ") || strings.HasPrefix(places, "byte ") || before != "" && !strings.HasSuffix(before, `" `) {
		return observed
	}
	for len([]rune(before+"has "+places)) > most {
		end := endOfFirst(places)
		if end < 0 {
			break
		}
		places = places[end:]
	}
	return before + "has " + places
}

// endOfFirst is where the second of several places begins, which are joined by "and"; -1 where there is one only. What is quoted joins nothing.
func endOfFirst(places string) int {
	const and = " and "
	quoted := false
	for i := 0; i < len(places); i++ {
		switch {
		case quoted && places[i] == '\\':
			i++
		case places[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(places[i:], and):
			return i + len(and)
		}
	}
	return -1
}

// unwanted begins what is wanted of something that should not be there at all.
var unwanted = regexp.MustCompile(`^(?:absent|no such member)\b`)

// Bounds of what is compared to find the part of a text that matters.
const (
	leastShared = 8    // characters that what was seen has in common with what was wanted
	maxCompared = 2000 // characters
)

// cutAround is the part of what was seen that has most in common with what was wanted; "" where that is nothing to speak of, and where
// all of it may be shown.
func cutAround(observed, expected string, most int) string {
	seen, wanted := []rune(observed), []rune(expected)
	if len(seen) <= most || len(seen) > maxCompared || len(wanted) > maxCompared {
		return ""
	}
	end, longest := 0, 0
	before := make([]int, len(wanted)+1)
	for i := range seen {
		now := make([]int, len(wanted)+1)
		for k := range wanted {
			if seen[i] == wanted[k] {
				if now[k+1] = before[k] + 1; now[k+1] > longest {
					end, longest = i+1, now[k+1]
				}
			}
		}
		before = now
	}
	if longest < leastShared || longest > most/2 { // a long one leaves no room for what is different
		return ""
	}
	from := max(0, min((2*end-longest-most)/2, len(seen)-most))
	part := string(seen[from : from+most])
	if from > 0 {
		part = "… " + part
	}
	if from+most < len(seen) {
		part += " …"
	}
	return part
}

// middleCut is the beginning and the end of a text: what was seen last, and how long it was waited for, stand at the end. It cuts between
// words where these are not long.
func middleCut(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	end, begin := most/2, len(runes)-most/2
	for i := end; i > end-longWord; i-- {
		if runes[i] == ' ' {
			end = i
			break
		}
	}
	for i := begin; i < begin+longWord; i++ {
		if runes[i-1] == ' ' {
			begin = i
			break
		}
	}
	return string(runes[:end]) + " … " + string(runes[begin:])
}

// longWord is how much less than it may is shown of a text in order not to cut a word in two, in characters.
const longWord = 20

// InShort is what stands behind things that matter more: the beginning of what is asked for, and of what was seen.
func (m Mend) InShort() Mend {
	m.Text, m.Seen = show.Brief(m.Text, maxInShort), show.Brief(m.Seen, maxInShort)
	return m
}
