// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// everything is how the words about a whole connection begin, of which the subject is the list of its messages.
const everything = "is everything a connection received"

// about is what a word says of a place, in the words of the vocabulary.
func about(at place, word *assertions.Word) string {
	means := meaning(word)
	if rest, is := strings.CutPrefix(means, everything); is && at == (place{path: "frames"}) {
		which, what, _ := strings.Cut(rest, ", and ")
		return "of everything that the connection received" + which + ": " + what
	}
	return at.said() + " " + means
}

// literal is a word with a value behind it.
func (r *reading) literal(at place, c assertions.Check) string {
	several, _ := c.Want.([]any)
	path, _ := c.Want.(string)
	switch c.Word.Name {
	case "same":
		var same []string
		for _, path := range several {
			same = append(same, at.below(fmt.Sprint(path)).said())
		}
		return listing(same, " and ") + " are the same"
	case "agree_on":
		if path == "" {
			return "all " + r.nounOf(at).several() + " are the same, and there are at least two"
		}
		return "all " + r.nounOf(at).several() + " have the same " + member(path) + ", and there are at least two"
	case "unique":
		if path == "" {
			return "no two " + r.nounOf(at).several() + " are the same"
		}
		return "no two " + r.nounOf(at).several() + " have the same " + member(path)
	case "strictly_increasing", "non_decreasing", "newest_first":
		of := "the " + r.nounOf(at).several()
		if path != "" {
			of = "the " + member(path) + " of " + of
		}
		return map[string]string{
			"strictly_increasing": of + " goes up from each to the next, and there is at least one",
			"non_decreasing":      of + " never goes down from one to the next, and there is at least one",
			"newest_first":        of + " never becomes later from one to the next, and there is at least one",
		}[c.Word.Name]
	case "once_each":
		return at.said() + " has each of these exactly once, whatever else it has: " + listed("", c.Want)
	case "only_members":
		return at.said() + " is an object with no members but " + paths(c.Want)
	case "sorted_as":
		return at.said() + " has all of these, in this order, with anything in between: " + listed("", c.Want)
	case "same_end_as":
		return at.said() + " and " + suites.Brief(c.Want) + " end alike, as far as the shorter of them goes, and neither is empty"
	}
	if says, is := literals[c.Word.Name+" "+path]; is {
		return strings.Replace(says, "%s", at.said(), 1)
	}
	text := about(at, c.Word)
	if on, is := c.Want.(bool); !is || !on {
		text += ": " + suites.Brief(c.Want)
	}
	return text
}

// literals are words with one of few values behind them.
var literals = map[string]string{
	"artifact_chunks end":      "the last chunk of every artifact that came in several has lastChunk, and there are such chunks",
	"artifact_chunks continue": "every chunk with append continues an artifact that was begun before and not ended by lastChunk, and there are such chunks",
	"a2a_error named":          "%s is the payload of an Error whose a2a_error names the A2A counterpart of its code, where that has one",
	"a2a_error not another":    "%s is the payload of an Error whose a2a_error names no other A2A error than the counterpart of its code, where that has one",
}

// meaning is what a word means, with what is told of it behind that in parentheses.
func meaning(word *assertions.Word) string {
	means, more, cut := strings.Cut(strings.TrimSuffix(word.Means, "."), "; ")
	if cut {
		means += " (" + more + ")"
	}
	return means
}
