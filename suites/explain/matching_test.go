// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// patternsOfSuites are the patterns that conditions of a profile use.
func patternsOfSuites(t *testing.T, profile string) map[string]bool {
	t.Helper()
	loaded, err := suites.LoadProfile(suites.Embedded(), profile)
	if err != nil {
		t.Fatal(err)
	}
	patterns, seen := map[string]bool{}, map[any]bool{}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if v.IsNil() || seen[v.UnsafePointer()] {
				return
			}
			seen[v.UnsafePointer()] = true
			walk(v.Elem())
		case reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Struct:
			if c, is := reflect.TypeAssert[assertions.Check](v); is && c.Word != nil && c.Word.Name == "matches" {
				patterns[fmt.Sprint(c.Want)] = true
				return
			}
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walk(v.Field(i))
				}
			}
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Map:
			for _, key := range v.MapKeys() {
				walk(v.MapIndex(key))
			}
		}
	}
	walk(reflect.ValueOf(loaded))
	return patterns
}

// TestPatternsAreDescribedTruthfully: what is said of a pattern, read again, accepts what the pattern accepts.
func TestPatternsAreDescribedTruthfully(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	words, used := 0, map[string]bool{}
	for _, profile := range profiles.All {
		for pattern := range patternsOfSuites(t, profile.Name) {
			if !strings.Contains(pattern, "${") {
				pattern = strings.ReplaceAll(pattern, "$$", "$")
			}
			used[pattern] = true
			said := matching(pattern)
			if _, known := knownPatterns[pattern]; known || strings.HasPrefix(said[0].yes, "matches the pattern ") {
				continue
			}
			words++
			re, texts := regexp.MustCompile(pattern), []string{"", "x"}
			for range 60 {
				texts = append(texts, someMatch(random, re), mutated(random, someMatch(random, re)))
			}
			read := readAgain(t, orOf(said))
			for _, text := range texts {
				if strings.ContainsAny(text, "\u017f\u212a") || // s and k in another script
					strings.Contains(pattern, ".*") && strings.Contains(text, "\n") { // anything, of one line: headers have no more
					continue
				}
				if re.MatchString(text) != read(text) {
					t.Errorf("%s is described as\n%s\nwhich is not so of %q: it matches: %v", pattern, orOf(said), text, re.MatchString(text))
					break
				}
			}
		}
	}
	if words < 60 {
		t.Errorf("%d patterns are described in words, want most of them", words)
	}
	for pattern, known := range knownPatterns {
		if !used[pattern] {
			t.Errorf("no suite uses %s any more", pattern)
		}
		for _, text := range known.accepts {
			if !regexp.MustCompile(pattern).MatchString(text) {
				t.Errorf("%s does not accept %q", known.yes, text)
			}
		}
		for _, text := range known.rejects {
			if regexp.MustCompile(pattern).MatchString(text) {
				t.Errorf("%s accepts %q", known.yes, text)
			}
		}
	}
}

// readAgain turns a description of a pattern into what it says.
func readAgain(t *testing.T, text string) func(string) bool {
	t.Helper()
	text, fold := strings.CutSuffix(text, ", in any case of letters")
	flags := "(?s)"
	if fold {
		flags = "(?si)"
	}
	verbs := regexp.MustCompile(`^(?:is|consists of|has the form|begins with|ends with|contains|has a line that is|has a line that begins with) `)
	var all []*regexp.Regexp
	last := ""
	for _, part := range splitOutsideQuotes(text, ", or ") {
		verb := verbs.FindString(part)
		if verb == "" { // it goes on with the verb of the part before
			verb = last
			part = verb + part
		}
		last = verb
		body, side := strings.TrimPrefix(part, verb), ""
		if before, after, is := strings.Cut(body, ", with "); is {
			body, side = before, after
		}
		re := flags + map[string]string{"is ": "^", "consists of ": "^", "has the form ": "^", "begins with ": "^", "has a line that is ": "(?m)^", "has a line that begins with ": "(?m)^"}[verb]
		before, after := sidesAgain(side)
		re += before + "(?:" + bodyAgain(t, body) + ")" + after
		re += map[string]string{"is ": "$", "consists of ": "$", "has the form ": "$", "ends with ": "$", "has a line that is ": "$"}[verb]
		all = append(all, regexp.MustCompile(re))
	}
	return func(s string) bool {
		for _, re := range all {
			if re.MatchString(s) {
				return true
			}
		}
		return false
	}
}

func sidesAgain(side string) (before, after string) {
	switch {
	case side == "":
		return "", ""
	case side == "no hex digit on either side":
		return "(?:^|[^0-9A-Fa-f])", "(?:[^0-9A-Fa-f]|$)"
	}
	what, _, _ := strings.Cut(strings.TrimPrefix(side, "one of "), " or an end")
	class := classAgain(what)
	return "(?:^|" + class + ")", "(?:" + class + "|$)"
}

// bodyAgain is a regular expression for what a description lists.
func bodyAgain(t *testing.T, body string) string {
	t.Helper()
	if strings.Contains(body, ", then ") {
		re := ""
		for _, part := range splitOutsideQuotes(body, ", then ") {
			re += pieceAgain(t, part)
		}
		return re
	}
	return pieceAgain(t, body)
}

var counted = regexp.MustCompile(`^(any number of|one or more|up to (\d+)|(\d+) or more|(\d+) to (\d+)|(\d+)) (.*)$`)

func pieceAgain(t *testing.T, piece string) string {
	t.Helper()
	if rest, is := strings.CutPrefix(piece, "optionally "); is {
		return "(?:" + pieceAgain(t, rest) + ")?"
	}
	switch piece {
	case "anything":
		return ".+"
	case "anything or nothing":
		return ".*"
	case "white space":
		return `\s+`
	case "optional white space":
		return `\s*`
	case "an empty text":
		return ""
	}
	if strings.HasPrefix(piece, `"`) || strings.HasPrefix(piece, "'") {
		var all []string
		for _, list := range splitOutsideQuotes(piece, " or ") {
			for _, one := range splitOutsideQuotes(list, ", ") {
				text := regexp.QuoteMeta(one[1 : len(one)-1])
				open := ".+"
				if strings.Contains(text, "/") {
					open = "[^/]+"
				}
				text = strings.ReplaceAll(text, anything, open)
				all = append(all, regexp.MustCompile(`(^|[^A-Za-z])n($|[^A-Za-z])`).ReplaceAllString(regexp.MustCompile(`(^|[^A-Za-z])n($|[^A-Za-z])`).ReplaceAllString(text, "$1[0-9]+$2"), "$1[0-9]+$2"))
			}
		}
		return "(?:" + strings.Join(all, "|") + ")"
	}
	if m := counted.FindStringSubmatch(piece); m != nil {
		count := map[string]string{"any number of": "*", "one or more": "+"}[m[1]]
		switch {
		case m[2] != "":
			count = "{0," + m[2] + "}"
		case m[3] != "":
			count = "{" + m[3] + ",}"
		case m[4] != "":
			count = "{" + m[4] + "," + m[5] + "}"
		case m[6] != "":
			count = "{" + m[6] + "}"
		}
		for _, class := range []struct{ many, but string }{{"characters other than ", "^"}, {"characters out of ", ""}} {
			if rest, is := strings.CutPrefix(m[7], class.many); is {
				return negatedIf(class.but != "", classAgain(rest)) + count
			}
		}
		for class, named := range classes {
			if named[1] == m[7] {
				return class + count
			}
		}
	}
	if rest, is := strings.CutPrefix(piece, "a character other than "); is {
		return negatedIf(true, classAgain(rest))
	}
	if rest, is := strings.CutPrefix(piece, "one of "); is {
		return classAgain(rest)
	}
	for class, named := range classes {
		if named[0] == piece {
			return class
		}
	}
	t.Errorf("nobody can read %q", piece)
	return ""
}

func negatedIf(not bool, class string) string {
	if not {
		return "[^" + strings.TrimPrefix(class, "[")
	}
	return class
}

// classAgain is a class of characters that are listed.
func classAgain(list string) string {
	class := "["
	for _, most := range splitOutsideQuotes(list, " and ") {
		for _, one := range splitOutsideQuotes(most, ", ") {
			switch {
			case one == "white space":
				class += `\s`
			case len(one) == 3 && one[1] == '-' && one[0] != '"':
				class += one
			default:
				class += `\x{` + fmt.Sprintf("%x", one[1:len(one)-1]) + "}"
			}
		}
	}
	return class + "]"
}

// splitOutsideQuotes splits a text where a separator stands outside of quotes.
func splitOutsideQuotes(text, separator string) []string {
	var parts []string
	from, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch {
		case quote == 0 && strings.HasPrefix(text[i:], separator):
			parts = append(parts, text[from:i])
			i += len(separator) - 1
			from = i + 1
		case quote == 0 && (text[i] == '"' || text[i] == '\'') && (i == 0 || text[i-1] == ' '):
			if i+3 <= len(text) && text[i+1] == text[i] && text[i+2] == text[i] {
				i += 2
				continue
			}
			quote = text[i]
		case quote != 0 && text[i] == quote:
			quote = 0
		}
	}
	return append(parts, text[from:])
}

// someMatch is a text that a pattern fits, or one that is near to it where an edge is in the middle.
func someMatch(random *rand.Rand, re *regexp.Regexp) string {
	parsed, _ := syntax.Parse(re.String(), syntax.Perl)
	return someTextOf(random, parsed)
}

func someTextOf(random *rand.Rand, re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 && random.IntN(2) == 0 {
			return strings.ToLower(string(re.Rune))
		}
		return string(re.Rune)
	case syntax.OpCharClass:
		i := random.IntN(len(re.Rune)/2) * 2
		from, to := re.Rune[i], min(re.Rune[i+1], re.Rune[i]+200)
		if from < '!' && to > '!' {
			from = '!'
		}
		return string(from + rune(random.IntN(int(to-from)+1)))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return string(rune('a' + random.IntN(26)))
	case syntax.OpCapture, syntax.OpConcat:
		text := ""
		for _, sub := range re.Sub {
			text += someTextOf(random, sub)
		}
		return text
	case syntax.OpAlternate:
		return someTextOf(random, re.Sub[random.IntN(len(re.Sub))])
	case syntax.OpQuest, syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		lowest, highest := map[syntax.Op]int{syntax.OpPlus: 1, syntax.OpRepeat: re.Min}[re.Op], map[syntax.Op]int{syntax.OpQuest: 1, syntax.OpRepeat: re.Max}[re.Op]
		if highest <= lowest && re.Op != syntax.OpRepeat || highest < 0 {
			highest = lowest + 3
		}
		text := ""
		for range lowest + random.IntN(highest-lowest+1) {
			text += someTextOf(random, re.Sub[0])
		}
		return text
	}
	return ""
}

// mutated is a text with something changed.
func mutated(random *rand.Rand, text string) string {
	r := []rune(text)
	at := random.IntN(len(r) + 1)
	extra := []rune(`/ ."a0,&-_Z;`)[random.IntN(12)]
	switch {
	case random.IntN(3) == 0 && at < len(r):
		return string(r[:at]) + string(r[at+1:])
	case random.IntN(2) == 0 && at < len(r):
		return string(r[:at]) + string(extra) + string(r[at+1:])
	}
	return string(r[:at]) + string(extra) + string(r[at:])
}
