// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"maps"
	"slices"
)

var sameProtoJSONAsWord = Word{
	Name: "same_protojson_as",
	Means: "is the same object of the protocol as this one, written as ProtoJSON: a member that is not there is one with its default, times " +
		"are compared as instants and raw as bytes; the contents of data, metadata and params are compared unchanged",
	Takes: Literal,
	Judge: func(got, want any) error {
		if IsMissing(got) {
			return seen(got, show(want))
		}
		return protoDifference(got, want)
	},
}

// SameProtoJSON says where two values differ as objects of the protocol, as same_protojson_as judges them; nil: they do not.
func SameProtoJSON(got, want any) error { return protoDifference(got, want) }

// protoDifference is the first place at which two messages of the protocol differ.
func protoDifference(got, want any) error {
	switch want := want.(type) {
	case map[string]any:
		if members, is := got.(map[string]any); is {
			return protoMembers(members, want)
		}
	case []any:
		list, is := got.([]any)
		if !is {
			break
		}
		for i := range min(len(list), len(want)) {
			if err := protoDifference(list[i], want[i]); err != nil {
				return below(elementPath(i), err)
			}
		}
		return listDifference(make([]any, len(list)), make([]any, len(want)))
	}
	return difference(got, want)
}

func protoMembers(got, want map[string]any) error {
	names := slices.Collect(maps.Keys(got))
	for name := range want {
		if _, both := got[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		is, there := got[name]
		was, wanted := want[name]
		if isDefault(is) && isDefault(was) && name != "data" {
			continue
		}
		err := difference(is, was)
		switch {
		case !there:
			err = &Problem{Seen: "is missing", Wanted: show(was)}
		case !wanted:
			err = &Problem{Seen: "is " + show(is), Wanted: "no such member"}
		case name == "timestamp" && sameInstant(is, was), name == "raw" && sameBytes(is, was):
			continue
		case name != "data" && name != "metadata" && name != "params":
			err = protoDifference(is, was)
		}
		if err != nil {
			return below(memberPath(name), err)
		}
	}
	return nil
}

func sameInstant(a, b any) bool {
	first, is := parseTime(a)
	second, too := parseTime(b)
	return is && too && first.Equal(second)
}

func sameBytes(a, b any) bool {
	first, is := rawBytes(a)
	second, too := rawBytes(b)
	return is && too && bytes.Equal(first, second)
}
