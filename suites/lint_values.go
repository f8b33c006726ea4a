// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// values advises on what a step wants that what is judged never is: a status that is no number, a state that is written otherwise.
func (l *linter) values(s *Step, suite *Suite) {
	all := slices.Concat(s.Assume, s.Expect, s.EnoughWhen)
	for _, softened := range s.Softened {
		all = append(all, softened.Expect...)
	}
	for _, skip := range s.SkipUnless {
		all = append(all, skip.Unless...)
	}
	switch do := s.Do.(type) {
	case Request:
		all = append(all, do.WalkUntil...)
	case Poll:
		all = append(all, do.Until...)
	case Stream:
		all = append(all, do.Until...)
	case Type:
		all = append(all, do.Until...)
	case Await:
		all = append(all, do.Until...)
	}
	v := valueLinter{l, suite.states()}
	for _, e := range all {
		if e.Subject.Head() == exchangeSubject {
			l.inExchange(e.At, e.Subject.Tail().Head())
		}
		v.want(e.Subject.String(), e.Want)
	}
	for _, e := range s.EnoughWhen {
		l.absences(e.Subject.String(), e.Want)
	}
}

// absences advises on an end for what is absent below something that may itself be missing, as task.id of an answer that has no task: it is
// not absent there, so that the steps that are for other answers are played.
func (l *linter) absences(place string, v assertions.Value) {
	for _, c := range v.Checks {
		switch want := c.Want.(type) {
		case []assertions.Value:
			if c.Word.Name == "any_of" && !slices.ContainsFunc(want, isAboutTheWhole) {
				for _, one := range want {
					l.absences(place, one)
				}
			}
		case assertions.Members:
			for _, m := range want {
				at := m.Path.String()
				if place != exchangeSubject {
					at = place + "." + at
				}
				l.absences(at, m.Want)
			}
		default:
			dot := strings.LastIndex(place, ".")
			if c.Word.Name == "absent" && dot > 0 && !strings.HasSuffix("."+place[:dot], ".header") { // an answer has headers, or there is none
				l.advise(c.At, "nothing is absent below what is itself missing: where there is no %s this does not end the row (write exchange: {not: {.%s: {present: true}}})",
					place[:dot], place)
			}
		}
	}
}

// isAboutTheWhole says whether an alternative looks at an answer as a whole, as at its status: then it is the one for an answer of another kind.
func isAboutTheWhole(alternative assertions.Value) bool {
	for _, c := range alternative.Checks {
		members, is := c.Want.(assertions.Members)
		if !is || slices.ContainsFunc(members, func(m assertions.Member) bool { return m.Path.Tail().String() != "" }) {
			return false
		}
	}
	return true
}

// states are those of all lifecycles that the suite knows.
func (s *Suite) states() []string {
	var all []string
	for _, name := range sortedKeys(s.Lifecycles) {
		c := s.Lifecycles[name]
		all = append(all, slices.Concat(c.Initial, c.Open, c.Final)...)
	}
	return all
}

type valueLinter struct {
	*linter
	states []string
}

const exchangeSubject = "exchange"

// onlyInExchanges are the members of an exchange that are no subjects.
var onlyInExchanges = strings.Fields("sent error announced")

// ofSeveralExchanges are the subjects that are made of exchanges, and so no members of one.
var ofSeveralExchanges = strings.Fields("pages listed answers branches")

// inExchange advises on what no exchange has, as it may be a word that is misspelt.
func (l *linter) inExchange(at Position, member string) {
	if slices.Contains(ofSeveralExchanges, member) {
		l.advise(at, "an exchange has no member %s: these are several of them; look at %s beside exchange, or in a step of its own", quoted(member), member)
		return
	}
	known := append(subjectNames(), onlyInExchanges...)
	if member == "" || slices.Contains(known, member) {
		return
	}
	meant := didYouMean(member, known)
	if meant == "" {
		meant = didYouMean(member, wordNames())
	}
	l.advise(at, "an exchange has no member %s%s", quoted(member), meant)
}

// ofTheSame are the words that say of the same thing what stands behind them.
var ofTheSame = []string{"not", "any_of", "all_of", membersWord}

// want looks at what is wanted of a place, which is empty where it is not known.
func (l valueLinter) want(place string, v assertions.Value) {
	for _, c := range v.Checks {
		inside := place
		if !slices.Contains(ofTheSame, c.Word.Name) {
			inside = ""
		}
		switch want := c.Want.(type) {
		case assertions.Value:
			l.want(inside, want)
		case []assertions.Value:
			for _, one := range want {
				l.want(inside, one)
			}
		case assertions.Members:
			for _, m := range want {
				at := m.Path.String()
				if inside != exchangeSubject {
					at = inside + "." + at
				} else {
					l.inExchange(m.At, m.Path.Head())
				}
				l.want(at, m.Want)
			}
		case []any:
			if c.Word.Name == "one_of" {
				for _, one := range want {
					l.literal(c.At, place, one)
				}
			}
		default:
			if c.Word.Name == "equals" {
				l.literal(c.At, place, want)
			}
		}
	}
}

// literal looks at a value that something at a place has to be.
func (l valueLinter) literal(at Position, place string, value any) {
	text, isText := value.(string)
	if isText && strings.Contains(text, "${") {
		return
	}
	_, isNumber := value.(json.Number)
	switch {
	case place == "status" && !isNumber:
		l.advise(at, "status is a number, and never %s", shownValue(value))
	case isText && (place == "state" || strings.HasSuffix(place, ".state")) && !slices.Contains(l.states, text):
		if meant := didYouMean(text, l.states); meant != "" {
			l.advise(at, "no lifecycle has the state %s%s", quoted(text), meant)
		}
	}
}

func shownValue(value any) string {
	if text, is := value.(string); is {
		return "the text " + quoted(text)
	}
	return fmt.Sprint(value)
}
