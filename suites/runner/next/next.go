// SPDX-License-Identifier: Apache-2.0

// Package next computes what the operator can configure so that more is measured: in which order, how many requirements each step
// adds, and the lines of the configuration file. What a test lacks is found out by the runner; this knows sets of names, and how they
// are written into the file.
package next

import (
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// A Lacking is a test that was skipped for want of what the operator can configure.
type Lacking struct {
	ID   string
	Ways [][]string // the names of all that it lacks, as in [report.Step]; any one of the ways would do
}

// A Plan is what the steps are computed from.
type Plan struct {
	Measured int // requirements that are measured already
	Lacking  []Lacking
	Partly   []Lacking // tests that are measured, with what each of their rows lacks: where it lacks nothing, it was played
	Entries  Entries
}

// Steps are what to configure; nil where nothing would help. A test that lacks two things is counted where the later one of them is
// given. What adds most for each thing to configure comes first. Statements that hold or do not hold of a deployment are told
// apart: nobody can be promised that they are true.
func (p *Plan) Steps() *report.Next {
	out := &report.Next{Steps: []report.Step{}}
	given := map[string]bool{}
	open := slices.Clone(p.Lacking)
	measured := p.Measured
	var names []string
	gains := map[string]int{}
	for {
		best := p.first(p.best(open, given), open, given)
		if best == nil {
			break
		}
		adds := metBy(open, given, best)
		for _, name := range best {
			given[name], gains[name] = true, len(adds)
		}
		names = append(names, best...)
		open = slices.DeleteFunc(open, func(l Lacking) bool { return l.met(given) })
		measured += len(adds)
		out.Steps = append(out.Steps, p.step(best, adds, measured))
	}
	for _, way := range ways(open, given) {
		if adds := metBy(open, given, way); len(adds) > 0 {
			out.IfTrue = append(out.IfTrue, p.step(way, adds, measured+len(adds)))
		}
	}
	slices.SortStableFunc(out.IfTrue, func(a, b report.Step) int { return b.Adds - a.Adds })
	out.Cases = p.cases(given, measured)
	for i := range out.Cases {
		for _, name := range out.Cases[i].Configure {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	out.Lines = p.Entries.lines(names, gains)
	if len(out.Steps)+len(out.IfTrue)+len(out.Cases) == 0 {
		return nil
	}
	return out
}

// cases are what lets more rows be played of tests that are measured without it. Nobody is asked for what is a statement.
func (p *Plan) cases(given map[string]bool, measured int) []report.Step {
	of := slices.DeleteFunc(slices.Concat(p.Lacking, p.Partly), func(l Lacking) bool { return !l.met(given) })
	var steps []report.Step
	for _, way := range ways(of, given) {
		if slices.ContainsFunc(way, p.Entries.isStatement) {
			continue
		}
		var tests []string
		for _, l := range of {
			if slices.ContainsFunc(ways([]Lacking{l}, given), func(other []string) bool { return slices.Equal(other, way) }) {
				tests = append(tests, l.ID)
			}
		}
		steps = append(steps, report.Step{Configure: way, What: p.Entries.what(way), Adds: len(tests), Measured: measured, Tests: tests, Lines: p.Entries.lines(way, nil)})
	}
	slices.SortStableFunc(steps, func(a, b report.Step) int { return b.Adds - a.Adds })
	return steps
}

func (p *Plan) step(names, adds []string, measured int) report.Step {
	gains := map[string]int{}
	for _, name := range names {
		gains[name] = len(adds)
	}
	return report.Step{Configure: names, What: p.Entries.what(names), Adds: len(adds), Measured: measured, Tests: adds, Lines: p.Entries.lines(names, gains)}
}

// first is the part of what is to be configured that adds most tests by itself; all of it where none of it adds any.
func (p *Plan) first(best []string, open []Lacking, given map[string]bool) []string {
	adds := 0
	first := best
	for i := range best {
		if n := len(metBy(open, given, best[i:i+1])); n > adds {
			first, adds = best[i:i+1], n
		}
	}
	return first
}

// best is what adds most tests for each thing to configure; nil: nothing adds any.
func (p *Plan) best(open []Lacking, given map[string]bool) (best []string) {
	adds := 0
	for _, way := range ways(open, given) {
		if slices.ContainsFunc(way, p.Entries.isStatement) {
			continue
		}
		met := len(metBy(open, given, way))
		// Cross-multiplied, so that nothing is rounded; of equals, the one with less to configure, and of these the one that more tests
		// ask for which lack something else as well.
		one, other := met*max(len(best), 1), adds*len(way)
		if one > other || one == other && (len(way) < len(best) || len(way) == len(best) && asking(open, way) > asking(open, best)) {
			best, adds = way, met
		}
	}
	return best
}

// asking is how many tests lack all of these, whatever else they lack.
func asking(open []Lacking, names []string) int {
	n := 0
	for _, l := range open {
		if slices.ContainsFunc(l.Ways, func(way []string) bool {
			return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(way, name) })
		}) {
			n++
		}
	}
	return n
}

// ways are the different sets of what tests still lack, in alphabetical order.
func ways(open []Lacking, given map[string]bool) [][]string {
	var all [][]string
	seen := map[string]bool{}
	for _, l := range open {
		for _, way := range l.Ways {
			left := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(way))), func(name string) bool { return given[name] })
			if key := strings.Join(left, "\n"); len(left) > 0 && !seen[key] {
				seen[key] = true
				all = append(all, left)
			}
		}
	}
	slices.SortFunc(all, slices.Compare)
	return all
}

// metBy are the ids of the tests that lack nothing once more is given.
func metBy(open []Lacking, given map[string]bool, more []string) []string {
	var ids []string
	for _, l := range open {
		if slices.ContainsFunc(l.Ways, func(way []string) bool {
			return !slices.ContainsFunc(way, func(name string) bool { return !given[name] && !slices.Contains(more, name) })
		}) {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

func (l *Lacking) met(given map[string]bool) bool {
	return len(metBy([]Lacking{*l}, given, nil)) > 0
}
