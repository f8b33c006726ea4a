// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// not is that a condition does not hold of what is there.
func (r *reading) not(at place, v assertions.Value) claim {
	claims := r.claim(at, v).flat()
	if len(claims) == 1 {
		if f, is := claims[0].(fact); is && f.at == at {
			return isThere(f.opposite())
		}
		if s, is := claims[0].(some); is {
			return r.noneOf(at, s.flat())
		}
	}
	no := deny(all(claims))
	if f, is := no.(fact); at.certain() || is && f.at == at {
		return no
	}
	return all{fact{at, []saying{there}}, no}
}

// isThere is a claim of what has to be there: that it is missing is no alternative.
func isThere(c claim) claim {
	f, is := c.(fact)
	if !is || !slices.Contains(f.is, missing) {
		return c
	}
	if others := slices.DeleteFunc(slices.Clone(f.is), func(s saying) bool { return s == missing }); len(others) > 0 {
		return fact{f.at, others}
	}
	return all{fact{f.at, []saying{there}}, f} // it never holds
}

// noneOf is that none of several things holds of what is there.
func (r *reading) noneOf(at place, claims []claim) claim {
	var no all
	if !at.certain() {
		no = append(no, fact{at, []saying{there}})
	}
	for _, c := range claims {
		if f, is := c.(fact); is && f.at == at {
			no = append(no, isThere(f.opposite()))
		} else {
			no = append(no, deny(c))
		}
	}
	return no
}

// nested is a word around one more condition.
func (r *reading) nested(at place, word *assertions.Word, v assertions.Value) claim {
	switch word.Name {
	case "not":
		return r.not(at, v)
	case "each":
		return r.each(r.nounOf(at), nil, r.claim(r.element(at), v))
	case "any":
		return r.any(at, r.claim(r.element(at), v))
	case "none":
		return r.none(at, r.claim(r.element(at), v))
	case "first", "last":
		return oneOfThem("the "+word.Name+" "+r.nounOf(at).single(), func(of place) all { return r.claim(of, v) })
	case "length":
		return r.length(at, v)
	case "state":
		return r.claim(place{root: at.said() + ", read as a task state,"}, v)
	case "base64", "base64url":
		return r.claim(place{root: "what " + at.said() + " stands for in " + encodings[word.Name]}, v)
	case "member_names":
		return r.claim(place{root: "the list of the names of the members of " + at.said()}, v)
	case "member_values":
		return r.claim(place{root: "the list of the values of the members of " + at.said()}, v)
	case "comma_list":
		return r.claim(place{root: "the comma-separated list in " + at.said()}, v)
	case "json_size":
		return r.claim(place{root: "the length of " + at.said() + " as JSON without white space, in bytes,"}, v)
	}
	return under(about(at, word), r.claim(it, v))
}

// length is how long something is, or how many of the elements there are that are called something.
func (r *reading) length(at place, v assertions.Value) claim {
	n := r.nounOf(at)
	if len(v.Checks) == 1 && named(n) {
		if says := count(n, v.Checks[0]); says != "" {
			return r.number(says, "", n, nil)
		}
	}
	flat := r.claim(it, v).flat()
	if len(flat) == 1 {
		if f, is := flat[0].(fact); is && f.at == it && strings.HasPrefix(f.says(), "is ") && !strings.Contains(f.says(), ", or ") {
			length := strings.TrimPrefix(f.says(), "is ")
			if length == "0" {
				return fact{at, []saying{{yes: "is empty", no: "is not empty"}}}
			}
			return fact{at, []saying{{yes: "has a length of " + length, no: "does not have a length of " + length}}}
		}
	}
	return r.claim(place{root: "the length of " + at.said()}, v)
}

var encodings = map[string]string{"base64": "padded base64", "base64url": "unpadded base64url"}

// under is claims below what is said of them.
func under(head string, claims all) claim { return block{head, claims} }

// A block is claims about one thing, below what says which.
type block struct {
	head string
	of   claim
}

func (c block) tell() []sentence { return []sentence{{text: c.head, below: c.of.tell()}} }

func (c block) denied() claim { return nil }

// oneOfThem is what is wanted of one thing: in one sentence about it, or in several below it.
func oneOfThem(thing string, of func(place) all) claim {
	claims := of(place{root: thing})
	if flat := claims.flat(); len(flat) == 1 {
		if _, is := flat[0].(fact); is {
			return flat[0]
		}
	}
	return block{"of " + thing, of(it)}
}
