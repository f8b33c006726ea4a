// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A reading makes claims of the conditions of a test, and knows of the earlier ones what the later ones need.
type reading struct {
	lives []string        // the life cycles that are spoken of
	run   bool            // the step that is told looks at the whole run
	lists map[string]noun // what the elements of lists are called that were made of others
}

// expectations are the sentences of a condition.
func (r *reading) expectations(wanted []suites.Expectation) []sentence {
	var claims all
	for _, e := range wanted {
		claims = append(claims, r.claim(placeOf(e.Subject), e.Want))
	}
	return claims.tell()
}

// chosenBy are the sentences of a condition that requires nothing: it says when a test goes on, or what is looked at.
func (r *reading) chosenBy(wanted []suites.Expectation) []sentence {
	var claims all
	for _, e := range wanted {
		claims = append(claims, r.claim(placeOf(e.Subject), e.Want))
	}
	return claims.choosing().tell()
}

// choosing is a condition that requires nothing: its alternatives are no more than that.
func (c all) choosing() all {
	flat := c.flat()
	for i, one := range flat {
		if s, is := one.(some); is {
			alternatives := choice(s.flat())
			for j, inner := range alternatives {
				if inner, is := inner.(all); is {
					alternatives[j] = inner.choosing()
				}
			}
			flat[i] = alternatives
		}
	}
	return flat
}

// skipping are the sentences of the opposite of "not": of what is missing that says nothing, and so it is skipped as well.
func (r *reading) skipping(at place, v assertions.Value) []sentence {
	claims := r.claim(at, v)
	if !at.certain() {
		claims = all{some{fact{at, []saying{missing}}, claims}}
	}
	return claims.choosing().tell()
}

// claim is what a condition wants of a place.
func (r *reading) claim(at place, v assertions.Value) all {
	var claims all
	for _, c := range v.Checks {
		claims = append(claims, r.check(at, c))
	}
	return claims
}

func (r *reading) check(at place, c assertions.Check) claim {
	switch want := c.Want.(type) {
	case assertions.Value:
		return r.nested(at, c.Word, want)
	case []assertions.Value:
		var claims []claim
		for _, v := range want {
			claims = append(claims, r.claim(at, v))
		}
		if c.Word.Name == "all_of" {
			return all(claims)
		}
		return some(claims)
	case assertions.Members:
		if c.Word.Name == "base64url_json" {
			return under(at.said()+" is unpadded base64url of a JSON object", r.members(it, want))
		}
		return r.members(at, want)
	case assertions.NamedArgs:
		return r.named(at, c.Word, want)
	}
	if n := r.nounOf(at); c.Word.Name == "not_empty" && c.Want == true && named(n) {
		return r.number("there is "+n.a(), "there is no "+n.single(), n, nil)
	}
	if is := sayings(c); len(is) > 0 {
		return fact{at, is}
	}
	text := r.literal(at, c)
	if rest, is := strings.CutPrefix(text, "no two "); is && c.Word.Name == "unique" {
		return told{sentence{text: text}, &sentence{text: "at least two " + rest}}
	}
	if alike, is := strings.CutSuffix(text, " are the same"); is && c.Word.Name == "same" {
		return told{sentence{text: text}, &sentence{text: alike + " are not the same"}}
	}
	if says, is := strings.CutPrefix(text, at.said()+" "); is {
		return told{sentence{text: text}, &sentence{text: at.said() + " " + opposite(says)}}
	}
	return told{sentence: sentence{text: text}}
}

func (r *reading) members(at place, wanted assertions.Members) all {
	var claims all
	for _, m := range wanted {
		claims = append(claims, r.claim(at.below(m.Path.String()), m.Want))
	}
	if at.path != "" && !claims.needs(at) {
		holder := saying{yes: "is an object", no: "is not an object"}
		if strings.HasPrefix(wanted[0].Path.String(), "[") {
			holder = saying{yes: "is an array", no: "is not an array"}
		}
		claims = append(all{fact{at, []saying{holder}}}, claims...)
	}
	return claims
}

// needs says whether claims say of something in a place that it is there, and so that the place holds something.
func (c all) needs(at place) bool {
	return slices.ContainsFunc(c.flat(), func(c claim) bool {
		f, is := c.(fact)
		return !is || f.at.root != at.root || !slices.Contains(f.is, missing)
	})
}
