// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"regexp/syntax"
	"slices"
	"strings"
)

const (
	// maxForms is how many texts a pattern is described as.
	maxForms = 12
	// maxPatternWords bounds the description of a pattern: a longer one is harder to read than the pattern.
	maxPatternWords = 330
)

// matching describes the texts that a pattern fits: in words where these say exactly that, and else by the pattern.
func matching(pattern string) []saying {
	if strings.HasPrefix(pattern, "${") && strings.Count(pattern, "$") == 1 && strings.HasSuffix(pattern, "}") {
		return []saying{{yes: "matches the pattern " + pattern, no: "does not match the pattern " + pattern}}
	}
	if !strings.Contains(pattern, "${") {
		pattern = strings.ReplaceAll(pattern, "$$", "$")
	}
	if known, is := knownPatterns[pattern]; is {
		return []saying{{yes: known.yes, no: known.no}}
	}
	shown := "the pattern /" + strings.ReplaceAll(pattern, " ", `\x20`) + "/" // in one piece, wherever a line ends
	as := []saying{{yes: "matches " + shown, no: "does not match " + shown}}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || strings.Contains(pattern, "${") {
		return as
	}
	fold, mixed := folding(re)
	if mixed {
		return as
	}
	said := alternativesOf(re, fold)
	length := 0
	for _, s := range said {
		length += len(s.yes)
	}
	if said == nil || length > maxPatternWords {
		return as
	}
	return said
}

// alternativesOf describes a pattern, each of its alternatives with its own beginning and end; nil where that cannot be said
// exactly.
func alternativesOf(re *syntax.Regexp, fold bool) []saying {
	var all []saying
	var verbs []string
	said := map[string][]string{} // by verb, in the order of the verbs
	for _, one := range bounded(re) {
		forms, is := one.forms(fold)
		if !is {
			return nil
		}
		verb := one.verb(forms)
		if said[verb] == nil {
			verbs = append(verbs, verb)
		}
		said[verb] = append(said[verb], forms...)
	}
	for _, verb := range verbs {
		forms := said[verb]
		if verb == "is " && !fold {
			for _, form := range forms {
				all = append(all, saying{yes: "is " + form, no: "is not " + form})
			}
			continue
		}
		joint := " or "
		if slices.ContainsFunc(forms, isSequence) {
			joint = ", or "
		}
		text := listing(forms, joint)
		if fold {
			text += ", in any case of letters"
		}
		all = append(all, saying{yes: verb + text, no: negated[verb] + text})
	}
	return all
}

// negated are the verbs of what does not hold.
var negated = map[string]string{
	"is ": "is not ", "consists of ": "does not consist of ", "has the form ": "does not have the form ", "begins with ": "does not begin with ", "ends with ": "does not end with ",
	"contains ": "does not contain ", "has a line that is ": "has no line that is ", "has a line that begins with ": "has no line that begins with ",
}

// A branch is one way in which a pattern fits.
type branch struct {
	parts        []*syntax.Regexp
	begins, ends bool // at the beginning, or the end, of the text
	line         bool // and not of the text, but of a line
	around       string
}

// bounded are the alternatives of a pattern. One whose last part is "or the end" counts twice.
func bounded(re *syntax.Regexp) []branch {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if re.Op == syntax.OpAlternate {
		var all []branch
		for _, sub := range re.Sub {
			all = append(all, bounded(sub)...)
		}
		return all
	}
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = slices.Clone(re.Sub)
	}
	one := branch{parts: parts}
	if class := beside(parts[0], syntax.OpBeginText); class != nil && len(parts) > 2 {
		if after := beside(parts[len(parts)-1], syntax.OpEndText); after != nil && after.String() == class.String() {
			if side := sideOf(class); side != "" {
				one.parts, one.around = parts[1:len(parts)-1], side
				return []branch{one}
			}
		}
	}
	if is(parts[0], syntax.OpBeginText, syntax.OpBeginLine) {
		one.begins, one.line, one.parts = true, parts[0].Op == syntax.OpBeginLine, parts[1:]
	}
	if len(one.parts) == 0 {
		return []branch{one}
	}
	switch last := one.parts[len(one.parts)-1]; {
	case is(last, syntax.OpEndText) && !one.line, is(last, syntax.OpEndLine) && one.line:
		one.ends, one.parts = true, one.parts[:len(one.parts)-1]
	case beside(last, syntax.OpEndText) != nil && one.begins && !one.line:
		before := one.parts[:len(one.parts)-1]
		open := branch{parts: append(slices.Clone(before), beside(last, syntax.OpEndText)), begins: true}
		return []branch{{parts: before, begins: true, ends: true}, open}
	}
	if len(one.parts) == 1 {
		if inner := one.parts[0]; is(inner, syntax.OpAlternate) || is(inner, syntax.OpCapture) && is(inner.Sub[0], syntax.OpAlternate) {
			return one.apart(inner)
		}
	}
	return []branch{one}
}

// apart are the alternatives inside of a branch, as branches.
func (a branch) apart(inner *syntax.Regexp) []branch {
	for inner.Op == syntax.OpCapture {
		inner = inner.Sub[0]
	}
	var all []branch
	for _, sub := range inner.Sub {
		each := a
		each.parts = []*syntax.Regexp{sub}
		all = append(all, each)
	}
	return all
}

func is(re *syntax.Regexp, ops ...syntax.Op) bool { return slices.Contains(ops, re.Op) }

// beside is what may stand at an edge of a text in the place of that edge: "&" of (^|&); nil: nothing.
func beside(re *syntax.Regexp, edge syntax.Op) *syntax.Regexp {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if re.Op != syntax.OpAlternate || len(re.Sub) != 2 {
		return nil
	}
	for i, sub := range re.Sub {
		if other := re.Sub[1-i]; sub.Op == edge && is(other, syntax.OpLiteral, syntax.OpCharClass) {
			return other
		}
	}
	return nil
}

// verb says how a text that fits is related to the forms.
func (a branch) verb(forms []string) string {
	switch {
	case a.line && a.ends:
		return "has a line that is "
	case a.line:
		return "has a line that begins with "
	case a.begins && a.ends && slices.ContainsFunc(forms, isOpen):
		return "has the form "
	case a.begins && a.ends && slices.ContainsFunc(forms, isSequence):
		return "consists of "
	case a.begins && a.ends:
		return "is "
	case a.begins:
		return "begins with "
	case a.ends:
		return "ends with "
	}
	return "contains "
}

// isOpen says whether a form leaves something open.
func isOpen(form string) bool {
	return !isSequence(form) && (strings.Contains(form, anything) || formHasNumber.MatchString(form))
}

// isSequence says whether a form is told as several parts.
func isSequence(form string) bool { return strings.Contains(form, ", then ") }

// forms are the texts that an alternative fits, in quotes, or the parts of such a text in words; false where that does not say
// it exactly.
func (a branch) forms(fold bool) ([]string, bool) {
	if len(a.parts) == 0 && !a.line {
		if a.begins && a.ends {
			return []string{"an empty text"}, true
		}
		return nil, false
	}
	forms, exact := formsOf(a.parts)
	if exact && !(a.begins || a.ends) && slices.Contains(forms, "") {
		return nil, false
	}
	if exact && slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(form, anything) }) {
		exact = strings.Contains(strings.Join(forms, ""), "/") == !slices.ContainsFunc(a.parts, hasAnyChar)
	}
	if exact && !slices.Contains(forms, "") {
		for i, form := range forms {
			forms[i] = `"` + strings.ReplaceAll(form, numberMark, "n") + `"`
		}
	} else {
		words, is := inWords(a.parts, fold)
		if !is {
			return nil, false
		}
		forms = []string{strings.Join(words, ", then ")}
	}
	if a.around != "" {
		for i := range forms {
			forms[i] += a.around
		}
	}
	return forms, true
}

// hasAnyChar says whether a pattern leaves more open than a segment of a path.
func hasAnyChar(re *syntax.Regexp) bool {
	return is(re, syntax.OpAnyChar, syntax.OpAnyCharNotNL) || slices.ContainsFunc(re.Sub, hasAnyChar)
}

// formsOf are the texts that parts of a pattern fit in sequence, with n for a number and "…" for anything; false where that
// does not say it exactly, or where they are too many.
func formsOf(parts []*syntax.Regexp) ([]string, bool) {
	forms := []string{""}
	for _, part := range parts {
		more, is := formsOfOne(part)
		if !is || len(forms)*len(more) > maxForms {
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
		all := lettersOf(re)
		return all, all != nil && !slices.Contains(all, `"`)
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

// lettersOf are the characters of a class of two, or of two in either case; nil if it has more.
func lettersOf(re *syntax.Regexp) []string {
	fold := re.Flags&syntax.FoldCase != 0
	var all []string
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			text := string(r)
			if lower := strings.ToLower(text); fold && lower != text {
				continue
			}
			if all = append(all, text); len(all) > 2 {
				return nil
			}
		}
	}
	return all
}

// folding says whether the letters of a pattern stand for themselves in any case, and whether that is so of some alone.
func folding(re *syntax.Regexp) (fold, mixed bool) {
	exact := false
	var look func(re *syntax.Regexp)
	look = func(re *syntax.Regexp) {
		if re.Op == syntax.OpLiteral && strings.ToLower(string(re.Rune)) != strings.ToUpper(string(re.Rune)) {
			fold, exact = fold || re.Flags&syntax.FoldCase != 0, exact || re.Flags&syntax.FoldCase == 0
		}
		for _, sub := range re.Sub {
			look(sub)
		}
	}
	look(re)
	return fold, fold && exact
}
