// SPDX-License-Identifier: Apache-2.0

package html

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// maxOverviewRows bounds the tables of an overview, and maxOverviewNames the names in one line of it.
const (
	maxOverviewRows  = 1000
	maxOverviewNames = 30
)

// WriteOverview writes an overview as one page that needs nothing else. What leads away from it are the reports of the targets, in their
// folders beside it.
func WriteOverview(w io.Writer, o *overview.Overview) error {
	var b bytes.Buffer
	b.WriteString("<!doctype html>")
	v := overviewPage{o, o.Tests()}
	el("html", attrs{"lang", "en"},
		el("head", nil,
			el("meta", attrs{"charset", "utf-8"}),
			el("meta", attrs{"http-equiv", "Content-Security-Policy", "content", fmt.Sprintf("default-src 'none'; style-src '%s'; base-uri 'none'; form-action 'none'", sourceHash(style))}),
			el("meta", attrs{"name", "viewport", "content", "width=device-width, initial-scale=1"}),
			el("meta", attrs{"name", "color-scheme", "content", "light dark"}),
			el("meta", attrs{"name", "referrer", "content", "no-referrer"}),
			el("title", nil, chars("Overview: "+o.Heading())),
			el("style", nil, own(style))),
		el("body", nil,
			el("a", attrs{"class", "skip-link", "href", "#targets"}, chars("To the targets")),
			v.head(), v.sections(),
			el("main", nil, v.notes(), v.targets(), each(o.Profiles, v.matrix), v.causes(),
				v.broken("all", "What all of them break", "Broken at every target where it was measured: look at what the targets have in common.", overview.ByAll),
				v.broken("some", "What several break", "", overview.BySome),
				v.broken("one", "What only one breaks", "It holds at the others, or was not measured there.", overview.ByOne),
				v.playedBy()),
			el("footer", nil, para(nil, chars("Whatever the targets said stands here as text, and nothing of it is active. The JSON form holds everything; this page is made of it, and asks nobody for anything.")))))(&b)
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

type overviewPage struct {
	*overview.Overview
	tests map[[2]string]*overview.Test
}

func (v overviewPage) head() node {
	c := v.Counts
	played := ""
	if v.StartedAt != nil {
		played = fmt.Sprintf("Played from %s on, in %s.", v.StartedAt.UTC().Format(time.RFC3339), show.Span(v.DurationMS))
	}
	if v.List.Shard != "" {
		played = strings.TrimSpace(fmt.Sprintf("%s This is shard %s of a list of %s.", played, v.List.Shard, show.Plural(v.List.Targets, "target", "targets")))
	}
	chip := func(outcome report.Outcome, n int, word string) node {
		names := "chip " + string(outcome)
		if n == 0 {
			names += " none"
		}
		return el("li", nil, el("a", attrs{"class", names, "href", "#targets"}, el("b", nil, number(n)), chars(" "+word)))
	}
	return el("header", class("verdict "+string(v.Verdict)),
		el("h1", nil, sign("sign", verdictSigns[v.Verdict]), chars(" "+v.Heading())),
		para(class("title"), chars(played)),
		para(class("because"), chars(show.Brief(v.Because, 2000))),
		el("ul", attrs{"class", "counts", "aria-label", "Targets by verdict"},
			chip(report.Fail, c.Fail, "failed"), chip(report.Fail, c.Unreachable, "unreachable"), chip(report.Fail, c.Unauthorized, "unauthorized"),
			chip(report.Blocked, c.Missing, "not played"), chip(report.Warn, c.Incomplete, "incomplete"), chip(report.Pass, c.Pass, "passed")))
}

func (v overviewPage) sections() node {
	link := func(there bool, id, name string) node {
		return when(there, el("li", nil, el("a", attrs{"href", "#" + id}, chars(name))))
	}
	return el("nav", attrs{"aria-label", "Sections"}, el("ul", nil,
		link(len(v.Notes) > 0, "notes", "About the runs"), link(true, "targets", "Targets"),
		func(b *bytes.Buffer) {
			for i, p := range v.Profiles {
				link(v.hasMatrix(&v.Profiles[i]), v.matrixID(p.Name), "Surfaces of "+show.Brief(p.Name, 80))(b)
			}
		},
		link(len(v.Causes) > 0, "causes", "Root causes"),
		link(len(v.BrokenBy(overview.ByAll)) > 0, "all", "What all break"), link(len(v.BrokenBy(overview.BySome)) > 0, "some", "What several break"),
		link(len(v.BrokenBy(overview.ByOne)) > 0, "one", "What only one breaks"), link(true, "played", "Played by")))
}

func (v overviewPage) notes() node {
	if len(v.Notes) == 0 {
		return nil
	}
	return section("notes", "About the runs", el("ul", class("reasons"), each(v.Notes[:min(len(v.Notes), maxOverviewRows)], func(n overview.Note) node {
		return el("li", nil, strong(n.Kind+":"), chars(" "+show.Brief(n.Text, 1000)))
	})), left(len(v.Notes)))
}

// outcomeOf is the class of a target's verdict.
func outcomeOf(e *overview.Entry) string {
	switch {
	case e.Missing != "":
		return "blocked"
	case e.Verdict == report.Passed:
		return "pass"
	case e.Verdict == report.Incomplete:
		return "warn"
	}
	return "fail"
}

func (v overviewPage) targets() node {
	rows := v.Entries[:min(len(v.Entries), maxOverviewRows)]
	return section("targets", "Targets, the worst first", wide("Targets", el("table", nil,
		el("thead", nil, el("tr", nil, column("Target"), column("Verdict"), column("Broken"), column("Measured"), column("Why"), column("Reports"))),
		el("tbody", nil, each(rows, func(e overview.Entry) node {
			return el("tr", nil,
				el("th", attrs{"scope", "row"}, code(show.Brief(e.Name, 100)), when(len(e.Labels) > 0, el("p", class("aside"), chars(show.Brief(e.LabelText(), 400))))),
				el("td", class("claim "+outcomeOf(&e)), chars(show.Brief(e.Heading, 200))),
				el("td", class("n"), number(e.Summary.Fail)), el("td", class("n"), chars(fmt.Sprintf("%d/%d", e.Summary.Measured(), e.Summary.Total()))),
				el("td", class("why"), chars(show.Brief(cmp.Or(e.Because, "none"), 500))),
				el("td", nil, each(e.Reports, reportLink)))
		})))), left(len(v.Entries)))
}

// reportLink leads to a report of a target, by its ending. Its path is ours: a folder that the program has named, and a file in it.
func reportLink(name string) node {
	ending := strings.TrimPrefix(path.Ext(name), ".")
	if plainPath(name) {
		return all(el("a", attrs{"href", name}, chars(ending)), chars(" "))
	}
	return all(code(show.Brief(name, 200)), chars(" "))
}

// plainPath says whether a path leads into a folder below the page, and nowhere else.
func plainPath(name string) bool {
	return name != "" && !strings.HasPrefix(name, "/") && path.Clean(name) == name && !strings.HasPrefix(name, "..") &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/") == ""
}

func column(name string) node { return el("th", attrs{"scope", "col"}, chars(name)) }

func (v overviewPage) matrixID(profile string) string {
	for i, p := range v.Profiles {
		if p.Name == profile {
			return fmt.Sprintf("surfaces-%d", i+1)
		}
	}
	return "surfaces"
}

func (v overviewPage) hasMatrix(p *overview.Profile) bool {
	return len(p.Surfaces) > 0 && len(v.Measured(p.Name)) > 0
}

func (v overviewPage) matrix(p overview.Profile) node {
	if !v.hasMatrix(&p) {
		return nil
	}
	rows := v.Measured(p.Name)
	return section(v.matrixID(p.Name), "Surfaces of "+show.Brief(p.Name, 100), para(class("aside"), chars(overview.CellMeans)),
		wide("Targets by surface", el("table", nil,
			el("thead", nil, el("tr", nil, column("Target"), each(p.Surfaces, func(s string) node { return column(show.Brief(s, 100)) }))),
			el("tbody", nil, each(rows[:min(len(rows), maxOverviewRows)], func(e *overview.Entry) node {
				return el("tr", nil, el("th", attrs{"scope", "row"}, code(show.Brief(e.Name, 100))), each(p.Surfaces, func(s string) node {
					outcome, text := overview.Cell(e.Surfaces[s])
					return el("td", class("n "+string(outcome)), chars(text))
				}))
			})))), left(len(rows)))
}

func (v overviewPage) causes() node {
	if len(v.Causes) == 0 {
		return nil
	}
	return section("causes", "Root causes at several targets", el("ul", class("causes"), each(v.Causes[:min(len(v.Causes), maxOverviewRows)], func(c overview.Cause) node {
		return el("li", class("fail"), para(class("counts-line"), chars(show.Plural(len(c.Targets), "target", "targets")+", "+show.Plural(c.Tests, "test", "tests"))),
			para(class("says-cause"), chars(c.Says)), para(nil, chars(c.Fix)), para(class("links"), chars(show.FirstOf(c.Targets, maxOverviewNames))))
	})), left(len(v.Causes)))
}

func (v overviewPage) broken(id, title, means, by string) node {
	found := v.BrokenBy(by)
	if len(found) == 0 {
		return nil
	}
	return section(id, title, when(means != "", para(class("aside"), chars(means))), el("ul", class("lines"), each(found[:min(len(found), maxOverviewRows)], func(b overview.Broken) node {
		asked := ""
		if t := v.tests[[2]string{b.Profile, b.ID}]; t != nil {
			asked = t.Level + " " + t.Requirement
		}
		where := fmt.Sprintf("%d of %d: ", len(b.Targets), b.Measured)
		if by == overview.ByOne {
			where = ""
		}
		return el("li", nil, el("span", class("id"), chars(show.Brief(b.ID, 100))), el("span", class("asked"), chars(asked)),
			el("span", class("said"), chars(show.Brief(b.Says, 400))), el("span", class("said"), chars(where+show.FirstOf(b.Targets, maxOverviewNames))))
	})), left(len(found)))
}

func (v overviewPage) playedBy() node {
	return section("played", "Played by", el("ul", nil, each(v.Versions(), func(text string) node { return el("li", nil, code(show.Brief(text, 500))) }),
		el("li", nil, chars("the list of targets: "+show.Plural(v.List.Targets, "target", "targets")+", SHA-256 "), code(show.Brief(v.List.SHA256, 100)))))
}

// left says how many rows are not shown.
func left(n int) node {
	return when(n > maxOverviewRows, para(class("aside"), chars(fmt.Sprintf("And %d more, in the JSON form.", n-maxOverviewRows))))
}
