// SPDX-License-Identifier: Apache-2.0

// Package explain tells a test in sentences, for a reviewer who signs what it asks and for an implementer who mends what it
// finds. It knows the suites and the words, and nothing of the command line: what a step does is said by the table of verbs
// ([suites.Tell]), what a condition wants by the table in words.go, so that neither can say one thing and do another.
package explain

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// widest is the longest line, in characters.
const widest = 118

// A page writes lines of a bounded width, and remembers the words whose exact meaning is told at its end.
type page struct {
	w     io.Writer
	words []*assertions.Word
	told  map[string]bool // shared steps that stand above
}

// line writes a text at a depth, over several lines where it is long; what follows the first hangs below its words.
func (p *page) line(depth int, text string) {
	indent := strings.Repeat("  ", depth)
	hanging := indent + "  "
	if isNumbered.MatchString(text) {
		hanging += " "
	}
	for i, line := range Wrapped(text, widest-utf8.RuneCountInString(hanging)) {
		if i > 0 {
			indent = hanging
		}
		fmt.Fprintf(p.w, "%s%s\n", indent, line)
	}
}

var isNumbered = regexp.MustCompile(`^\d+\. `)

// sentences writes a list of sentences, each with what stands below it.
func (p *page) sentences(depth int, all []sentence) {
	for _, s := range all {
		for len(s.below) == 1 {
			s = sentence{s.text + ": " + s.below[0].text, s.below[0].below}
		}
		colon := ""
		if len(s.below) > 0 {
			colon = ":"
		}
		p.line(depth, "- "+s.text+colon)
		p.sentences(depth+1, s.below)
	}
}

// meanings tells exactly what the words mean that a sentence alone does not tell.
func (p *page) meanings() {
	slices.SortFunc(p.words, func(a, b *assertions.Word) int { return strings.Compare(a.Name, b.Name) })
	for _, w := range p.words {
		p.line(1, w.Name+": "+w.Means)
	}
}

// Wrapped is a text in lines of at most so many characters. It breaks between words, and a word that is longer than a line
// where the line ends.
func Wrapped(text string, most int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for utf8.RuneCountInString(word) > most {
			if line != "" {
				lines, line = append(lines, line), ""
			}
			r := []rune(word)
			lines, word = append(lines, string(r[:most])), string(r[most:])
		}
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > most {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
