// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

var samplesWord = Word{
	Name:  "samples",
	Means: "is a metrics text with samples of this metric (a name, or name{label=\"value\"} for some of them) whose sum fits",
	Takes: Named,
	Args: []Arg{
		{Name: "of", Takes: Literal, Required: true, Schema: `{"type": "string"}`},
		{Name: "sum", Takes: Nested, Required: true},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		selector, err := selectorArgument("samples", args["of"])
		if err != nil {
			return err
		}
		lines, err := readableMetrics(got)
		if err != nil {
			return err
		}
		sum, n := selector.sum(lines)
		if n == 0 {
			return &Problem{Seen: "has no sample of " + selector.series()}
		}
		err = args["sum"].(Value).Judge(sum)
		if p, is := err.(*Problem); is {
			return &Problem{Seen: "has samples of " + selector.series() + " whose sum " + p.Seen, Wanted: p.Wanted}
		}
		return err
	},
}

var samplesGrewWord = Word{
	Name: "samples_grew",
	Means: "is a metrics text in which the sum of the samples of this metric (a name, or name{label=\"value\"}) has grown since " +
		"this earlier text by an amount that fits (a series that was not there before counts as 0, but it has to be there now)",
	Takes: Named,
	Args: []Arg{
		{Name: "of", Takes: Literal, Required: true, Schema: `{"type": "string"}`},
		{Name: "since", Takes: Literal, Required: true},
		{Name: "by", Takes: Nested, Required: true},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		selector, err := selectorArgument("samples_grew", args["of"])
		if err != nil {
			return err
		}
		earlier, err := readableMetrics(args["since"])
		if err != nil {
			return fmt.Errorf("samples_grew was given an earlier text that %v", err)
		}
		lines, err := readableMetrics(got)
		if err != nil {
			return err
		}
		before, _ := selector.sum(earlier)
		after, n := selector.sum(lines)
		if n == 0 {
			return &Problem{Seen: "has no sample of " + selector.series()}
		}
		growth := toFloat(after) - toFloat(before)
		err = args["by"].(Value).Judge(floatNumber(growth))
		if p, is := err.(*Problem); is {
			where := selector.grownAt(earlier, lines)
			if growth == 0 {
				where = selector.grownBeside(earlier, lines)
			}
			return &Problem{Seen: fmt.Sprintf("has %s grown by %s, from %s to %s%s", selector.series(), strings.TrimPrefix(p.Seen, "is "), before, after, where),
				Wanted: p.Wanted}
		}
		return err
	},
}

// selectorArgument reads name or name{label="value"}.
func selectorArgument(word string, want any) (metricLine, error) {
	text, err := textArgument(word, want)
	if err != nil {
		return metricLine{}, err
	}
	selector, err := readSample(text + " 0")
	if err != nil {
		return selector, fmt.Errorf("%s was given %s: %w", word, show(want), err)
	}
	return selector, nil
}

// grownAt says which of the samples that are added up have grown: a sum alone does not tell what was counted.
func (l metricLine) grownAt(before, after []metricLine) string {
	most, at, grown := growthOf(before, after, func(line metricLine) bool { return l.fits(line) && len(line.labels) != len(l.labels) })
	switch grown {
	case 0:
		return ""
	case 1:
		return " (at " + at.labelsBeside(l) + ")"
	}
	return fmt.Sprintf(" (by %s at %s, and at %d more)", floatNumber(most), at.labelsBeside(l), grown-1)
}

// grownBeside says which of the metric's other samples has grown, if one alone has: what is missing may have been counted there.
func (l metricLine) grownBeside(before, after []metricLine) string {
	most, at, grown := growthOf(before, after, func(line metricLine) bool { return line.kind == 's' && line.name == l.name && !l.fits(line) })
	if grown != 1 {
		return ""
	}
	return fmt.Sprintf(" (meanwhile %s grew by %s)", at.labelsBeside(metricLine{}), floatNumber(most))
}

// growthOf says which of some samples has grown most, by how much, and how many have grown.
func growthOf(before, after []metricLine, some func(metricLine) bool) (most float64, at metricLine, grown int) {
	earlier := map[string]float64{}
	for _, line := range before {
		if line.kind == 's' {
			earlier[line.series()] = line.value
		}
	}
	for _, line := range after {
		if !some(line) {
			continue
		}
		by := line.value - earlier[line.series()]
		if !(by > 0) {
			continue
		}
		if grown++; by > most {
			most, at = by, line
		}
	}
	return most, at, grown
}

// labelsBeside writes the labels that a selector leaves open.
func (l metricLine) labelsBeside(selector metricLine) string {
	var all []string
	for _, name := range sortedKeys(l.labels) {
		if _, is := selector.labels[name]; !is {
			all = append(all, name+"="+strconv.Quote(l.labels[name]))
		}
	}
	return strings.Join(all, ", ")
}

// fits says whether a line is a sample with the selector's name and labels.
func (l metricLine) fits(line metricLine) bool {
	if line.kind != 's' || line.name != l.name {
		return false
	}
	for name, value := range l.labels {
		if line.labels[name] != value {
			return false
		}
	}
	return true
}

// sum adds up the samples that have the selector's name and labels.
func (l metricLine) sum(lines []metricLine) (json.Number, int) {
	total, n := 0.0, 0
	for _, line := range lines {
		if l.fits(line) {
			total += line.value
			n++
		}
	}
	return floatNumber(total), n
}

func floatNumber(f float64) json.Number { return json.Number(strconv.FormatFloat(f, 'f', -1, 64)) }

func toFloat(n json.Number) float64 {
	f, _ := strconv.ParseFloat(n.String(), 64)
	return f
}

var countersSinceWord = Word{
	Name:  "counters_since",
	Means: "is a metrics text whose counters are neither negative nor NaN and none is lower than in this earlier text",
	Takes: Literal,
	Judge: func(got, want any) error {
		earlier, err := readableMetrics(want)
		if err != nil {
			return fmt.Errorf("counters_since was given an earlier text that %v", err)
		}
		lines, err := readableMetrics(got)
		if err != nil {
			return err
		}
		before := map[string]metricLine{}
		for _, l := range earlier {
			if l.kind == 's' {
				before[l.series()] = l
			}
		}
		types, counters := metricTypesOf(lines), 0
		for _, l := range lines {
			if l.kind != 's' || types[l.name] != "counter" {
				continue
			}
			counters++
			if l.value < 0 || math.IsNaN(l.value) {
				return &Problem{Seen: fmt.Sprintf("has counter %s with %s in line %d", l.series(), l.raw, l.number), Wanted: "0 or more"}
			}
			if b, had := before[l.series()]; had && l.value < b.value {
				return &Problem{Seen: fmt.Sprintf("has counter %s with %s in line %d", l.series(), l.raw, l.number), Wanted: "at least " + b.raw + ", as before"}
			}
		}
		if counters == 0 {
			return &Problem{Seen: "has no counters"}
		}
		return nil
	},
}

var histogramsWord = Word{
	Name: "histograms",
	Means: "is a metrics text whose histograms, if any, have for every set of labels numeric le values up to +Inf, bucket counts that " +
		"never fall, a _count that equals the +Inf bucket, and a _sum",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		lines, err := readableMetrics(got)
		if err != nil {
			return err
		}
		types := metricTypesOf(lines)
		for _, name := range sortedKeys(types) {
			if types[name] != "histogram" {
				continue
			}
			if err := checkHistogram(name, lines); err != nil {
				return err
			}
		}
		return nil
	},
}

// A histogram is the samples of one histogram with one set of labels.
type histogram struct {
	buckets    []metricLine
	count, sum *metricLine
}

func checkHistogram(name string, lines []metricLine) error {
	sets := map[string]*histogram{}
	for i := range lines {
		l := lines[i]
		part, is := strings.CutPrefix(l.name, name)
		if l.kind != 's' || !is {
			continue
		}
		plain := metricLine{name: name, labels: map[string]string{}}
		for label, value := range l.labels {
			if label != "le" || part != "_bucket" {
				plain.labels[label] = value
			}
		}
		if part != "_bucket" && part != "_count" && part != "_sum" {
			continue
		}
		set := sets[plain.series()]
		if set == nil {
			set = &histogram{}
			sets[plain.series()] = set
		}
		switch part {
		case "_bucket":
			set.buckets = append(set.buckets, l)
		case "_count":
			set.count = &l
		case "_sum":
			set.sum = &l
		}
	}
	for _, series := range sortedKeys(sets) {
		if why := sets[series].wrong(); why != "" {
			return &Problem{Seen: "has histogram " + series + " " + why}
		}
	}
	return nil
}

func (h *histogram) wrong() string {
	les := make([]float64, len(h.buckets))
	for i, b := range h.buckets {
		le, err := strconv.ParseFloat(b.labels["le"], 64)
		if err != nil || math.IsNaN(le) {
			return fmt.Sprintf("with le %s in line %d, which is no number", quote(b.labels["le"], "bytes"), b.number)
		}
		les[i] = le
	}
	sort.Sort(byLE{h.buckets, les})
	for i := 1; i < len(les); i++ {
		if h.buckets[i].value < h.buckets[i-1].value {
			return fmt.Sprintf("with %s up to le %s, but %s up to le %s", h.buckets[i-1].raw, h.buckets[i-1].labels["le"],
				h.buckets[i].raw, h.buckets[i].labels["le"])
		}
	}
	switch {
	case len(les) == 0 || !math.IsInf(les[len(les)-1], 1):
		return "without a bucket up to +Inf"
	case h.count == nil:
		return "without _count"
	case h.sum == nil:
		return "without _sum"
	case h.count.value != h.buckets[len(les)-1].value:
		return fmt.Sprintf("with _count %s, but %s in the +Inf bucket", h.count.raw, h.buckets[len(les)-1].raw)
	}
	return ""
}

// byLE sorts buckets by their limits, which stand beside them.
type byLE struct {
	buckets []metricLine
	les     []float64
}

func (b byLE) Len() int           { return len(b.les) }
func (b byLE) Less(i, j int) bool { return b.les[i] < b.les[j] }
func (b byLE) Swap(i, j int) {
	b.les[i], b.les[j] = b.les[j], b.les[i]
	b.buckets[i], b.buckets[j] = b.buckets[j], b.buckets[i]
}
