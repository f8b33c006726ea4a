// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// maxWords is how many parts of a pattern are described one by one.
const maxWords = 7

var formHasNumber = regexp.MustCompile(`^"(n|.*[^A-Za-z]n)([^A-Za-z].*)?"$`)

// inWords describes the parts of a pattern: `"v="`, `10 digits`, `anything`; false where there are no words for one.
func inWords(parts []*syntax.Regexp, fold bool) ([]string, bool) {
	var all []string
	for _, part := range parts {
		words, is := partInWords(part, fold)
		if !is {
			return nil, false
		}
		all = append(all, words...)
	}
	return all, len(all) > 0 && len(all) <= maxWords
}

func partInWords(re *syntax.Regexp, fold bool) ([]string, bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{quoted(found(re))}, !strings.ContainsAny(string(re.Rune), anything)
	case syntax.OpCapture:
		return partInWords(re.Sub[0], fold)
	case syntax.OpConcat:
		return inWords(re.Sub, fold)
	case syntax.OpAlternate:
		forms, is := formsOfOne(re)
		if !is || slices.Contains(forms, "") || strings.ContainsAny(strings.Join(forms, ""), anything+numberMark) {
			return nil, false
		}
		for i, form := range forms {
			forms[i] = quoted(form)
		}
		return []string{listing(forms, " or ")}, true
	case syntax.OpCharClass:
		one, _ := classInWords(re)
		return []string{one}, one != ""
	case syntax.OpQuest:
		words, is := partInWords(re.Sub[0], fold)
		if !is || len(words) != 1 || strings.HasPrefix(words[0], "optional") {
			return nil, false
		}
		return []string{"optionally " + words[0]}, true
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		return repeatInWords(re)
	}
	return nil, false
}

// repeatInWords describes characters of one kind behind each other.
func repeatInWords(re *syntax.Regexp) ([]string, bool) {
	sub := re.Sub[0]
	lowest, highest := re.Min, re.Max
	switch re.Op {
	case syntax.OpStar:
		lowest, highest = 0, -1
	case syntax.OpPlus:
		lowest, highest = 1, -1
	}
	if is(sub, syntax.OpAnyChar, syntax.OpAnyCharNotNL) && highest < 0 && lowest < 2 {
		return []string{[]string{"anything or nothing", "anything"}[lowest]}, true
	}
	if sub.Op != syntax.OpCharClass {
		return nil, false
	}
	one, several := classInWords(sub)
	if several == whiteSpace && highest < 0 && lowest < 2 {
		return []string{[]string{"optional white space", "white space"}[lowest]}, true
	}
	count := fmt.Sprintf("%d to %d ", lowest, highest)
	switch {
	case lowest == 0 && highest < 0:
		count = "any number of "
	case lowest == 1 && highest < 0:
		count = "one or more "
	case highest < 0:
		count = fmt.Sprintf("%d or more ", lowest)
	case lowest == highest:
		count = fmt.Sprintf("%d ", lowest)
	case lowest == 0:
		count = fmt.Sprintf("up to %d ", highest)
	}
	return []string{count + several}, one != ""
}

const whiteSpace = "white-space characters"

// classes are the kinds of characters that have a name.
var classes = map[string][2]string{
	"[0-9]": {"a digit", "digits"}, "[0-9a-f]": {"a lowercase hex digit", "lowercase hex digits"}, "[0-9A-Fa-f]": {"a hex digit", "hex digits"},
	`\s`: {"a white-space character", whiteSpace}, `[\t ]`: {"a blank or tab", "blanks or tabs"},
}

// maxRanges is how many characters, or ranges of them, are listed.
const maxRanges = 8

// classInWords is a character of a class, and several of them; empty where there are no words for it.
func classInWords(re *syntax.Regexp) (one, several string) {
	if named, is := classes[re.String()]; is {
		return named[0], named[1]
	}
	runes, but := re.Rune, false
	if len(runes) > 1 && runes[0] == 0 && runes[len(runes)-1] == 0x10ffff {
		but = true
		var other []rune
		for i := 1; i+1 < len(runes); i += 2 {
			other = append(other, runes[i]+1, runes[i+1]-1)
		}
		runes = other
	}
	space := []rune{'\t', '\n', '\f', '\r', ' ', ' '}
	list := []string{}
	for i := 0; i < len(runes); i += 2 {
		if i+6 <= len(runes) && slices.Equal(runes[i:i+6], space) {
			list, i = append(list, "white space"), i+4
			continue
		}
		from, to := runes[i], runes[i+1]
		if from <= ' ' || to > '~' {
			return "", ""
		}
		for from <= to {
			last := from
			for _, end := range "9Zz" {
				if begin := map[rune]rune{'9': '0', 'Z': 'A', 'z': 'a'}[end]; from >= begin && from <= end {
					last = min(end, to)
				}
			}
			switch {
			case from == last:
				list = append(list, quoted(string(from)))
			case last == from+1:
				list = append(list, quoted(string(from)), quoted(string(last)))
			default:
				list = append(list, string(from)+"-"+string(last))
			}
			from = last + 1
		}
	}
	if len(list) == 0 || len(list) > maxRanges {
		return "", ""
	}
	if len(list) == 1 && list[0] == "white space" && !but {
		return "a white-space character", whiteSpace
	}
	if but {
		text := listing(list, " and ")
		return "a character other than " + text, "characters other than " + text
	}
	text := listing(list, " and ")
	return "one of " + text, "characters out of " + text
}

// quoted is a text between quotes that it does not hold.
func quoted(text string) string {
	if strings.Contains(text, `"`) {
		return "'" + text + "'"
	}
	return `"` + text + `"`
}

// sideOf says what has to stand on either side of a text: one of some characters or an end, or none of them.
func sideOf(class *syntax.Regexp) string {
	if class.Op == syntax.OpLiteral {
		return ", with " + quoted(string(class.Rune)) + " or an end of the text on either side"
	}
	one, _ := classInWords(class)
	if rest, is := strings.CutPrefix(one, "one of "); is {
		return ", with one of " + rest + " or an end of the text on either side"
	}
	if class.String() == "[^0-9A-Fa-f]" {
		return ", with no hex digit on either side"
	}
	return ""
}
