// SPDX-License-Identifier: Apache-2.0

package assertions

var onlyAfterWord = Word{
	Name: "only_after",
	Means: "is a list in which an element fits after, and every element that fits elements comes after the first of those; there " +
		"may be none of them",
	Takes: Named,
	Args: []Arg{
		{Name: "elements", Takes: Nested, Required: true},
		{Name: "after", Takes: Nested, Required: true},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		return split(got, args, func(list []any, at int) error {
			return noneOf(list, 0, at, args["elements"].(Value), "it only after "+theFirst(at, args))
		})
	},
}

var noneAfterWord = Word{
	Name:  "none_after",
	Means: "is a list in which an element fits after, and after the first of those no element fits elements",
	Takes: Named,
	Args: []Arg{
		{Name: "elements", Takes: Nested, Required: true},
		{Name: "after", Takes: Nested, Required: true},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		return split(got, args, func(list []any, at int) error {
			return noneOf(list, at+1, len(list), args["elements"].(Value), "no such element after "+theFirst(at, args))
		})
	},
}

var followedByWord = Word{
	Name: "followed_by",
	Means: "is a list in which an element fits after, and for every such element the next one after it that fits among (all do, " +
		"when it is left out) fits by",
	Takes: Named,
	Args: []Arg{
		{Name: "after", Takes: Nested, Required: true},
		{Name: "by", Takes: Nested, Required: true},
		{Name: "among", Takes: Nested},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		among, _ := args["among"].(Value)
		return split(got, args, func(list []any, first int) error {
			for at := first; at < len(list); at++ {
				starts, err := fit(args["after"].(Value), list[at])
				if err != nil {
					return err
				}
				if !starts {
					continue
				}
				if err := followed(list, at, args["by"].(Value), among); err != nil {
					return err
				}
			}
			return nil
		})
	},
}

func followed(list []any, at int, by, among Value) error {
	for next := at + 1; next < len(list); next++ {
		counts, err := fit(among, list[next])
		if err != nil {
			return err
		}
		if !counts {
			continue
		}
		if err := by.Judge(list[next]); err != nil {
			return behind(elementPath(next), at, err)
		}
		return nil
	}
	return &Problem{Path: elementPath(at), Seen: "is followed by nothing", Wanted: "an element " + such(by)}
}

// behind is a problem of an element, which says behind which other one it stands.
func behind(path string, at int, err error) error {
	p, is := err.(*Problem)
	if !is {
		return err
	}
	moved := *p
	moved.Path = path + p.Path
	if place := "right after " + elementPath(at); p.Wanted != "" {
		moved.Wanted += " " + place
	} else {
		moved.Seen += " (" + place + ")" // which says by itself what was wanted
	}
	return &moved
}

// split finds the first element that fits args["after"].
func split(got any, args NamedArgs, judge func(list []any, at int) error) error {
	list, err := elements(got)
	if err != nil {
		return err
	}
	for i := range list {
		fits, err := fit(args["after"].(Value), list[i])
		if err != nil {
			return err
		}
		if fits {
			return judge(list, i)
		}
	}
	return &Problem{Seen: "has no element " + such(args["after"].(Value)) + " among " + count(len(list), "element")}
}

func theFirst(at int, args NamedArgs) string {
	return elementPath(at) + ", the first element " + such(args["after"].(Value))
}

// noneOf says no to the first element of a part of the list that fits.
func noneOf(list []any, from, to int, unwantedOnes Value, wanted string) error {
	for i := from; i < to; i++ {
		fits, err := fit(unwantedOnes, list[i])
		if err != nil {
			return err
		}
		if fits {
			p := unwanted(i, list[i], unwantedOnes).(*Problem)
			return &Problem{Path: p.Path, Seen: p.Seen, Wanted: wanted}
		}
	}
	return nil
}
