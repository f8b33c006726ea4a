// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"unicode"
)

// mostShown is as much of a target's text as one line on the terminal holds.
const mostShown = 300

// shown makes a target's text harmless for the terminal and for logs that obey lines: control characters, bidi marks
// and broken UTF-8 become escapes, what CI systems obey is taken apart, and everything is on one bounded line.
func shown(text string) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		if n++; n > mostShown {
			b.WriteString("…")
			break
		}
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(fmt.Sprintf("%+q", r), "'"))
		}
	}
	line := obeyed.Replace(b.String())
	if strings.HasPrefix(strings.TrimSpace(line), "::") {
		return `\` + strings.TrimSpace(line)
	}
	return line
}

// obeyed are the commands that GitHub, Azure Pipelines and TeamCity look for anywhere in a line.
var obeyed = strings.NewReplacer("##[", `\x23#[`, "##vso[", `\x23#vso[`, "##teamcity[", `\x23#teamcity[`)
