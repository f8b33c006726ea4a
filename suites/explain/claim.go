// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"strings"
)

// A claim is what a condition wants, before it is put into sentences: so that what says the same can be said in fewer of them.
type claim interface {
	// tell is the claim in sentences, all of which hold.
	tell() []sentence
	// denied is a claim that holds exactly when this one does not; nil where there are no words for it.
	denied() claim
}

// all are claims that hold together.
type all []claim

// some are claims of which one holds at least.
type some []claim

// A denial is that a claim does not hold for which there are no opposite words.
type denial struct{ of claim }

// told is a claim in words that are known already, with those of its opposite if there are any.
type told struct {
	sentence sentence
	not      *sentence
}

func (c told) tell() []sentence { return []sentence{c.sentence} }

func (c told) denied() claim {
	if c.not == nil {
		return nil
	}
	return told{*c.not, &c.sentence}
}

func (c all) tell() []sentence {
	var told []sentence
	flat := c.flat()
	for i := 0; i < len(flat); i++ {
		if text, n := alike(flat[i:]); n > 1 {
			told = append(told, sentence{text: text})
			i += n - 1
			continue
		}
		told = append(told, flat[i].tell()...)
	}
	return told
}

// plurals are what is said of several places at once.
var plurals = map[string]string{"is missing": "are missing", "is there": "are there", "is a string": "are strings",
	"is a string and not empty": "are strings and not empty", "is an integer": "are integers", "is null": "are null"}

// longestAlike is how long a sentence about several places may be.
const longestAlike = 100

// alike is what is said alike of the places at the beginning of a list, and of how many.
func alike(claims []claim) (string, int) {
	first, is := claims[0].(fact)
	if !is || plurals[first.says()] == "" || first.at.path == "" || first.at.path == "closed" || first.at.root != "" && first.at.root != "it" {
		return "", 0
	}
	names := []string{first.at.said()}
	length := len(names[0]) + len(first.says())
	for _, c := range claims[1:] {
		f, is := c.(fact)
		if !is || f.says() != first.says() || f.at.root != first.at.root || f.at.path == "" || f.at.path == "closed" {
			break
		}
		name := strings.TrimPrefix(f.at.said(), "its ")
		if length += len(name) + 2; length > longestAlike {
			break
		}
		names = append(names, name)
	}
	return listing(names, " and ") + " " + plurals[first.says()], len(names)
}

// denied: one of few does not hold. Of many it is shorter to say that not all of them do.
func (c all) denied() claim {
	flat := c.flat()
	if len(flat) == 1 {
		return deny(flat[0])
	}
	if len(flat) > 2 {
		return denial{c}
	}
	var no some
	for _, one := range flat {
		d := one.denied()
		if _, is := d.(denial); is || d == nil {
			return denial{c}
		}
		no = append(no, d)
	}
	return no
}

// deny is the opposite of a claim, in whichever words.
func deny(c claim) claim {
	if no := c.denied(); no != nil {
		return no
	}
	return denial{c}
}

func (c denial) denied() claim { return c.of }

func (c denial) tell() []sentence {
	return []sentence{grouped("not all of this holds", "it does not hold that", c.of.tell())}
}

func (c some) denied() claim {
	var no all
	for _, one := range c.flat() {
		no = append(no, deny(one))
	}
	return no
}
