// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// A long body is shown by its beginning, and by the part in which stands what the finding is about.

const (
	leastClue = 6   // characters of what a text is searched for by itself; fewer turn up by chance
	before    = 320 // bytes that are shown in front of what is looked for
)

// lastName is the member that the place of a finding ends with.
var lastName = regexp.MustCompile(`([A-Za-z_][\w-]*)(?:\[[^\]]*\])*$`)

// namedLines are the lines of an answer that a finding names.
var namedLines = regexp.MustCompile(`\blines? (\d{1,6})(?: and (\d{1,6})\b)?`)

// Clues lead to the place in an answer that the decisive finding of a result is about.
type Clues struct {
	texts []string // that stand there, the surest first: a member with the value that it has, and values by themselves
	lines []int    // counted from 1
}

// CluesOf are the clues that a result gives. There are none where the finding quotes nothing, and names no line.
func CluesOf(r *report.Result) Clues {
	f := r.Decisive()
	if f == nil {
		return Clues{}
	}
	var values []string
	for _, text := range quotedText.FindAllString(f.Observed, 8) {
		if value, err := strconv.Unquote(text); err == nil && value != "" {
			values = append(values, value)
		}
	}
	var clues Clues
	for _, found := range namedLines.FindAllStringSubmatch(quotedText.ReplaceAllString(f.Observed, ""), 4) {
		for _, number := range found[1:] {
			if line, err := strconv.Atoi(number); err == nil && line > 0 {
				clues.lines = append(clues.lines, line)
			}
		}
	}
	slices.Sort(clues.lines)
	if name := lastName.FindStringSubmatch(f.Subject); name != nil && len(values) > 0 {
		clues.texts = append(clues.texts, strconv.Quote(name[1])+": "+strconv.Quote(values[0]))
	}
	slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, value := range values {
		if len(value) >= leastClue {
			clues.texts = append(clues.texts, value)
		}
	}
	return clues
}

// BodyOf is the body of an entry for people, at most some bytes of it: of the answer that was judged those that the clues lead to. It says whether
// more is missing than lines in whose place their number stands.
func BodyOf(e *report.Evidence, bytes int, clues Clues) (shown string, cut bool) {
	text := WithoutRuns(Body(e.Body))
	if !e.Judged {
		return window(text, bytes, nil)
	}
	return window(aroundLines(text, clues.lines), bytes, clues.texts)
}

// What is shown of a text of many lines around one that a finding names: the comments of a metric stand above it.
const (
	fewLines = 16 // a text of so many is shown whole
	above    = 4
	below    = 2
)

// aroundLines leaves out of a text of many lines what is not near those that are named, counted from 1 in ascending order. JSON is laid out anew:
// its lines are not those that were counted.
func aroundLines(text string, named []int) string {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	if len(named) == 0 || len(lines) <= fewLines || named[len(named)-1] > len(lines) || strings.ContainsAny(text[:1], "{[") {
		return text
	}
	var b strings.Builder
	next := 0
	leaveOut := func(to int) {
		if left := to - next; left > 0 {
			fmt.Fprintf(&b, "… %s left out here …\n", show.Plural(left, "line", "lines"))
		}
		next = max(next, to)
	}
	for _, line := range named {
		leaveOut(line - 1 - above)
		for to := min(line+below, len(lines)); next < to; next++ {
			b.WriteString(lines[next])
		}
	}
	leaveOut(len(lines))
	return b.String()
}

// window is at most some bytes of a text: its beginning, or where what one of the clues names stands behind that, a little of the beginning and
// the lines around it, with how much is left out between them. It says whether something is missing.
func window(text string, bytes int, clues []string) (shown string, cut bool) {
	if len(text) <= bytes {
		return text, false
	}
	at := place(text, clues)
	if at < 0 || at+before < bytes || bytes < 4*before {
		return show.CutAt(text, bytes), true
	}
	head := lineEnd(text[:bytes/8])
	from := max(strings.LastIndexByte(text[:max(at-before, len(head))], '\n')+1, len(head))
	if at-from > 4*before { // one long line
		from = at - before
	}
	left := fmt.Sprintf("… %s left out here …\n", show.Size(from-len(head)))
	return head + left + show.CutAt(strings.ToValidUTF8(text[from:], ""), bytes-len(head)), true
}

// place is where in a text the first of the clues stands that it has; -1: it has none.
func place(text string, clues []string) int {
	for _, clue := range clues {
		if at := strings.Index(text, clue); at >= 0 {
			return at
		}
	}
	return -1
}

// lineEnd is a text up to the end of its last whole line.
func lineEnd(text string) string { return text[:strings.LastIndexByte(text, '\n')+1] }
