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

// Clues are texts by which the place in an answer is found that the decisive finding of a result is about, the surest first: a member with the
// value that it has, and values by themselves. It is nil where the finding quotes nothing.
func Clues(r *report.Result) []string {
	f := r.Decisive()
	if f == nil {
		return nil
	}
	var values []string
	for _, text := range quotedText.FindAllString(f.Observed, 8) {
		if value, err := strconv.Unquote(text); err == nil && value != "" {
			values = append(values, value)
		}
	}
	var clues []string
	if name := lastName.FindStringSubmatch(f.Subject); name != nil && len(values) > 0 {
		clues = append(clues, strconv.Quote(name[1])+": "+strconv.Quote(values[0]))
	}
	slices.SortStableFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, value := range values {
		if len(value) >= leastClue {
			clues = append(clues, value)
		}
	}
	return clues
}

// BodyOf is the body of an entry for people, at most some bytes of it: of the answer that was judged those that the clues lead to. It says whether
// something is missing.
func BodyOf(e *report.Evidence, bytes int, clues []string) (shown string, cut bool) {
	if !e.Judged {
		clues = nil
	}
	return window(WithoutRuns(Body(e.Body)), bytes, clues)
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
