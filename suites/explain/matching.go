// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// mostForms is how many texts a pattern is told as.
const mostForms = 12

// matching says what a text looks like that a pattern fits: in words where these say exactly that, and else by the pattern.
func matching(pattern string) []saying {
	if !strings.Contains(pattern, "${") {
		pattern = strings.ReplaceAll(pattern, "$$", "$")
	}
	as := []saying{{yes: "matches /" + pattern + "/", no: "does not match /" + pattern + "/"}}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || strings.Contains(pattern, "${") {
		return as
	}
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	begins, ends := false, false
	if len(parts) > 0 && parts[0].Op == syntax.OpBeginText {
		begins, parts = true, parts[1:]
	}
	if len(parts) > 0 && parts[len(parts)-1].Op == syntax.OpEndText {
		ends, parts = true, parts[:len(parts)-1]
	}
	forms, is := formsOf(parts)
	if !is {
		return as
	}
	fold := ""
	if folds(re) {
		fold = ", in any case of letters"
	}
	open := false
	for i, form := range forms {
		open = open || strings.ContainsAny(form, anything+numberMark)
		forms[i] = `"` + strings.ReplaceAll(form, numberMark, "n") + `"`
	}
	verb, not := "contains ", "does not contain "
	switch {
	case begins && ends && open:
		verb, not = "has the form ", "does not have the form "
	case begins && ends && fold == "":
		var all []saying
		for _, form := range forms {
			all = append(all, saying{yes: "is " + form, no: "is not " + form})
		}
		return all
	case begins && ends:
		verb, not = "is ", "is not "
	case begins:
		verb, not = "begins with ", "does not begin with "
	case ends:
		verb, not = "ends with ", "does not end with "
	case slices.Contains(forms, `""`):
		return as
	}
	text := listing(forms, " or ") + fold
	return []saying{{yes: verb + text, no: not + text}}
}

// formsOf are the texts that parts of a pattern fit behind each other, with n for a number and "…" for anything; false where that
// does not say it exactly, or where they are too many.
func formsOf(parts []*syntax.Regexp) ([]string, bool) {
	forms := []string{""}
	for _, part := range parts {
		more, is := formsOfOne(part)
		if !is || len(forms)*len(more) > mostForms {
			return nil, false
		}
		var longer []string
		for _, form := range forms {
			for _, m := range more {
				longer = append(longer, form+m)
			}
		}
		forms = longer
	}
	return forms, true
}

func formsOfOne(re *syntax.Regexp) ([]string, bool) {
	switch re.Op {
	case syntax.OpLiteral:
		text := found(re)
		return []string{text}, !strings.ContainsAny(text, `"`+anything)
	case syntax.OpCapture:
		return formsOf(re.Sub)
	case syntax.OpConcat:
		return formsOf(re.Sub)
	case syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpQuest:
		forms, is := formsOf(re.Sub)
		return append([]string{""}, forms...), is
	case syntax.OpPlus:
		switch sub := re.Sub[0]; {
		case sub.Op == syntax.OpAnyCharNotNL || sub.Op == syntax.OpAnyChar:
			return []string{anything}, true
		case sub.Op == syntax.OpCharClass && slices.Equal(sub.Rune, []rune{'0', '9'}):
			return []string{numberMark}, true
		case sub.Op == syntax.OpCharClass && slices.Equal(sub.Rune, []rune{0, '/' - 1, '/' + 1, 0x10ffff}):
			return []string{anything}, true // a segment of a path
		}
	case syntax.OpCharClass:
		var all []string
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if all = append(all, string(r)); len(all) > 2 {
					return nil, false
				}
			}
		}
		return all, !slices.Contains(all, `"`)
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			forms, is := formsOfOne(sub)
			if !is {
				return nil, false
			}
			all = append(all, forms...)
		}
		return all, true
	}
	return nil, false
}

// folds says whether letters of a pattern stand for themselves in any case.
func folds(re *syntax.Regexp) bool {
	if re.Op == syntax.OpLiteral {
		return re.Flags&syntax.FoldCase != 0 && strings.ToLower(string(re.Rune)) != strings.ToUpper(string(re.Rune))
	}
	return slices.ContainsFunc(re.Sub, folds)
}
