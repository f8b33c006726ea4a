// SPDX-License-Identifier: Apache-2.0

// Package console makes what the program says on a terminal or in a log: texts of others that cannot do harm there, and how far
// a run is.
package console

import (
	"fmt"
	"io/fs"
	"strings"
	"unicode"

	"github.com/spf13/pflag"
)

// maxShown is as much of a target's text as one line on the terminal holds.
const maxShown = 300

// Shown makes a target's text harmless, as [Escaped] does, and bounds its length.
func Shown(text string) string {
	n := 0
	for i := range text {
		if n++; n > maxShown {
			return Escaped(text[:i]) + "…"
		}
	}
	return Escaped(text)
}

// Escaped makes a text that others wrote harmless for the terminal and for logs that obey lines: control characters, bidi
// marks and broken UTF-8 become escapes, what CI systems obey is taken apart, and everything is on one line.
func Escaped(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
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

// Lines is what is wrong, a line each. Whoever made the error may have put names of files and flags into it as they were
// given.
func Lines(err error) string {
	text := err.Error()
	for _, name := range namesIn(err) {
		text = strings.ReplaceAll(text, name, Escaped(name))
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = Escaped(lines[i])
	}
	return strings.Join(lines, "\n")
}

// namesIn are the names of files and flags in an error that hold more than one line.
func namesIn(err error) []string {
	var names []string
	add := func(name string) {
		if strings.ContainsAny(name, "\r\n") {
			names = append(names, name)
		}
	}
	switch e := err.(type) {
	case *fs.PathError:
		add(e.Path)
	case *pflag.NotExistError:
		add(e.GetSpecifiedName())
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return append(names, namesIn(inner)...)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			names = append(names, namesIn(inner)...)
		}
	}
	return names
}

// obeyed are the commands that GitHub, Azure Pipelines and TeamCity look for anywhere in a line.
var obeyed = strings.NewReplacer("##[", `\x23#[`, "##vso[", `\x23#vso[`, "##teamcity[", `\x23#teamcity[`)
