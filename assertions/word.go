// SPDX-License-Identifier: Apache-2.0

package assertions

// A Word is one entry of the vocabulary.
type Word struct {
	Name  string // as a suite writes it: "one_of"
	Means string // one sentence, shown by editors and in VOCABULARY.md; all that is wanted stands before its first semicolon, remarks behind
	Takes Kind   // what stands behind the word in a suite
	Args  []Arg  // the named arguments of a word whose Takes is Named; never more than three

	// Schema is the JSON Schema of a Literal argument, as text; empty admits every value.
	Schema string

	// Check, if set, refuses an argument when a suite is loaded, beyond what Schema says: a pattern that does not
	// compile, an unknown format. It is not called for arguments that contain ${names}.
	Check func(want any) error

	// Judge returns nil if got is as wanted; otherwise the error is a *Problem that says what got is instead, for a
	// reader who has only the report. want is what the suite gave: a JSON value for Literal, a Value for Nested, a
	// []Value for Several, a Members for Inside, a NamedArgs for Named. An error that is no *Problem says that want
	// cannot be used (a ${name} that held a value of the wrong type): it blames the suite, never the target, and no
	// word around it may turn it into a pass.
	Judge func(got, want any) error

	// Holds, if set, says what Judge says without its sentence: true where Judge returns nil, false where it returns a
	// *Problem, and every other error of Judge's. It is for words that are asked about everything a run sees.
	Holds func(got, want any) (bool, error)
}

// A Kind says what a word is given.
type Kind int

// The kinds of argument a word can take.
const (
	Literal Kind = iota // a JSON value, taken as it is
	Nested              // one more condition value: not, each, length
	Several             // a list of condition values: any_of
	Inside              // a mapping from path to condition value: members
	Named               // a mapping with the word's own Args
)

// An Arg is one named argument of a word.
type Arg struct {
	Name     string
	Takes    Kind // Literal or Nested
	Required bool
	Schema   string // JSON Schema of a Literal argument; empty admits every value
}

// ByName finds a word of the vocabulary; nil when there is none of that name.
func ByName(name string) *Word { return byName[name] }

var byName = func() map[string]*Word {
	m := make(map[string]*Word, len(Words))
	for i := range Words {
		m[Words[i].Name] = &Words[i]
	}
	return m
}()
