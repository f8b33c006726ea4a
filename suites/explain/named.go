// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A phrase says a word with arguments of its own: {arg} is what stands behind one, what is in brackets is said where its argument
// is given. of is what the condition that is one of them is about.
type phrase struct{ says, arg, of string }

var phrases = map[string]phrase{
	"labels":                 {"is a metrics text with the label {of}[ of {in}]", "are", "the list of the values of that label"},
	"link":                   {"has a link of the relation {rel}", "target", "its target"},
	"grew":                   {"has at {at} a number that has grown since {since}", "by", "the amount by which it has grown"},
	"samples":                {"is a metrics text with the metric {of}", "sum", "the sum of its samples"},
	"samples_grew":           {"is a metrics text in which {of} has grown since {since}", "by", "the amount by which it has grown"},
	"gaps":                   {"is a list, and {at} grows from each element to the next", "are", "the list of these differences"},
	"number_of":              {"is the number of elements of {elements}", "where", "each that counts"},
	"without":                {"is an object", "want", "what is left of it without {members}"},
	"signing_key":            {"holds the key that each signature of {of} names", "is", "that key"},
	"gaps_grow":              {"has at least three elements, and from one to the next {at} never grows by less than before, but for {slack}", "", ""},
	"count_up":               {"is a list in which {at} grows by {by} from each element to the next", "", ""},
	"time_near":              {"is a time, within {within} of {of}", "", ""},
	"times_near":             {"has times at {at} that are within {within} of the first of them", "", ""},
	"same_members":           {"has members of the same names as {as}[, apart from {apart_from}]", "", ""},
	"hmac_signed":            {"has a header [{header}|X-AIWG-Signature] that signs its body with the secret {secret}", "", ""},
	"jcs_sha256":             {"is the SHA-256, in lower-case hex, of the canonical form (RFC 8785) of {of}[ without {without}]", "", ""},
	"signed_by":              {"is signed by one of the keys {keys}[, with {algorithms}]", "", ""},
	"verifies":               {"holds keys under which the signatures of {card} verify[, with {algorithms}]", "", ""},
	"does_not_verify":        {"holds a key that can be used, and none under which a signature of {card} verifies", "", ""},
	"listed_in":              {"has at {value} something that is in its list {list}", "", ""},
	"no_credentials":         {"shows no credentials[ outside of {outside}]", "", ""},
	"replay":                 {"has again all [{kinds}|Output, Resize, MembershipChanged and TaskStatusUpdate] frames that {of} got after {after}, up to the head of the session at the join, in increasing order", "", ""},
	"same_frames_as":         {"has [{kinds}|Output, Resize and MembershipChanged] frames with the same content as those of the same number in {of}, and they have some in common", "", ""},
	"same_stream_as":         {"has, from number {from} on and as far as both go, the same {kinds} frames as {of}: the same content, none missing and none more", "", ""},
	"contiguous":             {"has[, together with {with},] numbers without a gap from {from} on, and none is used for two different frames", "", ""},
	"losses_told":            {"has an Error PTY_OUTPUT_LAGGED wherever it lacks Output or Resize frames that {of} has, and the stream frame behind each of these is a Keyframe", "", ""},
	"keyframe_after_outputs": {"has, from its first Keyframe on, never more than {most}[ times {times}] Output frames without another Keyframe, and more than that in all", "", ""},
	"keyframe_within":        {"has, from its first Keyframe on and while output comes, never more than {seconds}[ plus {plus}][, times {times},] seconds without another Keyframe; where output paused when one was due, they count from the output that went on", "", ""},
	"outputs_number":         {"has at least {least}[ times {times}] Output frames behind its first Keyframe", "", ""},
	"outputs_last":           {"has a last Output at least {seconds}[ times {times}] seconds behind the first one behind its first Keyframe", "", ""},
	"continues":              {"goes on where {list} has its element number {from} (the first is 0): {by} of each are the same, as far as both go, and it is no shorter than what is left there", "", ""},
	"verifies_a2a":           {"is a list of keys, and under the one that it names a signature of {card}[{every} (and each other one whose key is there)] verifies over the card without signatures, in [one of the forms {as}|one of the forms A, B, C and D]" + cardForms, "", ""},
	"covers_a2a":             {"is a list of keys under which a signature of {card} verifies in one of the forms A, B, C and D, and no longer once any one member[{unknown}| that the protocol knows] was changed or left out, but for default values that the form does not have" + cardForms, "", ""},
}

// cardForms are the forms of a card that is signed.
const cardForms = " (A keeps what is REQUIRED or explicitly set, B drops all that is empty, C is the card as it came, D drops all default values; " +
	"deviating is written in another way than RFC 8785 wants, partial lacks members of the card)"

// named is a word with arguments of its own.
func (r *reading) named(at place, word *assertions.Word, args assertions.NamedArgs) claim {
	switch word.Name {
	case "select":
		where, _ := args["where"].(assertions.Value)
		want, _ := args["want"].(assertions.Value)
		return r.chosen(at, where, want)
	case "only_after", "none_after", "followed_by":
		return r.behind(at, word.Name, args)
	case "follow_lifecycle":
		r.life(args["lifecycle"])
		return told{sentence: sentence{text: fmt.Sprintf("the states of the %s, at %s, follow the life cycle told at the end, and there is at least one",
			r.nounOf(at).several(), paths(args["state_at"]))}}
	case "later_state":
		r.life(args["lifecycle"])
		than := suites.Brief(args["than"])
		return fact{at, []saying{{yes: "is " + than + " or a state that may follow it in the life cycle told at the end",
			no: "is not " + than + " and may not follow it in the life cycle told at the end"}}}
	}
	if fits, is := args["fits"].(assertions.Value); is && word.Name == "percentile" {
		return r.claim(place{root: "percentile " + suites.Brief(args["rank"]) + " of " + at.said()}, fits)
	}
	how, is := phrases[word.Name]
	if !is {
		return r.plainly(at, word, args)
	}
	who := at.said()
	if at == (place{path: "frames"}) {
		who = "the connection"
	}
	head := who + " " + filled(how.says, args)
	of := place{root: filled(how.of, args)}
	switch want := args[how.arg].(type) {
	case assertions.Value:
		return sideBySide{head, r.claim(of, want)}
	case assertions.Members:
		return sideBySide{head, r.members(of, want)}
	}
	return told{sentence{text: head}, &sentence{text: who + " " + opposite(filled(how.says, args))}}
}

// sideBySide is a sentence with one more about something in it.
type sideBySide struct {
	head string
	of   all
}

func (c sideBySide) tell() []sentence {
	if text, is := inline(c.of); is {
		return []sentence{{text: c.head + ", and " + text}}
	}
	return []sentence{{text: c.head, below: c.of.tell()}}
}

func (c sideBySide) denied() claim { return nil }

// plainly is a word of which nothing better is known than what it means.
func (r *reading) plainly(at place, word *assertions.Word, args assertions.NamedArgs) claim {
	var below all
	text := about(at, word)
	for _, arg := range word.Args {
		switch want := args[arg.Name].(type) {
		case nil:
		case assertions.Value:
			below = append(below, labelled{arg.Name, r.claim(it, want)})
		case assertions.Members:
			below = append(below, labelled{arg.Name, r.members(it, want)})
		default:
			text += "; " + arg.Name + ": " + suites.Brief(want)
		}
	}
	return block{text, below}
}

// filled puts arguments into a phrase.
func filled(says string, args assertions.NamedArgs) string {
	var b strings.Builder
	for says != "" {
		before, part, is := strings.Cut(says, "[")
		b.WriteString(inserted(before, args))
		if !is {
			break
		}
		part, says, _ = strings.Cut(part, "]")
		part, otherwise, _ := strings.Cut(part, "|")
		if given(part, args) {
			b.WriteString(inserted(part, args))
		} else {
			b.WriteString(otherwise)
		}
	}
	return b.String()
}

func given(part string, args assertions.NamedArgs) bool {
	for name, v := range args {
		if list, is := v.([]any); is && len(list) == 0 {
			continue
		}
		if strings.Contains(part, "{"+name+"}") {
			return true
		}
	}
	return false
}

func inserted(part string, args assertions.NamedArgs) string {
	for name, v := range args {
		if mark := "{" + name + "}"; strings.Contains(part, mark) {
			part = strings.ReplaceAll(part, mark, paths(v))
		}
	}
	return part
}

// paths are names without quotes, or what else there is.
func paths(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, paths(one))
		}
		return listing(all, " and ")
	case bool:
		return ""
	}
	return suites.Brief(v)
}

// life notes a life cycle, of which the page tells at its end.
func (r *reading) life(cycle any) {
	graph, is := cycle.(map[string]any)
	if !is {
		return
	}
	states := func(kind, last string) string {
		list, _ := graph[kind].([]any)
		var all []string
		for _, s := range list {
			all = append(all, suites.Brief(s))
		}
		return listing(all, last)
	}
	var rules []string
	if initial := states("initial", " or "); initial != "" {
		rules = append(rules, initial+" comes only at the beginning")
	}
	if open := states("open", " and "); open != "" {
		rules = append(rules, open+" come in any order")
	}
	if final := states("final", " or "); final != "" {
		rules = append(rules, "nothing else comes after "+final)
	}
	text := strings.Join(rules, "; ") + "; there are no other states; each may be left out, and may be told again"
	for _, known := range r.lives {
		if known == text {
			return
		}
	}
	r.lives = append(r.lives, text)
}
