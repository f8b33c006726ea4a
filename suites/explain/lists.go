// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// longestWhose is how long what says which elements are meant may be, where it stands in the sentence about them.
const longestWhose = 150

// whose is a condition on an element as a clause behind its noun: " whose name is "a" and whose id is 1"; "" for none, false where it
// cannot be said like that.
func whose(claims all) (string, bool) {
	var parts, with []string
	for _, c := range claims.flat() {
		f, is := c.(fact)
		if is && strings.HasPrefix(f.at.root, "its ") && f.at.path == "" {
			parts = append(parts, "whose "+strings.TrimPrefix(f.at.root, "its ")+" "+f.says())
			continue
		}
		if !is || f.at.root != "it" {
			return "", false
		}
		says := f.at.whose() + " " + f.says()
		switch {
		case f.at.path != "" && len(f.is) == 1 && f.is[0] == there:
			with = append(with, "with "+strings.TrimPrefix(f.at.said(), "its "))
			continue
		case f.at.path != "" && len(f.is) == 1 && f.is[0] == missing:
			with = append(with, "without "+strings.TrimPrefix(f.at.said(), "its "))
			continue
		}
		parts = append(parts, says)
	}
	if parts = append(with, parts...); len(parts) == 0 {
		return "", true
	}
	text := " " + listing(parts, " and ")
	return text, len(text) <= longestWhose
}

// each is what is wanted of every element, or of those that fit a condition.
func (r *reading) each(n noun, where, claims all) claim {
	n, where = r.ofRun(n, where)
	which, short := whose(where)
	flat := claims.flat()
	if !short {
		when := "if all of this holds"
		if len(where.flat()) == 1 {
			when = "if this holds"
		}
		return block{"for every " + n.single(), all{labelled{when, where.choosing()}, labelled{"then", claims}}}
	}
	if len(flat) == 1 && which == "" {
		if f, is := flat[0].(fact); is && f.at == it {
			return told{sentence: sentence{text: "every " + n.single() + " " + f.says()}}
		}
	}
	return block{"for every " + n.single() + which, claims}
}

// labelled are claims below what is said of them.
type labelled struct {
	says string
	of   all
}

func (c labelled) tell() []sentence { return []sentence{{text: c.says, below: c.of.tell()}} }

func (c labelled) denied() claim { return nil }

// any is that there is an element that fits.
func (r *reading) any(at place, claims all) claim {
	flat := claims.flat()
	if len(flat) == 1 && !named(r.nounOf(at)) {
		if f, is := flat[0].(fact); is && f.at == it {
			return fact{at, []saying{{yes: "has an element that " + f.says(), no: "has no element that " + f.says()}}}
		}
	}
	return r.number("there is "+r.nounOf(at).a(), "there is no "+r.nounOf(at).single(), r.nounOf(at), claims)
}

// named says whether elements are called something of their own.
func named(n noun) bool { return n.one != "element" }

// number says how many elements fit, with its opposite if it has one.
func (r *reading) number(says, not string, n noun, claims all) claim {
	m, claims := r.ofRun(n, claims)
	if added := strings.TrimPrefix(m.of, n.of); added != "" {
		says, not = says+added, not+added
	}
	which, short := whose(claims)
	yes, no := sentence{text: says + which}, sentence{text: not + which}
	if !short {
		head := " of which all of this holds"
		below := claims.choosing().tell()
		if len(below) == 1 {
			head = " of which this holds"
		}
		yes, no = sentence{text: says + head, below: below}, sentence{text: not + head, below: below}
	}
	if not == "" {
		return told{sentence: yes}
	}
	return told{yes, &no}
}

// none is that no element fits. Where the last that is said of it is negative, it is said of all the others what has to hold.
func (r *reading) none(at place, claims all) claim {
	n := r.nounOf(at)
	flat := claims.flat()
	if text := contradiction(n, flat); text != "" {
		return told{sentence: sentence{text: text}}
	}
	if where, wanted := r.required(at, flat); wanted != nil && (len(where) > 0 || !named(n)) {
		return r.each(n, where, all{wanted})
	}
	if len(flat) == 1 && !named(n) {
		if f, is := flat[0].(fact); is && f.at == it {
			return fact{at, []saying{{yes: "has no element that " + f.says(), no: "has an element that " + f.says()}}}
		}
	}
	return r.number("there is no "+n.single(), "there is "+n.a(), n, claims)
}

// required is what has to hold of the elements of a list that fit a condition, where no element may fit all of some claims; nil where
// the last of these says nothing that has to be avoided.
func (r *reading) required(list place, flat []claim) (where all, wanted claim) {
	last := len(flat) - 1
	if last < 0 {
		return nil, nil
	}
	if wanted = avoided(flat[last]); wanted == nil {
		return nil, nil
	}
	wanted = r.present(list, flat[:last], wanted)
	if last > 1 {
		if other := severally(flat[last-1]); other != nil {
			last--
			wanted = some{other, wanted}
		}
	}
	return flat[:last], wanted
}

// severally is what is avoided by a claim about several things.
func severally(c claim) claim {
	switch c := c.(type) {
	case denial, some:
		return avoided(c)
	case fact:
		if len(c.is) > 1 && slices.Contains(c.is, missing) {
			return avoided(c)
		}
	}
	return nil
}

// present leaves out of what is wanted of an element that it may be missing, where it is known to be there.
func (r *reading) present(list place, known []claim, wanted claim) claim {
	f, is := wanted.(fact)
	if !is || len(f.is) < 2 || f.is[0] != missing {
		return wanted
	}
	there := r.run && f.at == it.below("status") && (list.path == "result.answers" || list.path == "result.errors")
	for _, one := range known {
		k, is := one.(fact)
		there = there || is && k.at.root == "it" && !slices.Contains(k.is, missing) && strings.HasPrefix(k.at.path+".", f.at.path+".")
	}
	if !there {
		return wanted
	}
	return fact{f.at, f.is[1:]}
}

// chosen is what is wanted of the elements that fit a condition.
func (r *reading) chosen(at place, where, want assertions.Value) claim {
	n := r.nounOf(at)
	if theOne, is := r.exactlyOne(at, n, where, want); is {
		return theOne
	}
	var claims all
	for _, c := range want.Checks {
		fits := r.claim(r.element(at), where)
		inner, _ := c.Want.(assertions.Value)
		switch {
		case c.Word.Name == "length" && len(inner.Checks) == 1 && count(n, inner.Checks[0]) != "":
			claims = append(claims, r.number(count(n, inner.Checks[0]), "", n, fits))
		case c.Word.Name == "not_empty":
			claims = append(claims, r.number("there is "+n.a(), "there is no "+n.single(), n, fits))
		case c.Word.Name == "each":
			claims = append(claims, r.each(n, fits, r.claim(r.element(at), inner)))
		case c.Word.Name == "any":
			claims = append(claims, r.number("there is "+n.a(), "there is no "+n.single(), n, append(fits, r.claim(r.element(at), inner)...)))
		case c.Word.Name == "none":
			claims = append(claims, r.none(at, append(fits, r.claim(r.element(at), inner)...)))
		default:
			claims = append(claims, r.ofChosen(n, fits, c))
		}
	}
	return claims
}

// exactlyOne is that one element fits a condition, and what is wanted of it.
func (r *reading) exactlyOne(at place, n noun, where, want assertions.Value) (claim, bool) {
	if len(want.Checks) != 2 {
		return nil, false
	}
	first, second := want.Checks[0], want.Checks[1]
	if first.Word.Name == "each" {
		first, second = second, first
	}
	number, _ := first.Want.(assertions.Value)
	wanted, is := second.Want.(assertions.Value)
	if first.Word.Name != "length" || second.Word.Name != "each" || !is || len(number.Checks) != 1 || number.Checks[0].Word.Name != "equals" || fmt.Sprint(number.Checks[0].Want) != "1" {
		return nil, false
	}
	m, fits := r.ofRun(n, r.claim(r.element(at), where))
	which, short := whose(fits)
	if !short {
		return nil, false
	}
	return block{"there is exactly one " + m.single() + which, r.claim(r.element(at), wanted)}, true
}

// ofChosen is what one more word wants of the elements that fit a condition.
func (r *reading) ofChosen(n noun, fits all, c assertions.Check) claim {
	n, fits = r.ofRun(n, fits)
	which, short := whose(fits)
	if !short {
		which = " in question"
	}
	var claims claim
	switch inner, _ := c.Want.(assertions.Value); c.Word.Name {
	case "first", "last":
		if short {
			return oneOfThem("the "+c.Word.Name+" "+n.single()+which, func(of place) all { return r.claim(of, inner) })
		}
		claims = oneOfThem("the "+c.Word.Name+" of them", func(of place) all { return r.claim(of, inner) })
	default:
		list := place{root: "the list of the " + n.several() + which}
		if r.lists == nil {
			r.lists = map[string]noun{}
		}
		r.lists[list.root] = noun{n.one, n.many, n.of + which}
		claims = r.check(list, c)
	}
	if short {
		return claims
	}
	return block{"of the " + n.several(), all{labelled{"in question are those of which this holds", fits.choosing()}, claims}}
}

// count says how many elements there are; "" where the condition is not about a number.
func count(n noun, c assertions.Check) string {
	number := fmt.Sprint(c.Want)
	if strings.Trim(number, "0123456789") != "" {
		number = listed("", c.Want)
	}
	says := map[string]string{"equals": "exactly %s", "at_least": "at least %s", "at_most": "at most %s", "more_than": "more than %s", "less_than": "fewer than %s"}[c.Word.Name]
	switch {
	case says == "":
		return ""
	case c.Word.Name == "equals" && number == "0":
		return "there is no " + n.single()
	case number == "1":
		return "there is " + strings.Replace(fmt.Sprintf(says, "one"), "more than one", "more than one", 1) + " " + n.single()
	}
	return "there are " + fmt.Sprintf(says, number) + " " + n.several()
}

// behind tells the words about what comes after what.
func (r *reading) behind(at place, word string, args assertions.NamedArgs) claim {
	n := r.nounOf(at)
	var below all
	clause := func(arg, label string) string {
		v, is := args[arg].(assertions.Value)
		if !is {
			return ""
		}
		claims := r.claim(it, v)
		which, short := whose(claims)
		if short {
			return which
		}
		below = append(below, labelled{label + " is one of which this holds", claims.choosing()})
		return " " + label
	}
	after := clause("after", "(A)")
	// last is a clause at the end of the sentence: what it means can stand below without a name.
	last := func(arg string) string {
		v, _ := args[arg].(assertions.Value)
		claims := r.claim(it, v)
		which, short := whose(claims)
		if short {
			return which
		}
		below = append(all{claims.choosing()}, below...)
		if len(claims.flat()) > 1 {
			return " of which all of this holds"
		}
		return " of which this holds"
	}
	head := "there is " + n.a() + after
	switch word {
	case "only_after":
		head += ", and before the first such one there is no " + n.one + last("elements")
	case "none_after":
		head += ", and after the first such one there is no " + n.one + last("elements")
	default:
		next := "the next one"
		if _, is := args["among"]; is {
			next = "the next " + n.one + clause("among", "(B)")
		}
		head += ", and " + next + " after each such one is " + strings.TrimSuffix(n.a(), n.of) + last("by")
	}
	if len(below) == 0 {
		return told{sentence: sentence{text: head}}
	}
	return block{head, below}
}
