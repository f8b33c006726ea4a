// SPDX-License-Identifier: Apache-2.0

package traits

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	maxNamed   = 3  // traits that are named beside each other
	maxEither  = 3  // values of one kind of which the offenders have one each
	leastBoth  = 3  // offenders without which two traits together say nothing: any few things have two in common
	fewOfMany  = 5  // of so many offenders one of the others may have the trait as well,
	rareAmong  = 20 // and one in so many of the others
	seldom     = 6  // or, of what was asked, one in so many, and so many for each offender
	often      = 4
	leastOther = 3 // things that are as wanted, without which it is not said that all of them have a trait
)

// A Tally counts things that are as wanted and things that are not, by their traits. The zero Tally has seen nothing.
type Tally struct {
	of      map[*Set]*count
	about   string // the one thing that all offenders are about, by its id
	mixed   bool   // they are about several, or it is not known about which
	unknown bool   // of some the traits are not known: nothing can be said of all
}

type count struct{ offends, fits int }

// Add counts one thing. about is the id of what it is about; empty: it is not known.
func (t *Tally) Add(set *Set, offends bool, about string) {
	if offends {
		t.mixed = t.mixed || about == "" || t.about != "" && t.about != about
		t.about = about
	}
	if set == nil {
		t.unknown = true
		return
	}
	c := t.of[set]
	if c == nil {
		if t.of == nil {
			t.of = map[*Set]*count{}
		}
		c = &count{}
		t.of[set] = c
	}
	if offends {
		c.offends++
	} else {
		c.fits++
	}
}

// Common says what all offenders have in common and none of the others has, or hardly any: "status 404 (all 12, and none of the other 305)".
// It is empty where nothing simple tells them apart. What the finding says already is left out.
func (t *Tally) Common(finding string) string {
	if t.unknown {
		return ""
	}
	c := newComparison(t.of, finding)
	if c.offenders == 0 || c.others == 0 {
		return ""
	}
	none := fmt.Sprintf("all %d, and none of the other %d", c.offenders, c.others)
	switch {
	case c.offenders == 1 && c.others == 1:
		none = "and not the other one"
	case c.offenders == 1:
		none = fmt.Sprintf("and none of the other %d", c.others)
	case c.others == 1:
		none = fmt.Sprintf("all %d, and not the other one", c.offenders)
	}
	if alone := c.alone(); len(alone) > 0 {
		return fmt.Sprintf("%s (%s)", strings.Join(said(alone), ", "), none)
	}
	if c.offenders < 2 {
		return ""
	}
	if either := c.either(); len(either) > 0 {
		return fmt.Sprintf("%s (%s)", strings.Join(said(either), " or "), none)
	}
	if both := c.both(); len(both) > 0 {
		return fmt.Sprintf("%s (%s)", strings.Join(said(both), " and "), none)
	}
	if but, is := c.allBut(finding); is {
		return fmt.Sprintf("not %s (as all the other %d are)", but, c.others)
	}
	if !t.mixed {
		return fmt.Sprintf("%s (all %d are about it)", t.about, c.offenders)
	}
	if most, n := c.mostly(); n > 0 {
		return fmt.Sprintf("%s (all %d, and %d of the other %d)", most, c.offenders, n, c.others)
	}
	return ""
}

// A comparison is how many of the offenders, and of the others, have each trait.
type comparison struct {
	sets              map[*Set]*count
	offenders, others int
	of                map[Trait]*count
	traits            []Trait // in order
}

func newComparison(sets map[*Set]*count, finding string) *comparison {
	c := &comparison{sets: sets, of: map[Trait]*count{}}
	for set, n := range sets {
		c.offenders += n.offends
		c.others += n.fits
		for _, trait := range set.traits {
			if c.of[trait] == nil {
				c.of[trait] = &count{}
			}
			c.of[trait].offends += n.offends
			c.of[trait].fits += n.fits
		}
	}
	maps.DeleteFunc(c.of, func(trait Trait, _ *count) bool { return isSaid(trait, finding) })
	c.traits = slices.SortedFunc(maps.Keys(c.of), compare)
	return c
}

// words are what a finding calls the traits of a kind that it may be about.
var words = map[Kind]string{Frame: "frame", State: "state", Code: "code", Status: "status", Success: "status", Media: "type"}

// isSaid says whether a finding says itself what it would be told apart by: that a status is 500, of answers with status 500.
func isSaid(trait Trait, finding string) bool {
	return isAbout(trait.Kind, finding) && (trait.Kind == Success || strings.Contains(finding, trait.Value))
}

func isAbout(kind Kind, finding string) bool {
	word, may := words[kind]
	return may && strings.Contains(strings.ToLower(finding), word)
}

// alone are the traits each of which tells the offenders from all others: one of each topic, of the first topics.
func (c *comparison) alone() []Trait {
	var found []Trait
	for _, trait := range c.traits {
		if c.offenders == 1 && topics[trait.Kind] == ofAsked { // which stands in front of what was seen
			continue
		}
		if n := c.of[trait]; n.offends == c.offenders && n.fits == 0 && len(found) < maxNamed && !slices.ContainsFunc(found, ofTopic(trait)) {
			found = append(found, trait)
		}
	}
	return found
}

func ofTopic(trait Trait) func(Trait) bool {
	return func(other Trait) bool { return topics[other.Kind] == topics[trait.Kind] }
}

// single are the kinds of which a thing has one trait at most.
var single = []Kind{Route, Operation, Frame, Credentials, State, From, Code, Status, Media}

// either are a few traits of one kind, one of which each offender has and none of the others has.
func (c *comparison) either() []Trait {
	for _, kind := range single {
		var found []Trait
		have := 0
		for _, trait := range c.traits {
			if n := c.of[trait]; trait.Kind == kind && n.offends > 0 && n.fits == 0 {
				found, have = append(found, trait), have+n.offends
			}
		}
		if have == c.offenders && len(found) <= maxEither && c.offenders > len(found) {
			return found
		}
	}
	return nil
}

// both are the first two traits of different topics, or two parameters, that all offenders have and none of the others has together.
func (c *comparison) both() []Trait {
	if c.offenders < leastBoth {
		return nil
	}
	var shared []Trait
	for _, trait := range c.traits {
		if c.of[trait].offends == c.offenders {
			shared = append(shared, trait)
		}
	}
	for i, one := range shared {
		for _, other := range shared[i+1:] {
			if (topics[one.Kind] != topics[other.Kind] || one.Kind == Query) && !c.together(one, other) {
				return []Trait{one, other}
			}
		}
	}
	return nil
}

// together says whether one of the others has both traits.
func (c *comparison) together(one, other Trait) bool {
	for set, n := range c.sets {
		if n.fits > 0 && slices.Contains(set.traits, one) && slices.Contains(set.traits, other) {
			return true
		}
	}
	return false
}

// allBut is the trait that all of the others have, and no offender.
func (c *comparison) allBut(finding string) (Trait, bool) {
	if c.others < leastOther {
		return Trait{}, false
	}
	for _, trait := range c.traits {
		if n := c.of[trait]; n.offends == 0 && n.fits == c.others && !isAbout(trait.Kind, finding) {
			return trait, true
		}
	}
	return Trait{}, false
}

// mostly is the trait that all offenders have and hardly any of the others, and how many of these.
func (c *comparison) mostly() (Trait, int) {
	var found []Trait
	for _, trait := range c.traits {
		n := c.of[trait]
		few := n.fits*fewOfMany <= c.offenders && n.fits*rareAmong <= c.others
		if topics[trait.Kind] != ofAnswer { // what was asked explains more than what was answered
			few = n.fits <= often*c.offenders && n.fits*seldom <= c.others
		}
		if n.offends == c.offenders && few {
			found = append(found, trait)
		}
	}
	if len(found) == 0 {
		return Trait{}, 0
	}
	best := slices.MinFunc(found, func(a, b Trait) int { return cmp.Compare(c.of[a].fits, c.of[b].fits) })
	return best, c.of[best].fits
}

func said(traits []Trait) []string {
	all := make([]string, len(traits))
	for i, trait := range traits {
		all[i] = trait.String()
	}
	return all
}
