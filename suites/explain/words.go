// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A sentence says what is wanted of one subject. Where it is about several things, they stand below it.
type sentence struct {
	text  string
	below []sentence
}

// plain are the words that every reader knows, with what is said of them: %s is what stands behind the word. Those in
// negated are said of what must not be.
var plain = map[string]string{
	"equals": "is %s", "equals_fold": "is %s, in any case of letters", "one_of": "is %s",
	"at_least": "is at least %s", "at_most": "is at most %s", "more_than": "is more than %s", "less_than": "is less than %s",
	"between": "is between %s", "is_a": "is %s", "format": "has the form %s", "matches": "matches the pattern %s",
	"starts_with": "begins with %s", "ends_with": "ends with %s", "contains": "contains %s", "contains_all": "contains all of %s",
	"mentions": "holds %s somewhere", "subset_of": "has no elements but %s", "in_order": "contains, in this order, %s",
	"media_type": "is the media type %s", "challenge": "offers the scheme %s", "later_than": "is later than %s",
	"not_before": "is not earlier than %s", "no_shorter_than": "has at least as many elements as %s", "schema": "is valid under the schema %s",
}

// negated are the same words behind "not".
var negated = map[string]string{
	"equals": "is not %s", "equals_fold": "is not %s, in any case of letters", "one_of": "is none of these: %s", "is_a": "is not %s",
	"contains": "does not contain %s", "mentions": "holds %s nowhere", "matches": "does not match the pattern %s",
	"starts_with": "does not begin with %s", "ends_with": "does not end with %s", "media_type": "is not the media type %s",
}

// alternatives are the words behind which a list means: one of these.
var alternatives = []string{"one_of", "equals_fold", "starts_with", "ends_with", "media_type", "is_a"}

// wanted is what a condition says of a subject, a sentence for each of its words.
func (p *page) wanted(subject string, v assertions.Value) []sentence {
	var all []sentence
	for _, c := range v.Checks {
		all = append(all, p.check(subject, c)...)
	}
	return all
}

// expectations are the sentences of a condition.
func (p *page) expectations(all []suites.Expectation) []sentence {
	var said []sentence
	for _, e := range all {
		said = append(said, p.wanted(Subject(e.Subject), e.Want)...)
	}
	return said
}

func (p *page) check(subject string, c assertions.Check) []sentence {
	switch want := c.Want.(type) {
	case assertions.Value:
		return []sentence{p.nested(subject, c.Word, want)}
	case []assertions.Value:
		if c.Word.Name == "all_of" {
			var all []sentence
			for _, v := range want {
				all = append(all, p.wanted(subject, v)...)
			}
			return all
		}
		return []sentence{p.oneOf(subject, want)}
	case assertions.Members:
		var all []sentence
		for _, m := range want {
			all = append(all, p.wanted(joined(subject, m.Path.String()), m.Want)...)
		}
		return all
	case assertions.NamedArgs:
		return []sentence{p.named(subject, c.Word, want)}
	}
	switch on, is := c.Want.(bool); {
	case c.Word.Name == "absent" && is && on, c.Word.Name == "present" && is && !on:
		return []sentence{{text: subject + " is missing"}}
	case c.Word.Name == "absent" && is, c.Word.Name == "present" && is:
		return []sentence{{text: subject + " is there"}}
	case is && on && (c.Word.Name == "not_empty" || c.Word.Name == "not_blank"):
		return []sentence{{text: subject + " is not " + strings.TrimPrefix(c.Word.Name, "not_")}}
	}
	if says, is := plain[c.Word.Name]; is {
		return []sentence{{text: subject + " " + fmt.Sprintf(says, listed(c.Word.Name, c.Want))}}
	}
	text := p.about(subject, c.Word)
	if on, is := c.Want.(bool); !is || !on {
		text += ": " + suites.Brief(c.Want)
	}
	return []sentence{{text: text}}
}

// nested is a word around one more condition.
func (p *page) nested(subject string, word *assertions.Word, v assertions.Value) sentence {
	one := len(v.Checks) == 1
	switch word.Name {
	case "not":
		if one {
			if says, is := negated[v.Checks[0].Word.Name]; is {
				return sentence{text: subject + " " + fmt.Sprintf(says, listed(v.Checks[0].Word.Name, v.Checks[0].Want))}
			}
		}
		return grouped("not all of this holds", "it does not hold that", p.wanted(subject, v))
	case "each":
		return sentence{text: "for every element of " + subject, below: p.wanted("it", v)}
	case "any":
		return sentence{text: "for at least one element of " + subject, below: p.wanted("it", v)}
	case "none":
		return sentence{text: "for no element of " + subject, below: p.wanted("it", v)}
	case "first", "last":
		return only(p.wanted("the "+word.Name+" element of "+subject, v))
	case "length":
		return only(p.wanted("the length of "+subject, v))
	case "state":
		return only(p.wanted(subject+", read as a task state,", v))
	}
	return sentence{text: p.about(subject, word), below: p.wanted("it", v)}
}

// everything is how the words about a whole connection begin, of which the subject is the list of its messages.
const everything = "is everything a connection received, and "

// about is what a word says of a subject, in the words of the vocabulary.
func (p *page) about(subject string, word *assertions.Word) string {
	means := p.meaning(word)
	if rest, is := strings.CutPrefix(means, everything); is && subject == subjects["frames"] {
		return "of everything that the connection received: " + rest
	}
	return subject + " " + means
}

// oneOf are alternatives, each on a line of its own.
func (p *page) oneOf(subject string, all []assertions.Value) sentence {
	s := sentence{text: "one of these holds"}
	for _, v := range all {
		s.below = append(s.below, grouped("all of this", "", p.wanted(subject, v)))
	}
	return s
}

// named is a word with arguments of its own.
func (p *page) named(subject string, word *assertions.Word, args assertions.NamedArgs) sentence {
	s := sentence{text: p.about(subject, word)}
	for _, arg := range word.Args {
		switch want := args[arg.Name].(type) {
		case nil:
		case assertions.Value:
			s.below = append(s.below, grouped(arg.Name+" means", "", p.wanted(arg.Name, want)))
		case assertions.Members:
			g := sentence{text: arg.Name + " means"}
			for _, m := range want {
				g.below = append(g.below, p.wanted(m.Path.String(), m.Want)...)
			}
			s.below = append(s.below, g)
		default:
			s.below = append(s.below, sentence{text: arg.Name + " is " + suites.Brief(want)})
		}
	}
	return s
}

// meaning is what a word means, without what is told of it at the end of the page.
func (p *page) meaning(word *assertions.Word) string {
	means, more, cut := strings.Cut(word.Means, "; ")
	if cut && more != "" && !slices.Contains(p.words, word) {
		p.words = append(p.words, word)
	}
	return strings.TrimSuffix(means, ".")
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

func only(all []sentence) sentence { return grouped("all of this", "", all) }

// joined is a place below a subject: "json", "status.state" is "json.status.state".
func joined(subject, path string) string {
	switch {
	case subject == "the exchange":
		return name(path)
	case strings.HasPrefix(path, "["):
		return subject + path
	case strings.Contains(subject, " "):
		return path + " of " + subject
	case subject == "it":
		return "its " + path
	}
	return subject + "." + path
}

// listed is what stands behind a word: one value, or a list as people write it.
func listed(word string, want any) string {
	list, is := want.([]any)
	if !is {
		if word == "is_a" {
			return kind(want)
		}
		return suites.Brief(want)
	}
	said := make([]string, len(list))
	for i, v := range list {
		if said[i] = suites.Brief(v); word == "is_a" {
			said[i] = kind(v)
		}
	}
	and := " and "
	if slices.Contains(alternatives, word) {
		and = " or "
	}
	if len(said) < 2 {
		return strings.Join(said, "")
	}
	return strings.Join(said[:len(said)-1], ", ") + and + said[len(said)-1]
}

// kind is a JSON type with its article.
func kind(v any) string {
	switch v {
	case "array", "object", "integer":
		return "an " + v.(string)
	case "null":
		return "null"
	case "string", "number", "boolean":
		return "a " + v.(string)
	}
	return suites.Brief(v)
}

// Subject is the name of what is judged, in words where it is no path into an answer.
func Subject(path assertions.Path) string { return name(path.String()) }

func name(path string) string {
	if header, is := strings.CutPrefix(path, "header."); is {
		return "the header " + header
	}
	if says, is := subjects[path]; is {
		return says
	}
	return path
}

// subjects are those that are no members of anything.
var subjects = map[string]string{
	"status": "the HTTP status", "took": "the time that it took", "json": "the JSON body", "text": "the body", "bytes": "the raw body",
	"frames": "the list of all messages of the connection", "frame": "the message", "events": "the list of all events of the stream",
	"exchange": "the exchange", "subprotocol": "the subprotocol that was chosen", "output": "the terminal's output",
	"closed": "the end of the connection", "result": "the result", "requests": "the list of all requests that came", "task": "the task",
	"event": "the event", "delivery": "the delivery", "lasted": "the time that the steps took",
}
