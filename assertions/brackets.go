// SPDX-License-Identifier: Apache-2.0

package assertions

import "strings"

// joined puts a word between conditions. One that has the other word in it stands in brackets, so that nobody has to know which of the
// two binds more tightly: `(op "Error" and code 1) or closed.code 4400`, `kind ("a" or "b") and cols 1`.
func joined(parts []string, between string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	bracketed := make([]string, len(parts))
	for i, part := range parts {
		bracketed[i] = inBrackets(part, map[string]string{" and ": " or ", " or ": " and "}[between])
	}
	return strings.Join(bracketed, between)
}

// inBrackets puts a condition into brackets where it has a word in it.
func inBrackets(text, word string) string {
	if mixes(text, word) {
		return "(" + text + ")"
	}
	return text
}

// phrases have a word in them that joins no conditions.
var phrases = strings.NewReplacer("upper or lower case", "", "something that", "", "an element such as", "")

// mixes says whether a word stands between conditions: outside of texts, and of what is in brackets already.
func mixes(text, word string) bool {
	text = phrases.Replace(text)
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case depth <= 0 && strings.HasPrefix(text[i:], word):
			return true
		}
	}
	return false
}

// anythingBut is what is wanted where a condition is not.
func anythingBut(v Value) string {
	if len(v.Checks) == 1 && v.Checks[0].Word.Name == "unique" {
		return "the same value" + atPathOf(v.Checks[0].Want) + " twice"
	}
	if part, is := containedIn(v); is {
		return "something without " + show(part)
	}
	return "anything but " + inBrackets(describe(v), " and ")
}

// containedIn is what a condition wants to be contained, where it wants no more than that.
func containedIn(v Value) (part any, is bool) {
	if len(v.Checks) != 1 || v.Checks[0].Word.Name != "contains" {
		return nil, false
	}
	return v.Checks[0].Want, true
}
