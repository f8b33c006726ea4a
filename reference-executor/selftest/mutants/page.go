// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Markdown is the report for a reader: the figures by operator and by mode, what stands with a reason, and what does not.
func (r *Report) Markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "## %s\n\n%s.\n\n", r.Profile, r.Sentence())
	fmt.Fprintf(&b, "%d of %d tests were recorded, alone, behind the proxy: %d kinds of exchanges, events, frames and deliveries with %d places that can be changed. The sample has seed %d.\n\n",
		r.Recorded, r.Tests, r.Kinds, r.Sites, r.Seed)
	r.table(&b, "Operator", Operators, func(m Mutant) string { return m.Operator })
	r.table(&b, "At work", Modes, func(m Mutant) string { return m.Mode })
	r.table(&b, "What is changed", parts, func(m Mutant) string { return m.what() })
	r.reasons(&b)
	r.open(&b)
	if len(r.Problems) > 0 {
		fmt.Fprintf(&b, "### Problems\n\n")
		for _, p := range r.Problems {
			fmt.Fprintf(&b, "- %s\n", cell(p, 400))
		}
		fmt.Fprintln(&b)
	}
	return b.Bytes()
}

// VariationsMarkdown says which verdicts the lawful variations changed.
func (r *Report) VariationsMarkdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "### Lawful variations of everything, %s\n\n| Variation | Tests | Verdicts that it changed |\n|---|---|---|\n", r.Profile)
	for _, v := range r.Variations {
		changed := "none"
		if len(v.Changed) > 0 {
			changed = cell(strings.Join(v.Changed, "; "), 400)
		}
		fmt.Fprintf(&b, "| %s | %d | %s |\n", v.Name, v.Tests, changed)
	}
	fmt.Fprintln(&b)
	return b.Bytes()
}

var parts = []string{"status", "header", "body", "value", "metric", "event", "frame", "delivery"}

// what is the part of the traffic that a mutant changes, in one word.
func (m Mutant) what() string {
	switch {
	case strings.HasPrefix(m.Kind, deliveryKind):
		return "delivery"
	case strings.HasPrefix(m.Kind, "WS "):
		return "frame"
	case strings.Contains(m.Kind, " event "), m.Part == "stream":
		return "event"
	case strings.HasPrefix(m.Part, "json"):
		return "value"
	}
	part, _, _ := strings.Cut(m.Part, " ")
	return part
}

func (r *Report) table(b *bytes.Buffer, title string, rows []string, of func(Mutant) string) {
	fmt.Fprintf(b, "| %s | Played | Killed | Lawful | Unrelated only | Blocked only | Not reached | Unexplained | Killed or lawful |\n|---|---|---|---|---|---|---|---|---|\n", title)
	for _, row := range append(slices.Clone(rows), "") {
		t := r.Tally(func(m Mutant) bool { return row == "" || of(m) == row })
		if t.Played == 0 {
			continue
		}
		name := row
		if row == "" {
			name = "**all**"
		}
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d | %d | %d | %.1f %% |\n", name, t.Played, t.Killed, t.Lawful, t.Unrelated, t.Blocked, t.Unreached, t.Unexplained, t.share())
	}
	fmt.Fprintln(b)
}

// reasons lists why mutants may survive, and how many do for each.
func (r *Report) reasons(b *bytes.Buffer) {
	count := map[string]int{}
	for _, result := range r.Results {
		if result.Fate != Killed && result.Reason != "" {
			count[result.Reason]++
		}
	}
	if len(count) == 0 {
		return
	}
	fmt.Fprintf(b, "### Lawful, and why\n\n| Mutants | Why they may survive |\n|---|---|\n")
	for _, reason := range slices.SortedFunc(maps.Keys(count), func(x, y string) int { return cmp.Or(count[y]-count[x], cmp.Compare(x, y)) }) {
		fmt.Fprintf(b, "| %d | %s |\n", count[reason], cell(reason, 600))
	}
	fmt.Fprintln(b)
}

// maxListed bounds the lists of a page; the JSON has all.
const maxListed = 150

// open lists what is neither killed by a requirement about it nor lawful.
func (r *Report) open(b *bytes.Buffer) {
	for _, list := range []struct {
		title string
		fates []Fate
	}{
		{"Unexplained", []Fate{Survived, Implied}},
		{"Killed by an unrelated requirement only", []Fate{Unrelated}},
		{"Blocked only", []Fate{Blocked}},
	} {
		var open []Result
		for _, result := range r.Results {
			if slices.Contains(list.fates, result.Fate) && result.Reason == "" {
				open = append(open, result)
			}
		}
		if len(open) == 0 {
			continue
		}
		fmt.Fprintf(b, "### %s: %d\n\n", list.title, len(open))
		for i, result := range open {
			if i == maxListed {
				fmt.Fprintf(b, "- … and %d more, which the JSON has\n", len(open)-i)
				break
			}
			fmt.Fprintf(b, "- `%s`", strings.ReplaceAll(result.ID, "`", "'"))
			if result.By != "" {
				fmt.Fprintf(b, ": %s: %s", result.By, cell(result.Says, 160))
			}
			fmt.Fprintln(b)
		}
		fmt.Fprintln(b)
	}
}

// cell makes text safe inside a table cell.
func cell(text string, most int) string {
	text = strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ", "<", "&lt;", "`", "'").Replace(text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
