// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// TestNothingFalseIsSaid: whatever is made shorter, claims hold of what their condition accepts, and of nothing else.
func TestNothingFalseIsSaid(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 800 {
		condition := "{exchange: " + someCondition(random, 3, true) + "}"
		wanted := conditionOf(t, condition)
		claims := (&reading{}).claim(placeOf(wanted[0].Subject), wanted[0].Want)
		for range 12 {
			exchange := map[string]any{"status": json.Number("200"), "json": someValue(random, 2)}
			accepted := wanted[0].Want.Judge(exchange) == nil
			if said := holds(t, claims, exchange); said != accepted {
				text, _ := json.Marshal(exchange)
				var b strings.Builder
				(&page{w: &b}).sentences(0, claims.tell())
				t.Fatalf("%s\naccepts %s: %v; what is said holds of it: %v:\n%s", condition, text, accepted, said, b.String())
			}
		}
	}
}

// TestNoElementIsEveryOther: that no element fits is what is required of those that fit the rest of the condition.
func TestNoElementIsEveryOther(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	told := 0
	for range 900 {
		var members []string
		for _, name := range []string{".a", ".b", ".a.b"} {
			members = append(members, name+": "+someCondition(random, random.IntN(3), false))
		}
		condition := "{" + strings.Join(members[random.IntN(2):], ", ") + "}"
		fits := conditionOf(t, "{json: "+condition+"}")[0].Want
		r := &reading{}
		where, wanted := r.required(place{path: "list"}, r.claim(it, fits).flat())
		if wanted == nil {
			continue
		}
		told++
		for range 12 {
			element := map[string]any{"a": someValue(random, 1), "b": someValue(random, 1)}
			if random.IntN(3) == 0 {
				delete(element, "a")
			}
			if random.IntN(3) == 0 {
				delete(element, "b")
			}
			may := fits.Judge(element) != nil
			if said := !holds(t, where, element) || holds(t, wanted, element); said != may {
				text, _ := json.Marshal(element)
				t.Fatalf("no element %s: %s may be one: %v; what is said allows it: %v: where %v, %v", condition, text, may, said, where.tell(), wanted.tell())
			}
		}
	}
	if told < 200 {
		t.Errorf("of %d conditions something is required, want some hundreds", told)
	}
}

// someCondition is a condition of an exchange, or of something in it.
func someCondition(random *rand.Rand, depth int, whole bool) string {
	plain := []string{`{absent: true}`, `1`, `"x"`, `{one_of: [1, "x"]}`, `{is_a: object}`, `{is_a: string}`, `{equals: null}`}
	inside := func() string {
		var members []string
		for _, name := range [][]string{{".json.a", ".json.b", ".json.a.b", ".status"}, {".a", ".b", ".a.b"}}[map[bool]int{true: 0, false: 1}[whole]] {
			switch random.IntN(5) {
			case 0:
				members = append(members, name+": {present: true}")
			case 1, 2:
				members = append(members, name+": "+someCondition(random, depth-1, false))
			}
		}
		if len(members) == 0 {
			return "{" + map[bool]string{true: ".json.a", false: ".a"}[whole] + ": 1}"
		}
		return "{" + strings.Join(members, ", ") + "}"
	}
	if depth <= 0 && !whole {
		return plain[random.IntN(len(plain))]
	}
	if depth <= 0 {
		return inside()
	}
	switch random.IntN(5) {
	case 0:
		return "{not: " + someCondition(random, depth-1, whole) + "}"
	case 1:
		return "{any_of: [" + someCondition(random, depth-1, whole) + ", " + someCondition(random, depth-1, whole) + "]}"
	case 2:
		return "{all_of: [" + someCondition(random, depth-1, whole) + ", " + someCondition(random, depth-1, whole) + "]}"
	case 3:
		return inside()
	}
	return someCondition(random, 0, whole)
}

// someValue is a value that conditions may be about.
func someValue(random *rand.Rand, depth int) any {
	if depth > 0 && random.IntN(4) > 0 {
		object := map[string]any{}
		for _, name := range []string{"a", "b"} {
			if random.IntN(3) > 0 {
				object[name] = someValue(random, depth-1)
			}
		}
		return object
	}
	return []any{json.Number("1"), json.Number("2"), "x", "y", nil, map[string]any{}}[random.IntN(6)]
}

// holds says whether what is said holds of an exchange, reading each sentence as it stands.
func holds(t *testing.T, c claim, exchange any) bool {
	t.Helper()
	switch c := c.(type) {
	case all:
		for _, one := range c.flat() {
			if !holds(t, one, exchange) {
				return false
			}
		}
		return true
	case some:
		flat := c.flat()
		if when, rest := condition(flat); len(when) > 0 && len(rest) <= maxRest {
			return !holds(t, when, exchange) || holds(t, rest, exchange)
		}
		for _, one := range flat {
			if holds(t, one, exchange) {
				return true
			}
		}
		return false
	case denial:
		return !holds(t, c.of, exchange)
	case fact:
		v := exchange
		if c.at.path != "" {
			v = assertions.MustPath(c.at.path).Find(exchange)
		}
		for _, s := range c.is {
			if so(t, s.yes, v) {
				return true
			}
		}
		return false
	}
	t.Fatalf("%T is no claim that can be read", c)
	return false
}

// so says whether something is so.
func so(t *testing.T, says string, v any) bool {
	t.Helper()
	if both := strings.Split(says, " and "); len(both) > 1 && !strings.HasPrefix(says, "is none of ") && !strings.Contains(says, ", and ") {
		parts := append(strings.Split(both[0], ", "), both[1:]...)
		for i, part := range parts {
			if i > 0 && !strings.HasPrefix(part, "is ") {
				part = "is " + part
			}
			if !so(t, part, v) {
				return false
			}
		}
		return true
	}
	if one, other, is := strings.Cut(says, ", and "); is {
		return so(t, one, v) && so(t, "is "+strings.TrimPrefix(other, "is "), v)
	}
	if says == "is missing" {
		return assertions.IsMissing(v)
	}
	if assertions.IsMissing(v) {
		return false
	}
	text, _ := json.Marshal(v)
	_, isString := v.(string)
	_, isObject := v.(map[string]any)
	what, not := strings.TrimPrefix(says, "is "), false
	if rest, is := strings.CutPrefix(what, "not "); is {
		what, not = rest, true
	}
	switch {
	case what == "there":
		return !not
	case what == "a string":
		return isString != not
	case what == "an object":
		return isObject != not
	case strings.HasPrefix(what, "neither "):
		one, other, _ := strings.Cut(strings.TrimPrefix(what, "neither "), " nor ")
		return !so(t, "is "+one, v) && !so(t, "is "+other, v)
	case strings.HasPrefix(what, "none of "):
		for _, one := range strings.FieldsFunc(strings.ReplaceAll(strings.TrimPrefix(what, "none of "), " and ", ","), func(r rune) bool { return r == ',' }) {
			if so(t, "is "+strings.TrimSpace(one), v) {
				return false
			}
		}
		return true
	case strings.Trim(what, `0123456789"xnul`) == "":
		return (string(text) == what) != not
	}
	t.Fatalf("nobody can read %q", says)
	return false
}
