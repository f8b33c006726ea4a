// SPDX-License-Identifier: Apache-2.0

package assertions

import "errors"

// A Problem says how a value differs from what was wanted: the place below the subject, what was seen there, and what
// was wanted instead. Every word that says no returns one, so that a report can show the three parts side by side. An
// error of a word that is no Problem is not about the target: the suite gave the word something it cannot use.
type Problem struct {
	Path   string // the place below the subject, ".status.state" or "[2].op"; empty for the subject itself
	Seen   string // what follows the subject in a sentence: `is "working"`, `was not replayed`
	Wanted string // what was wanted, `"canceled"`; empty when Seen says it all

	// Share says, of an element of a list, how many of them are not as wanted: "3 of 57 elements"; empty where it is about no element of several.
	Share string

	// Nearest is, of a value that fits none of several alternatives, what follows the subject by those that its binding can fit, the nearest
	// first; empty where Seen and Wanted say no more than that.
	Nearest string
}

// Error is the sentence without its subject: `.status.state is "working", want "canceled"`.
func (p *Problem) Error() string {
	s := p.Seen
	if p.Path != "" {
		s = p.Path + " " + s
	}
	if p.Wanted != "" {
		s += ", want " + p.Wanted
	}
	return s
}

// below returns err as seen from one level further up: path is put in front of the place it names.
func below(path string, err error) error {
	var p *Problem
	if !errors.As(err, &p) {
		return err
	}
	moved := *p
	moved.Path = path + p.Path
	if p.Nearest != "" {
		moved.Nearest = path + p.Nearest
	}
	return &moved
}
