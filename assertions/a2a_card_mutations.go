// SPDX-License-Identifier: Apache-2.0

package assertions

// A mutation is a card that was changed in one place.
type mutation struct {
	card      func() *orderedObject
	what      string // "skills[0].name changed"
	known     bool   // the protocol knows the member
	isDefault bool   // what was left out is a default value, which a form may lack anyway
}

// maxMutations bounds how often a card is changed.
const maxMutations = 2000

// mutations changes every value of a card: a text gets longer, a boolean is turned round, an element or a member is left
// out. What is free-form is changed as well.
func mutations(card *orderedObject) []mutation {
	var all []mutation
	// put makes a card of what a place is to hold.
	var walk func(v any, kind, path string, known bool, put func(any) *orderedObject)
	add := func(m mutation) {
		if len(all) < maxMutations {
			all = append(all, m)
		}
	}
	walk = func(v any, kind, path string, known bool, put func(any) *orderedObject) {
		if len(all) >= maxMutations {
			return
		}
		switch v := v.(type) {
		case string:
			add(mutation{func() *orderedObject { return put(v + "x") }, path + " changed", known, false})
		case bool:
			// A boolean that a form leaves out where it is false is there when it is true.
			add(mutation{func() *orderedObject { return put(!v) }, path + " changed", known, false})
		case []any:
			for i := range v {
				if len(all) >= maxMutations {
					return
				}
				at := path + elementPath(i)
				rest := func() *orderedObject { return put(append(append([]any{}, v[:i]...), v[i+1:]...)) }
				add(mutation{rest, at + " left out", known, isHollow(v[i])})
				walk(v[i], kind, at, known, func(inner any) *orderedObject {
					changed := append([]any{}, v...)
					changed[i] = inner
					return put(changed)
				})
			}
		case *orderedObject:
			for _, name := range v.names {
				if len(all) >= maxMutations {
					return
				}
				at, inner := path+memberPath(name), v.values[name]
				member, defined := cardTypes[kind][name]
				if of, isMap := mapTypes[kind]; isMap {
					member, defined = cardMember{union, of}, true
				}
				if kind == freeForm {
					member, defined = cardMember{implicit, freeForm}, true
				}
				add(mutation{func() *orderedObject { return put(v.without(name)) }, at + " left out", known && defined, isHollow(inner)})
				walk(inner, member.kind, at, known && defined, func(inner any) *orderedObject {
					changed := v.clone()
					changed.values[name] = inner
					return put(changed)
				})
			}
		}
	}
	walk(card, "AgentCard", "", true, func(v any) *orderedObject { return v.(*orderedObject) })
	return all
}

// isHollow says whether a value is a default one, or holds nothing else.
func isHollow(v any) bool {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			if !isHollow(element) {
				return false
			}
		}
		return true
	case *orderedObject:
		for _, name := range v.names {
			if !isHollow(v.values[name]) {
				return false
			}
		}
		return true
	}
	return isDefaultValue(v)
}
