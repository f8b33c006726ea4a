// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"fmt"
	"strings"
)

var expositionWord = Word{
	Name:   "exposition",
	Means:  "is a metrics text (exposition format 0.0.4) that keeps to the grammar in every line and ends with a line feed",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		lines, err := readMetrics(got)
		if err != nil {
			return err
		}
		for _, l := range lines {
			if l.kind == 's' {
				return nil
			}
		}
		return &Problem{Seen: "has no samples"}
	},
}

var expositionFamiliesWord = Word{
	Name:   "exposition_families",
	Means:  "is a metrics text with at most one HELP and one TYPE for a metric, both before the metric's first sample",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		lines, err := readableMetrics(got)
		if err != nil {
			return err
		}
		types := metricTypesOf(lines)
		first := map[string]int{} // kind and name of a family to the line it was first seen in
		for _, l := range lines {
			family := familyOf(l, types)
			if l.kind != 's' {
				if before, twice := first[string(l.kind)+family]; twice {
					return &Problem{Seen: fmt.Sprintf("has %s for %s in lines %d and %d", commentName(l), family, before, l.number), Wanted: "one"}
				}
				if sample, had := first["s"+family]; had {
					return &Problem{Seen: fmt.Sprintf("has %s for %s in line %d, after its sample in line %d", commentName(l), family, l.number, sample), Wanted: "it before"}
				}
			}
			if _, had := first[string(l.kind)+family]; !had {
				first[string(l.kind)+family] = l.number
			}
		}
		return nil
	},
}

func commentName(l metricLine) string {
	if l.kind == 'H' {
		return "HELP"
	}
	return "TYPE"
}

func metricTypesOf(lines []metricLine) map[string]string {
	types := map[string]string{}
	for _, l := range lines {
		if l.kind == 'T' {
			types[l.name] = l.text
		}
	}
	return types
}

// familyOf is the metric a line belongs to: the samples of a histogram or summary have names of their own.
func familyOf(l metricLine, types map[string]string) string {
	if l.kind != 's' || types[l.name] != "" {
		return l.name
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		base, is := strings.CutSuffix(l.name, suffix)
		if is && (types[base] == "histogram" || types[base] == "summary" && suffix != "_bucket") {
			return base
		}
	}
	return l.name
}

var expositionUniqueWord = Word{
	Name:   "exposition_unique",
	Means:  "is a metrics text in which no series, a name with its labels, occurs twice",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		lines, err := readableMetrics(got)
		if err != nil {
			return err
		}
		first := map[string]int{}
		for _, l := range lines {
			if l.kind != 's' {
				continue
			}
			if before, twice := first[l.series()]; twice {
				return &Problem{Seen: fmt.Sprintf("has the series %s in lines %d and %d", quote(l.series(), "bytes"), before, l.number), Wanted: "it once"}
			}
			first[l.series()] = l.number
		}
		return nil
	},
}

var expositionGroupedWord = Word{
	Name:   "exposition_grouped",
	Means:  "is a metrics text in which all lines of a metric are adjacent",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		lines, err := readableMetrics(got)
		if err != nil {
			return err
		}
		types := metricTypesOf(lines)
		last, current := map[string]int{}, ""
		for _, l := range lines {
			family := familyOf(l, types)
			if before, had := last[family]; had && family != current {
				return &Problem{Seen: fmt.Sprintf("has %s in line %d again, after line %d and others", family, l.number, before), Wanted: "its lines together"}
			}
			last[family], current = l.number, family
		}
		return nil
	},
}

var labelsWord = Word{
	Name:  "labels",
	Means: "is a metrics text, and the list of all values of this label, in samples of any metric or of this one, fits",
	Takes: Named,
	Args: []Arg{
		{Name: "of", Takes: Literal, Required: true, Schema: `{"type": "string"}`},
		{Name: "are", Takes: Nested, Required: true},
		{Name: "in", Takes: Literal, Schema: `{"type": "string"}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		name, err := textArgument("labels", args["of"])
		if err != nil {
			return err
		}
		lines, err := readableMetrics(got)
		if err != nil {
			return err
		}
		metric := ""
		if given, is := args["in"]; is {
			if metric, err = textArgument("labels", given); err != nil {
				return err
			}
		}
		values, of := []any{}, []string{}
		for _, l := range lines {
			if value, has := l.labels[name]; has && (metric == "" || metric == l.name) {
				values, of = append(values, value), append(of, l.name)
			}
		}
		err = args["are"].(Value).Judge(values)
		if p, is := err.(*Problem); is {
			said := p.Error()
			for i := range of {
				if rest, is := strings.CutPrefix(said, elementPath(i)); is {
					said = "that of " + of[i] + rest
					break
				}
			}
			return &Problem{Seen: "has values of label " + name + " that do not fit: " + said}
		}
		return err
	},
}
