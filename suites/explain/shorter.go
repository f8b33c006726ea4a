// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"strings"
)

// flat is the claims of a conjunction, and of those inside of it, with what is said of one place side by side put into one fact.
func (c all) flat() []claim {
	var flat []claim
	for _, one := range c {
		switch one := one.(type) {
		case all:
			flat = append(flat, one.flat()...)
		case some:
			if folded := one.folded(); folded != nil {
				flat = append(flat, folded)
				continue
			}
			flat = append(flat, one)
		default:
			flat = append(flat, one)
		}
	}
	var joined []claim
	for _, one := range withoutSaidAnyway(knownThere(flat)) {
		if len(joined) > 0 {
			if both, is := together(joined[len(joined)-1], one); is {
				joined[len(joined)-1] = both
				continue
			}
		}
		joined = append(joined, one)
	}
	return joined
}

// knownThere leaves out that something may be missing which is there.
func knownThere(flat []claim) []claim {
	var known []place
	for _, c := range flat {
		if f, is := c.(fact); is && len(f.is) == 1 && f.is[0] == there {
			known = append(known, f.at)
		}
	}
	if len(known) == 0 {
		return flat
	}
	strip := func(c claim) claim {
		if f, is := c.(fact); is && len(f.is) > 1 && slices.Contains(known, f.at) {
			return isThere(f)
		}
		return c
	}
	for i, c := range flat {
		if s, is := c.(some); is {
			alternatives := slices.Clone(s.flat())
			for j := range alternatives {
				alternatives[j] = strip(alternatives[j])
			}
			flat[i] = some(alternatives)
			continue
		}
		flat[i] = strip(c)
	}
	return flat
}

// withoutSaidAnyway leaves out that something is there of which more is said.
func withoutSaidAnyway(flat []claim) []claim {
	says := func(c claim, of fact) bool {
		f, is := c.(fact)
		return is && f.at.root == of.at.root && strings.HasPrefix(f.at.path+".", of.at.path+".") && !slices.Contains(f.is, missing) &&
			(f.at != of.at || f.is[0] != there)
	}
	return slices.DeleteFunc(flat, func(c claim) bool {
		f, is := c.(fact)
		if is && slices.Contains(f.is, missing) && slices.Contains(f.is, there) {
			return true // either way
		}
		return is && len(f.is) == 1 && f.is[0] == there && f.at.path != "" && slices.ContainsFunc(flat, func(c claim) bool { return says(c, f) })
	})
}

// longestFact is how long what is said of one place in one sentence may be.
const longestFact = 90

// together is two facts about one place as one: "is a string and not empty".
func together(a, b claim) (claim, bool) {
	first, is := a.(fact)
	second, too := b.(fact)
	if !is || !too || first.at != second.at || len(first.is) > 1 || len(second.is) > 1 {
		return nil, false
	}
	one, other := first.is[0].yes, second.is[0].yes
	if isType(other) {
		one, other, first, second = other, one, second, first
	}
	switch {
	case one == "is a string" && other == "is not an empty text":
		other = "is not empty"
	case isType(one) && one != "is null" && other == "is not null":
		return first, true
	}
	switch {
	case one == other:
		return first, true
	case one == missing.yes || other == missing.yes:
		return nil, false
	case one == there.yes:
		return second, true
	case other == there.yes:
		return first, true
	case len(one)+len(other) > longestFact || strings.Contains(one+other, " or "):
		return nil, false
	}
	if strings.HasPrefix(lastPart(one), "is ") {
		other = strings.TrimPrefix(other, "is ")
	}
	and := " and "
	switch {
	case first.several():
		if before, last, is := strings.Cut(one, " and "); is {
			one = before + ", " + last
		}
	case strings.Contains(one+other, " and "):
		and = ", and "
	}
	yes := one + and + other
	parts := slices.Concat(partsOf(first.is[0]), partsOf(second.is[0]))
	return fact{first.at, []saying{{yes: yes, parts: &parts}}}, true
}

// partsOf is what a saying consists of.
func partsOf(s saying) []saying {
	if s.parts != nil {
		return *s.parts
	}
	return []saying{s}
}

// isType says whether it is said of which type something is.
func isType(says string) bool {
	return slices.Contains([]string{"is a string", "is an object", "is an array", "is an integer", "is a number", "is a boolean"}, says)
}

// lastPart is what was said last, with its verb.
func lastPart(text string) string {
	for _, verb := range []string{" and begins ", " and ends ", " and contains ", " and has ", " and holds ", " and matches ", " and does "} {
		if strings.Contains(text, verb) {
			return ""
		}
	}
	return text
}

// flat is the alternatives, and those inside of them, with what may be said of one place put into one fact.
func (c some) flat() []claim {
	var flat []claim
	for _, one := range c {
		if inner, is := one.(all); is {
			if parts := inner.flat(); len(parts) == 1 {
				one = parts[0]
			} else {
				one = all(parts)
			}
		}
		if inner, is := one.(some); is {
			flat = append(flat, inner.flat()...)
			continue
		}
		flat = append(flat, one)
	}
	var joined []claim
	for _, one := range withoutAbove(withoutThere(flat)) {
		f, is := one.(fact)
		at := slices.IndexFunc(joined, func(c claim) bool { other, too := c.(fact); return is && too && other.at == f.at })
		if at < 0 {
			joined = append(joined, one)
			continue
		}
		other := joined[at].(fact)
		for _, s := range f.is {
			if !slices.ContainsFunc(other.is, func(o saying) bool { return o.yes == s.yes }) {
				other.is = append(slices.Clip(other.is), s)
			}
		}
		joined[at] = other
	}
	return joined
}

// withoutThere leaves out of alternatives that something is there where it may be missing anyway.
func withoutThere(flat []claim) []claim {
	var gone []place
	for _, one := range flat {
		if f, is := one.(fact); is && slices.Contains(f.is, missing) {
			gone = append(gone, f.at)
		}
	}
	for i, one := range flat {
		if inner, is := one.(all); is {
			kept := slices.DeleteFunc(slices.Clone(inner), func(c claim) bool {
				f, is := c.(fact)
				return is && len(f.is) == 1 && f.is[0] == there && slices.Contains(gone, f.at)
			})
			switch len(kept) {
			case 0:
			case 1:
				flat[i] = kept[0]
			default:
				flat[i] = kept
			}
		}
	}
	return flat
}

// withoutAbove leaves out that something may be missing in which something may be missing as well: it says the same.
func withoutAbove(flat []claim) []claim {
	return slices.DeleteFunc(flat, func(c claim) bool {
		above, is := c.(fact)
		return is && len(above.is) == 1 && above.is[0] == missing && slices.ContainsFunc(flat, func(c claim) bool {
			f, is := c.(fact)
			return is && f.at.root == above.at.root && strings.HasPrefix(f.at.path, above.at.path+".") && slices.Contains(f.is, missing)
		})
	})
}

// folded is the alternatives as one claim, where they are one; nil otherwise.
func (c some) folded() claim {
	if flat := c.flat(); len(flat) == 1 {
		return flat[0]
	}
	return nil
}
