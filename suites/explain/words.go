// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
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
	"contains": "contains %s", "contains_all": "contains all of %s", "mentions": "holds %s somewhere", "names": "has %s somewhere",
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
	case word == "names":
		what := listed(word, c.Want)
		return []saying{{yes: "has " + what + " somewhere", no: "has " + what + " nowhere"}}
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
