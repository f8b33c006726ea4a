// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestPattern is how many characters of the text of a pattern are shown.
const longestPattern = 200

// anything stands for what a pattern leaves open.
const anything = "…"

// patternText is what a regular expression finds, as people read it: literals as they stand, n for a number, ID for a UUID,
// "…" for anything else, alternatives with "or", and in parentheses what may be left out.
func patternText(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return pattern
	}
	text := punctuated(found(re))
	for _, r := range tidied {
		text = r.with.ReplaceAllString(text, r.by)
	}
	text = strings.TrimSpace(strings.Trim(strings.TrimSpace(text), anything))
	if utf8.RuneCountInString(text) > longestPattern {
		text = string([]rune(text)[:longestPattern]) + anything
	}
	return text
}

// Marks stand for what a text can hold itself until the text is whole: anyMark for a "." of a pattern, as findings hold much
// punctuation, which patterns seldom escape, and numberMark for a number.
const anyMark, numberMark = "\x00", "\x01"

var (
	// A whole-run check says where it found something, behind its finding: "(GET /v1/tasks in TASK-001; 1 of 5 answers)".
	placeOpens  = regexp.MustCompile(` \x00(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|TRACE|the |` + anything + `)`)
	placeCloses = regexp.MustCompile(`\([^()\x00]* of \x01 [a-z ]+(\x00)`)
	tidied      = []struct {
		with *regexp.Regexp
		by   string
	}{
		{regexp.MustCompile(`[\x01` + anything + `]*` + anything + `[\x01` + anything + `]*`), anything},
		{regexp.MustCompile(` in [-A-Z0-9\x01` + anything + `]+; \x01 of \x01 `), " in a test; n of n "},
		{regexp.MustCompile(`\x01+`), "n"},
		{regexp.MustCompile(`([^ ][")\]] ?)` + anything + `([a-z])`), "$1 " + anything + " $2"},
		{regexp.MustCompile(`([a-z]) ` + anything + `([a-z])`), "$1 " + anything + " $2"},
		{regexp.MustCompile(`  +`), " "},
	}
)

// punctuated puts in what the marks of any character stand for.
func punctuated(text string) string {
	text = placeOpens.ReplaceAllString(text, " ($1")
	for {
		at := placeCloses.FindStringSubmatchIndex(text)
		if at == nil {
			return strings.ReplaceAll(text, anyMark, ".")
		}
		text = text[:at[2]] + ")" + text[at[3]:]
	}
}

func found(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return strings.ToLower(string(re.Rune))
		}
		return string(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return anyMark
	case syntax.OpCharClass:
		return ofClass(re)
	case syntax.OpCapture:
		return found(re.Sub[0])
	case syntax.OpConcat:
		return concatenated(re.Sub)
	case syntax.OpAlternate:
		return either(ways(re))
	case syntax.OpQuest:
		return optional(found(re.Sub[0]))
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		return repeated(re)
	}
	return "" // a place between characters
}

// ofClass is a digit as a number, and anything else as what may be anything.
func ofClass(re *syntax.Regexp) string {
	for i := 0; i < len(re.Rune); i += 2 {
		if re.Rune[i] < '0' || re.Rune[i+1] > '9' {
			return anything
		}
	}
	return numberMark
}

func repeated(re *syntax.Regexp) string {
	sub := re.Sub[0]
	for sub.Op == syntax.OpCapture {
		sub = sub.Sub[0]
	}
	if sub.Op == syntax.OpCharClass && ofClass(sub) == numberMark {
		return numberMark
	}
	if sub.Op == syntax.OpCharClass && re.Op == syntax.OpRepeat && re.Min == len(uuidLike) && re.Max == re.Min {
		return "ID"
	}
	return anything
}

const uuidLike = "018fc0a2-7777-7aaa-bbbb-ccccddddeeee"

// optional is a part that may be left out.
func optional(part string) string {
	if part == "" || strings.Trim(part, anything+anyMark+numberMark) == "" {
		return part
	}
	return "(" + part + ")"
}

// ways are the alternatives of a pattern, or the pattern itself.
func ways(re *syntax.Regexp) []string {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if re.Op != syntax.OpAlternate {
		return []string{found(re)}
	}
	all := make([]string, len(re.Sub))
	for i, sub := range re.Sub {
		all[i] = found(sub)
	}
	return all
}

// either joins alternatives. One that says nothing makes the others optional.
func either(all []string) string {
	some := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "" })
	text := strings.Join(some, " or ")
	if len(some) < len(all) {
		return optional(text)
	}
	return text
}

// concatenated puts parts behind each other. Alternatives stand as whole words, between quotes if these are; in parentheses where
// that cannot be.
func concatenated(parts []*syntax.Regexp) string {
	text := ""
	for i, part := range parts {
		all := ways(part)
		if len(all) == 1 || slices.Contains(all, "") {
			text += found(part)
			continue
		}
		after := ""
		if i+1 < len(parts) {
			after = found(parts[i+1])
		}
		before := lastWord(text)
		if !isLetter(firstRune(all[0])) {
			before = ""
		}
		text = strings.TrimSuffix(text, before)
		for j := range all {
			all[j] = before + all[j]
		}
		switch joined := strings.Join(all, " or "); {
		case strings.HasSuffix(text, `"`) && strings.HasPrefix(after, `"`):
			text += strings.Join(all, `" or "`)
		case (text == "" || strings.HasSuffix(text, " ")) && (after == "" || isBreak(firstRune(after))):
			text += joined
		default:
			text += "(" + joined + ")"
		}
	}
	return text
}

// lastWord are the letters with which a text ends: a parser takes them out of alternatives that begin alike.
func lastWord(text string) string {
	return text[len(strings.TrimRightFunc(text, isLetter)):]
}

func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || r == '_' }

func isBreak(r rune) bool { return strings.ContainsRune(" ,;:", r) }
