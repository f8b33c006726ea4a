// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"regexp"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// code1 is text as a code span on one line, delimited by more backticks than it holds. Pipes are escaped as
// tables need it, which code spans outside of tables must not have: use cell there.
func code1(text string) string {
	text = show.Brief(text, 2000)
	if text == "" {
		return "(empty)"
	}
	fence := strings.Repeat("`", longestRun(text)+1)
	if text[0] == '`' || text[len(text)-1] == '`' || text[0] == ' ' && text[len(text)-1] == ' ' {
		text = " " + text + " "
	}
	return fence + text + fence
}

// cell is text as a code span inside a table.
func cell(text string) string {
	return strings.ReplaceAll(code1(show.Brief(text, 300)), "|", `\|`)
}

// fenced is text as a code block whose fence is longer than any run of backticks in it.
func fenced(language, text string) string {
	text = strings.TrimRight(show.Visible(text), "\n")
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	return fence + language + "\n" + text + "\n" + fence + "\n"
}

func longestRun(text string) int {
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// prose is a sentence on one line in which nothing is Markdown or HTML: words that renderers would make links,
// mentions or emphasis of become code, and the whole text when it looks like no sentence at all.
func prose(text string) string {
	text = show.Brief(text, 4000)
	if strings.ContainsAny(text, "`|\\") {
		return code1(text)
	}
	words := strings.Fields(text)
	var out []string
	for i := 0; i < len(words); {
		n := 0
		for i+n < len(words) && active(words[i+n]) {
			n++
		}
		if n > 0 {
			code := strings.Join(words[i:i+n], " ")
			inner := strings.TrimRight(code, ",;:.") // what ends a clause is no part of an address or a name
			if inner == "" || strings.HasSuffix(code, "..") {
				inner = code
			}
			out = append(out, code1(inner)+code[len(inner):])
			i += n
			continue
		}
		out = append(out, proseEscapes.Replace(words[i]))
		i++
	}
	if len(out) > 0 && beginsBlock.MatchString(out[0]) {
		out[0] = code1(out[0])
	}
	return strings.Join(out, " ")
}

// setting finds where a text names lines of the configuration file: hooks: {restart: {command: [...]}}.
var setting = regexp.MustCompile(`\b(hooks|cues|tokens): \{`)

// advice is prose in which lines of the configuration file stand as code, so that they can be copied from it.
func advice(text string) string {
	text = show.Brief(text, 4000)
	at := setting.FindStringIndex(text)
	if at == nil {
		return prose(text)
	}
	end, depth := at[1], 1
	for ; end < len(text) && depth > 0; end++ {
		switch text[end] {
		case '{':
			depth++
		case '}':
			depth--
		}
	}
	before := prose(text[:at[0]])
	if before != "" {
		before += " "
	}
	after := prose(text[end:])
	if after != "" && (text[end] == ' ' || after[0] == '`') { // two code spans side by side would be none
		after = " " + after
	}
	return before + code1(text[at[0]:end]) + after
}

// active reports whether a renderer could make more of a word than its letters.
func active(word string) bool {
	return strings.ContainsAny(word, "_@*~$") || strings.Contains(word, "://") || strings.Contains(word, "www.")
}

// beginsBlock matches what makes a list or a heading of a line when it comes first.
var beginsBlock = regexp.MustCompile(`^([-+=]+|[0-9]+[.)])$`)

var proseEscapes = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "[", `\[`, "]", `\]`, "#", `\#`, "!", `\!`)
