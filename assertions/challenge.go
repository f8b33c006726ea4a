// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"regexp"
	"strings"
)

var challengeWord = Word{
	Name:   "challenge",
	Means:  "is a WWW-Authenticate header, or a list of its lines, with a challenge of this scheme, in any case",
	Takes:  Literal,
	Schema: `{"type": "string"}`,
	Judge: func(got, want any) error {
		scheme, err := textArgument("challenge", want)
		if err != nil {
			return err
		}
		lines, is := textLines(got)
		if !is {
			return seen(got, "a challenge with scheme "+show(want))
		}
		offered := challengeSchemes(lines)
		for _, o := range offered {
			if lowerASCII(o.(string)) == lowerASCII(scheme) {
				return nil
			}
		}
		return seen(got, "a challenge with scheme "+show(want))
	},
}

// A challenge begins with its scheme: a token at the start, or after a comma, that is followed by a blank, a comma or the
// end, and not by an equals sign as a parameter is (RFC 9110, 11.6.1).
var challengeStart = regexp.MustCompile("^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:[ \t]+[^ \t=,]|[ \t]*,|[ \t]*$)")

func challengeSchemes(lines []string) []any {
	var schemes []any
	for _, line := range lines {
		for _, part := range splitUnquoted(line, ',') {
			part = strings.TrimSpace(part)
			if m := challengeStart.FindStringSubmatch(part); m != nil {
				schemes = append(schemes, m[1])
			}
		}
	}
	return schemes
}

// splitUnquoted splits at a separator that is outside double quotes.
func splitUnquoted(text string, separator byte) []string {
	var parts []string
	start, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == separator && !quoted:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}
