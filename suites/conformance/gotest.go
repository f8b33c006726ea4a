// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"flag"
	"regexp"
	"strings"
	"unicode"
)

// goTest is what the flags of go test say of a run.
type goTest struct {
	run, skip string // patterns of names
	failFast  bool
	short     bool
}

// flagsOfGoTest reads them where package testing has registered them.
func flagsOfGoTest() goTest {
	value := func(name string) string {
		if f := flag.Lookup("test." + name); f != nil {
			return f.Value.String()
		}
		return ""
	}
	return goTest{run: value("run"), skip: value("skip"), failFast: value("failfast") == "true", short: value("short") == "true"}
}

// wants says whether go test will run a subtest. Package testing tells that only when the subtest begins, which is too late to play it
// beside others, so this reads the patterns as that package does. Where the two do not agree, it costs time alone: who begins a subtest
// that was not expected plays it then.
func (g goTest) wants(name string) bool {
	if g.run != "" && !anyMatches(g.run, name, false) {
		return false
	}
	return g.skip == "" || !anyMatches(g.skip, name, true)
}

// anyMatches says whether one of the alternatives of a pattern matches a name, element by element. A pattern with fewer elements than the
// name matches all that is below; one with more matches what leads there, unless the whole of it is asked for.
func anyMatches(pattern, name string, whole bool) bool {
	elements := strings.Split(name, "/")
	for _, alternative := range alternatives(pattern) {
		matches := !whole || len(alternative) <= len(elements)
		for i := 0; matches && i < len(elements) && i < len(alternative); i++ {
			expression, err := regexp.Compile(underscored(alternative[i]))
			matches = err != nil || expression.MatchString(elements[i])
		}
		if matches {
			return true
		}
	}
	return false
}

// alternatives splits a pattern at each "|", and these at each "/", which stand in no brackets or parentheses and behind no backslash.
func alternatives(pattern string) [][]string {
	var all [][]string
	var elements []string
	brackets, parentheses, from := 0, 0, 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '[':
			brackets++
		case c == ']':
			brackets = max(brackets-1, 0)
		case brackets > 0:
		case c == '(':
			parentheses++
		case c == ')':
			parentheses--
		case (c == '/' || c == '|') && parentheses == 0:
			elements = append(elements, pattern[from:i])
			from = i + 1
			if c == '|' {
				all, elements = append(all, elements), nil
			}
		}
	}
	return append(all, append(elements, pattern[from:]))
}

// underscored is an element of a pattern with its blanks as names have them.
func underscored(element string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, element)
}

// patternOf is the pattern of -run that runs one test alone, as a word of a shell.
func patternOf(name string) string {
	elements := strings.Split(name, "/")
	for i, element := range elements {
		elements[i] = "^" + regexp.QuoteMeta(element) + "$"
	}
	return "'" + strings.ReplaceAll(strings.Join(elements, "/"), "'", `'\''`) + "'"
}
