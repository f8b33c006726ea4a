// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A sentence says what is wanted. Where it is about several things, they stand below it.
type sentence struct {
	text  string
	below []sentence
	comma bool // what stands below it goes on with it, where it stands on the same line
}

// plain are the words that every reader knows, with what is said of a place: %s is what stands behind the word.
var plain = map[string]string{
	"equals": "is %s", "equals_fold": "is %s, in any case of letters", "one_of": "is %s", "at_least": "is at least %s",
	"at_most": "is at most %s", "more_than": "is more than %s", "less_than": "is less than %s", "between": "is %s",
	"is_a": "is %s", "format": "is written as %s", "starts_with": "begins with %s", "ends_with": "ends with %s",
	"contains": "contains %s", "contains_all": "contains all of %s", "mentions": "holds %s somewhere",
	"subset_of": "has no elements but %s", "in_order": "contains, in this order, %s", "media_type": "is the media type %s",
	"challenge": "offers the scheme %s", "later_than": "is later than %s", "not_before": "is not earlier than %s",
	"no_shorter_than": "has at least as many elements as %s", "schema": "is valid under the schema %s",
}

// formats are the forms of a text.
var formats = map[string]string{"uuid": "a UUID", "uuid4": "a UUID of version 4", "uuid7": "a UUID of version 7", "date-time": "an RFC 3339 date-time",
	"http-date": "an HTTP date", "uri": "a URI", "uri-reference": "a URI reference", "base64": "base64", "base64url": "base64url", "utf8": "UTF-8",
	"host-port": "a host with its port", "json-pointer": "a JSON pointer", "media-type": "a media type"}

// opposites are how the words of plain begin, with how what is not so begins.
var opposites = [][2]string{{"is ", "is not "}, {"has no ", "has "}, {"has at least ", "has fewer than "}, {"has ", "does not have "},
	{"begins ", "does not begin "}, {"ends ", "does not end "}, {"contains ", "does not contain "}, {"offers ", "does not offer "},
	{"fits ", "does not fit "}}

// alternatives are the words behind which a list means: one of these.
var alternatives = []string{"one_of", "equals_fold", "starts_with", "ends_with", "media_type", "is_a"}

// expectations are the sentences of a condition.
func (p *page) expectations(wanted []suites.Expectation) []sentence {
	var claims all
	for _, e := range wanted {
		claims = append(claims, p.claim(placeOf(e.Subject), e.Want))
	}
	return claims.tell()
}

// claim is what a condition wants of a place.
func (p *page) claim(at place, v assertions.Value) all {
	var claims all
	for _, c := range v.Checks {
		claims = append(claims, p.check(at, c))
	}
	return claims
}

func (p *page) check(at place, c assertions.Check) claim {
	switch want := c.Want.(type) {
	case assertions.Value:
		return p.nested(at, c.Word, want)
	case []assertions.Value:
		var claims []claim
		for _, v := range want {
			claims = append(claims, p.claim(at, v))
		}
		if c.Word.Name == "all_of" {
			return all(claims)
		}
		return some(claims)
	case assertions.Members:
		if c.Word.Name == "base64url_json" {
			return under(at.said()+" is unpadded base64url of a JSON object", p.members(it, want))
		}
		return p.members(at, want)
	case assertions.NamedArgs:
		return p.named(at, c.Word, want)
	}
	if n := p.nounOf(at); c.Word.Name == "not_empty" && c.Want == true && named(n) {
		return p.number("there is "+n.a(), "there is no "+n.single(), n, nil)
	}
	if is := sayings(c); len(is) > 0 {
		return fact{at, is}
	}
	text := p.literal(at, c)
	if alike, is := strings.CutSuffix(text, " are the same"); is && c.Word.Name == "same" {
		return told{sentence{text: text}, &sentence{text: alike + " are not the same"}}
	}
	if says, is := strings.CutPrefix(text, at.said()+" "); is {
		return told{sentence{text: text}, &sentence{text: at.said() + " " + opposite(says)}}
	}
	return told{sentence: sentence{text: text}}
}

func (p *page) members(at place, wanted assertions.Members) all {
	var claims all
	for _, m := range wanted {
		claims = append(claims, p.claim(at.below(m.Path.String()), m.Want))
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

// sayings is what a word that every reader knows says of a place; none where it is no such word.
func sayings(c assertions.Check) []saying {
	on, is := c.Want.(bool)
	switch word := c.Word.Name; {
	case word == "absent" && is && on, word == "present" && is && !on:
		return []saying{missing}
	case word == "absent" && is, word == "present" && is:
		return []saying{there}
	case is && on && (word == "not_empty" || word == "not_blank"):
		what := strings.TrimPrefix(word, "not_")
		return []saying{{yes: "is not " + what, no: "is " + what}}
	case word == "one_of":
		list, is := c.Want.([]any)
		if !is {
			return []saying{{yes: "is one of " + suites.Brief(c.Want), no: "is none of " + suites.Brief(c.Want)}}
		}
		return eachOf(list, func(v any) string { return value("equals", v) })
	case word == "is_a":
		if list, is := c.Want.([]any); is {
			return eachOf(list, kind)
		}
		return eachOf([]any{c.Want}, kind)
	case word == "format" && formats[fmt.Sprint(c.Want)] != "":
		what := formats[fmt.Sprint(c.Want)]
		return []saying{{yes: "is " + what, no: "is not " + what}}
	case word == "matches":
		return matching(fmt.Sprint(c.Want))
	case word == "subset_of" && hasNothing(c.Want):
		return []saying{{yes: "has no elements at all", no: "has elements"}}
	case word == "mentions":
		what := listed(word, c.Want)
		return []saying{{yes: "holds " + what + " somewhere", no: "holds " + what + " nowhere"}}
	case plain[word] != "":
		yes := fmt.Sprintf(plain[word], listed(word, c.Want))
		return []saying{{yes: yes, no: opposite(yes)}}
	}
	return nil
}

func eachOf(list []any, text func(any) string) []saying {
	all := make([]saying, len(list))
	for i, v := range list {
		all[i] = saying{yes: "is " + text(v), no: "is not " + text(v)}
	}
	return all
}

func opposite(yes string) string {
	for _, o := range opposites {
		if rest, is := strings.CutPrefix(yes, o[0]); is {
			rest = strings.Replace(rest, "all of ", "each of ", 1)
			return o[1] + strings.TrimPrefix(strings.TrimPrefix(rest, "the form "), "")
		}
	}
	return "is not so: " + yes
}

// grouped puts several sentences below a head; one stands for itself, behind what is said of one.
func grouped(head, ofOne string, all []sentence) sentence {
	if len(all) != 1 {
		return sentence{text: head, below: all}
	}
	if ofOne != "" {
		return sentence{text: ofOne + ": " + all[0].text, below: all[0].below}
	}
	return all[0]
}

// chosenBy are the sentences of a condition that requires nothing: it says when a test goes on, or what is looked at.
func (p *page) chosenBy(wanted []suites.Expectation) []sentence {
	var claims all
	for _, e := range wanted {
		claims = append(claims, p.claim(placeOf(e.Subject), e.Want))
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
func (p *page) skipping(at place, v assertions.Value) []sentence {
	claims := p.claim(at, v)
	if !at.certain() {
		claims = all{some{fact{at, []saying{missing}}, claims}}
	}
	return claims.choosing().tell()
}
