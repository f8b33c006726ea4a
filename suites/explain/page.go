// SPDX-License-Identifier: Apache-2.0

// Package explain tells a test in sentences, for a reviewer who signs what it asks and for an implementer who mends what it
// finds. It knows the suites and the words, and nothing of the command line: what a step does is said by the table of verbs
// ([suites.Tell]), what a condition wants by the table in words.go, so that neither can say one thing and do another. A condition is
// a claim before it is sentences: claims that say the same are said once, and in the words that are shorter.
package explain

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// widest is the longest line, in characters.
const widest = 118

// A page writes lines of a bounded width, and remembers what is told already.
type page struct {
	w     io.Writer
	told  map[string]bool // shared steps that stand above
	reads reading         // of the conditions
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

// paragraph writes a text at a depth; all of its lines begin there.
func (p *page) paragraph(depth int, text string) {
	indent := strings.Repeat("  ", depth)
	for _, line := range Wrapped(text, widest-len(indent)) {
		fmt.Fprintf(p.w, "%s%s\n", indent, line)
	}
}

// sentences writes a list of sentences, each with what stands below it.
func (p *page) sentences(depth int, all []sentence) {
	for _, s := range all {
		s = s.collapsed()
		colon := ""
		if len(s.below) > 0 {
			colon = ":"
		}
		p.line(depth, "- "+s.text+colon)
		p.sentences(depth+1, s.below)
	}
}

// command writes a command line; one that is too long goes on, as a shell reads it, on a line of its own.
func (p *page) command(parts ...string) {
	if whole := "    " + strings.Join(parts, " "); utf8.RuneCountInString(whole) <= widest {
		fmt.Fprintln(p.w, whole)
		return
	}
	fmt.Fprintf(p.w, "    %s\n", strings.Join(parts, " \\\n      "))
}

// collapsed is a sentence with the one that stands alone below it on its line.
func (s sentence) collapsed() sentence {
	for len(s.below) == 1 {
		joint := ": "
		if s.comma {
			joint = ", "
		}
		below := s.below[0]
		if which, is := strings.CutSuffix(s.text, " of which this holds"); is && below.text == oneHolds {
			s = sentence{text: which + " of which " + oneHolds, below: below.below}
			continue
		}
		s = sentence{s.text + joint + below.text, below.below, below.comma}
	}
	return s
}

// cycles tells the life cycles that were spoken of.
func (p *page) cycles() {
	for _, life := range p.reads.lives {
		p.line(1, life)
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
