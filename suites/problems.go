// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
)

// A Problem is one thing that is wrong with a suite, and where.
type Problem struct {
	At   Position
	What string // "there is no option \"withn\" of a request step (did you mean within?)"
}

// Error is the problem as compilers print it: file:line:col: what is wrong.
func (p Problem) Error() string { return p.At.String() + ": " + p.What }

// Errors are all problems of the files that were read, sorted by position.
type Errors []Problem

// Error is one line for each problem.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.As every single Problem.
func (e Errors) Unwrap() []error {
	all := make([]error, len(e))
	for i, p := range e {
		all[i] = p
	}
	return all
}

// sorted puts problems in the order of the files and says each of them once: a shared step is read once but checked
// wherever it is used.
func sorted(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Line, b.At.Line),
			cmp.Compare(a.At.Col, b.At.Col), strings.Compare(a.What, b.What))
	})
	return slices.Compact(problems)
}

// asError is nil when there are no problems.
func asError(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return Errors(sorted(problems))
}

// didYouMean is " (did you mean x?)" with the known name that is nearest to the wrong one, or "" when none is near.
func didYouMean(wrong string, known []string) string {
	if best := spelling.Nearest(wrong, known); best != "" {
		return " (did you mean " + best + "?)"
	}
	return ""
}

// nameMeant is didYouMean for a ${name}.
func nameMeant(wrong string, known []string) string {
	if best := spelling.Nearest(wrong, known); best != "" {
		return " (did you mean ${" + best + "}?)"
	}
	return ""
}

// list writes names as a sentence does: "a, b or c".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// quoted shows foreign text in a message, cut to a length that a terminal line bears.
func quoted(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:60]) + "..."
	}
	return strconv.Quote(text)
}
