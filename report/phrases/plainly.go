// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"regexp"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// quotedText is what the target said, as findings quote it.
var quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// plainer is how a line that is read first says what findings say with more care further down.
var plainer = []struct {
	of *regexp.Regexp
	is string
}{
	{regexp.MustCompile(` \(nearest of \d+ alternatives\)`), ""},
	{regexp.MustCompile(`, \d+(?:st|nd|rd|th) of \d+ such \w+`), ""},
	{regexp.MustCompile(` is (-?\d+) after (-?\d+) before: its growth is (-?\d+), want at least (-?\d+)`), " grew by $3, from $2 to $1, want growth of at least $4"},
	{regexp.MustCompile(`, want JSON that fits schema `), " by the schema "},
	{regexp.MustCompile(`\b([A-Za-z_][\w.]*) nothing there`), "no $1"},
}

// allMissing is a value that has none of several members, one of which it must have.
var allMissing = regexp.MustCompile(` fits none of the alternatives: (\.\w+ is missing(?:; or \.\w+ is missing)+)`)

// ofTheRun says how often something was seen in all that came in the run, and where first.
var ofTheRun = regexp.MustCompile(` \((?:[^()]|\([^()]*\))*; (\d+ of \d+ \w+)\)`)

// plainly is a finding as a line that is read first says it. What the target said stays as it is.
func plainly(sentence string) string {
	said := quotedText.FindAllString(sentence, -1)
	text := quotedText.ReplaceAllString(strings.ReplaceAll(sentence, "\x00", ""), "\x00")
	for _, p := range plainer {
		text = p.of.ReplaceAllString(text, p.is)
	}
	text = allMissing.ReplaceAllStringFunc(text, func(found string) string {
		_, members, _ := strings.Cut(found, ": .")
		return " has none of " + strings.ReplaceAll(strings.TrimSuffix(members, " is missing"), " is missing; or .", ", ")
	})
	var b strings.Builder
	kept := 0
	for _, at := range ofTheRun.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(filled(text[kept:at[0]], &said))
		said = said[strings.Count(text[at[0]:at[1]], "\x00"):]
		b.WriteString(" (" + text[at[2]:at[3]] + ")")
		kept = at[1]
	}
	b.WriteString(filled(text[kept:], &said))
	return b.String()
}

// filled is a text with the next of what was said in each of its places.
func filled(text string, said *[]string) string {
	var b strings.Builder
	for {
		before, after, is := strings.Cut(text, "\x00")
		b.WriteString(before)
		if !is {
			return b.String()
		}
		b.WriteString((*said)[0])
		*said, text = (*said)[1:], after
	}
}

// isOfTheRun says whether a finding is about all that came in the run: the case of the test in which it was looked at says nothing of where.
func isOfTheRun(f *report.Finding) bool {
	return f.SeenAt != "" || f.Where != "" || ofTheRun.MatchString(f.Sentence())
}
