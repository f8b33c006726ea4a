// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// violation makes one sentence of what a validator found: the first place that is wrong, in a fixed order, since the
// validator's own order changes from run to run.
func violation(invalid *jsonschema.ValidationError, got any, wanted string) error {
	problems := leaves(invalid, got)
	slices.SortFunc(problems, func(a, b *Problem) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Seen, b.Seen), strings.Compare(a.Wanted, b.Wanted))
	})
	first := *problems[0]
	if more := len(problems) - 1; more > 0 {
		wanted += fmt.Sprintf("; %d more", more)
	}
	if first.Wanted == "" {
		first.Wanted = wanted
	} else {
		first.Wanted += " (" + wanted + ")"
	}
	return &first
}

func leaves(e *jsonschema.ValidationError, got any) []*Problem {
	place, at := located(got, e.InstanceLocation)
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		if len(e.Causes) > 0 {
			return []*Problem{{Path: place, Seen: alternatives(e, got, place)}}
		}
	}
	if len(e.Causes) == 0 {
		return leaf(e.ErrorKind, place, at)
	}
	var problems []*Problem
	for _, cause := range e.Causes {
		problems = append(problems, leaves(cause, got)...)
	}
	return problems
}

// alternatives says in short why each branch of an anyOf or oneOf does not fit.
func alternatives(e *jsonschema.ValidationError, got any, place string) string {
	var why []string
	for _, cause := range e.Causes {
		problems := leaves(cause, got)
		slices.SortFunc(problems, func(a, b *Problem) int { return strings.Compare(a.Error(), b.Error()) })
		first := *problems[0]
		first.Path = strings.TrimPrefix(first.Path, place)
		if text := shortly(&first); !slices.Contains(why, text) {
			why = append(why, text)
		}
	}
	slices.Sort(why)
	return "fits none of the alternatives: " + strings.Join(why, "; or ")
}

var english = message.NewPrinter(language.English)

// leaf turns one finding of the validator into sentences like those of the other words.
func leaf(found jsonschema.ErrorKind, place string, got any) []*Problem {
	is := func(wanted string) []*Problem {
		return []*Problem{{Path: place, Seen: "is " + show(got), Wanted: wanted}}
	}
	switch k := found.(type) {
	case *kind.Required:
		return each(k.Missing, func(name string) *Problem { return &Problem{Path: place + memberPath(name), Seen: "is missing"} })
	case *kind.AdditionalProperties:
		return each(k.Properties, func(name string) *Problem {
			_, value := located(got, []string{name})
			return &Problem{Path: place + memberPath(name), Seen: "is " + show(value), Wanted: "no such member"}
		})
	case *kind.Type:
		articles := make([]string, len(k.Want))
		for i, name := range k.Want {
			articles[i] = types[name].article
		}
		return []*Problem{{Path: place, Seen: "is " + whatItIs(got), Wanted: strings.Join(articles, " or ")}}
	case *kind.Enum:
		return is(listed(k.Want, "or"))
	case *kind.Const:
		return is(show(k.Want))
	case *kind.Pattern:
		return is("a match of " + show(k.Want))
	case *kind.Format:
		if form, ours := formats[k.Want]; ours {
			return is(form.article + " (" + k.Err.Error() + ")")
		}
	case *kind.MinLength:
		return is("at least " + count(k.Want, "character"))
	case *kind.MaxLength:
		return is("at most " + count(k.Want, "character"))
	case *kind.MinItems:
		return is("at least " + count(k.Want, "element"))
	case *kind.MaxItems:
		return is("at most " + count(k.Want, "element"))
	case *kind.Minimum:
		return is("at least " + k.Want.RatString())
	case *kind.Maximum:
		return is("at most " + k.Want.RatString())
	case *kind.UniqueItems:
		return []*Problem{{Path: place, Seen: fmt.Sprintf("has the same element at [%d] and [%d]", k.Duplicates[0], k.Duplicates[1])}}
	case *kind.FalseSchema:
		return is("nothing there")
	}
	return is(found.LocalizedString(english))
}

func each(names []string, problem func(string) *Problem) []*Problem {
	problems := make([]*Problem, len(names))
	for i, name := range names {
		problems[i] = problem(name)
	}
	return problems
}

// located follows a validator's location into the value.
func located(v any, location []string) (path string, at any) {
	at = v
	for _, step := range location {
		switch holder := at.(type) {
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(holder) {
				return path, Missing
			}
			path += elementPath(i)
			at = holder[i]
		case map[string]any:
			path += memberPath(step)
			at = holder[step]
		}
	}
	return path, at
}
