// SPDX-License-Identifier: Apache-2.0

package overview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// broken finds which requirements are broken by whom. A failure that is waived is known, and stands with its target alone.
func (o *Overview) broken() {
	type key struct{ profile, id string }
	all, measured := map[key]*Broken{}, map[key]int{}
	for i := range o.Entries {
		e := &o.Entries[i]
		for _, id := range e.Passed {
			measured[key{e.Profile, id}]++
		}
		for _, f := range e.Found {
			if f.Outcome == report.Blocked {
				continue
			}
			k := key{e.Profile, f.ID}
			measured[k]++
			if f.Outcome != report.Fail || f.Waived {
				continue
			}
			if all[k] == nil {
				all[k] = &Broken{Profile: e.Profile, ID: f.ID, Says: f.Says}
			}
			all[k].Targets = append(all[k].Targets, e.Name)
		}
	}
	for k, broken := range all {
		broken.Measured = measured[k]
		switch n := len(broken.Targets); {
		case n == 1:
			broken.By = ByOne
		case n == broken.Measured:
			broken.By = ByAll
		default:
			broken.By = BySome
		}
		o.Broken = append(o.Broken, *broken)
	}
	order := []string{ByAll, BySome, ByOne}
	slices.SortFunc(o.Broken, func(a, b Broken) int {
		return cmp.Or(slices.Index(order, a.By)-slices.Index(order, b.By), len(b.Targets)-len(a.Targets), cmp.Compare(a.Profile, b.Profile), cmp.Compare(a.ID, b.ID))
	})
}

// causes finds the root causes that several targets have.
func (o *Overview) causes() {
	type key struct{ profile, says string }
	all := map[key]*Cause{}
	for i := range o.Entries {
		e := &o.Entries[i]
		for _, c := range e.Causes {
			k := key{e.Profile, c.Says}
			if all[k] == nil {
				one := c
				one.Targets = nil
				all[k] = &one
			}
			shared := all[k]
			if shared.Tests = max(shared.Tests, c.Tests); !slices.Contains(shared.Targets, e.Name) {
				shared.Targets = append(shared.Targets, e.Name)
			}
		}
	}
	for _, c := range all {
		if len(c.Targets) > 1 {
			o.Causes = append(o.Causes, *c)
		}
	}
	slices.SortFunc(o.Causes, func(a, b Cause) int {
		return cmp.Or(len(b.Targets)-len(a.Targets), b.Tests-a.Tests, cmp.Compare(a.Profile, b.Profile), cmp.Compare(a.Says, b.Says))
	})
}

// versions notes which targets were played by something else than most of the others.
func (o *Overview) versions() {
	o.versionsBy("version of the program", func(e *Entry) (of, version string) {
		return "", strings.TrimSpace(e.Version.Tool.Name + " " + e.Version.Tool.Version + " " + e.Version.Tool.Commit)
	})
	o.versionsBy("digest of the suites", func(e *Entry) (of, version string) { return e.Profile, e.Version.Digest })
	o.versionsBy("revision of the contract", func(e *Entry) (of, version string) { return e.Profile, e.Version.Contract })
}

// versionsBy compares what one thing says of every target among those of one kind. The version that most have is taken for the right one;
// of several, the one that sorts last.
func (o *Overview) versionsBy(what string, version func(*Entry) (of, version string)) {
	names := map[string]map[string][]string{}
	var kinds []string
	for i := range o.Entries {
		e := &o.Entries[i]
		if e.Version == nil {
			continue
		}
		of, v := version(e)
		if names[of] == nil {
			names[of] = map[string][]string{}
			kinds = append(kinds, of)
		}
		names[of][v] = append(names[of][v], e.Name)
	}
	slices.Sort(kinds)
	for _, of := range kinds {
		var all []string
		for v := range names[of] {
			all = append(all, v)
		}
		slices.SortFunc(all, func(a, b string) int {
			return cmp.Or(len(names[of][b])-len(names[of][a]), cmp.Compare(b, a))
		})
		for _, other := range all[min(1, len(all)):] {
			o.Notes = append(o.Notes, Note{NoteVersion, fmt.Sprintf("%s: another %s (%s) than the other %s (%s), so they cannot be compared: play them again with the same version",
				show.FirstOf(names[of][other], 10), what, cmp.Or(other, "none"), show.Plural(len(names[of][all[0]]), "target", "targets"), cmp.Or(all[0], "none")), true})
		}
	}
}

// conclude gives the verdict: that of the worst target, and never a pass where something is missing or cannot be compared.
func (o *Overview) conclude() {
	c := &o.Counts
	all := len(o.Entries)
	open := slices.ContainsFunc(o.Notes, func(n Note) bool { return n.Open })
	switch {
	case c.Fail > 0:
		o.Verdict = report.Failed
	case c.Unreachable > 0:
		o.Verdict = report.Unreachable
	case c.Unauthorized > 0:
		o.Verdict = report.Unauthorized
	case c.Incomplete > 0 || c.Missing > 0 || open || all == 0:
		o.Verdict = report.Incomplete
	default:
		o.Verdict = report.Passed
	}
	var parts []string
	for _, p := range []struct {
		n         int
		one, many string
	}{
		{c.Fail, "breaks the contract", "break the contract"}, {c.Unreachable, "could not be reached", "could not be reached"},
		{c.Unauthorized, "rejected the credentials", "rejected the credentials"}, {c.Missing, "was not played", "were not played"},
		{c.Incomplete, "was not measured as far as it has to be", "were not measured as far as they have to be"},
	} {
		if p.n > 0 {
			parts = append(parts, show.Plural(p.n, p.one, p.many))
		}
	}
	switch {
	case len(parts) > 0:
		o.Because = fmt.Sprintf("of %s, %s", show.Plural(all, "target", "targets"), show.InWords(parts))
	case open:
		o.Because = fmt.Sprintf("none of %s breaks the contract, but the runs are not all there, or cannot be compared", show.Plural(all, "target", "targets"))
	case all == 0:
		o.Because = "there is no target"
	default:
		o.Because = fmt.Sprintf("no requirement is broken at any of %s", show.Plural(all, "target", "targets"))
	}
}

// Heading is the verdict in capitals with how many targets it is about.
func (o *Overview) Heading() string {
	return o.Verdict.Word() + ", " + show.Plural(len(o.Entries), "target", "targets")
}

// LastLine is the machine-readable last line of a run of many targets, in the form of [report.LastLine]: the counts of all results
// together, then those of targets.
func (o *Overview) LastLine(reports []string) string {
	s, c := o.Summary, o.Counts
	names := strings.Join(reports, ",")
	if names == "" {
		names = "none"
	}
	if strings.ContainsAny(names, " \t\"'") || show.OneLine(names) != names {
		names = `"` + strings.ReplaceAll(show.OneLine(names), `"`, `\"`) + `"`
	}
	return fmt.Sprintf("CONFORMANCE-%s passed=%d failed=%d warned=%d skipped=%d blocked=%d measured=%d/%d targets=%d targets-passed=%d targets-failed=%d targets-missing=%d report=%s",
		o.Verdict.Word(), s.Pass, s.Fail, s.Warn, s.Skip, s.Blocked, s.Measured(), s.Total(), len(o.Entries), c.Pass, c.Fail, c.Missing, names)
}
