// SPDX-License-Identifier: Apache-2.0

package html

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// write writes the page.
func (p *page) write(b *bytes.Buffer) {
	b.WriteString("<!doctype html>")
	el("html", attrs{"lang", "en"},
		el("head", nil,
			el("meta", attrs{"charset", "utf-8"}),
			el("meta", attrs{"http-equiv", "Content-Security-Policy", "content", p.Policy}),
			el("meta", attrs{"name", "viewport", "content", "width=device-width, initial-scale=1"}),
			el("meta", attrs{"name", "color-scheme", "content", "light dark"}),
			el("meta", attrs{"name", "referrer", "content", "no-referrer"}),
			el("title", nil, chars(p.Heading+": "+p.Title)),
			el("style", nil, own(p.Style))),
		el("body", nil,
			el("a", attrs{"class", "skip-link", "href", "#results"}, chars("To the results")),
			p.head(), p.sections(),
			el("main", nil, p.before(), p.whatIsBroken(),
				p.notMeasured(), p.whatNext(),
				p.whoWasAsked(), p.tableOfSurfaces(), p.claimsAudit(), p.policy(), p.results(), p.waivedAndNoted(), p.reproduce()),
			el("footer", nil, para(nil, chars("Whatever the target said stands here as text, and nothing of it is active. Characters that could act or hide are shown as escapes, such as "),
				code(`\x1b`), chars(" or "), code(`\u202e`), chars(". The JSON report holds everything; this page is made of it, and asks nobody for anything."))),
			el("script", nil, own(p.Script))))(b)
	b.WriteByte('\n')
}

// head is the verdict, the counts, and what is to be known before anything else.
func (p *page) head() node {
	return el("header", class("verdict "+p.Verdict),
		el("h1", nil, sign("sign", p.Sign), chars(" "+p.Heading)),
		para(class("title"), chars(p.Title)),
		para(class("because"), chars(p.Because)),
		el("ul", attrs{"class", "counts", "aria-label", "Results by outcome"}, each(p.Counts, func(c countView) node {
			names := "chip " + string(c.Outcome)
			if c.N == 0 {
				names += " none"
			}
			return el("li", nil, el("a", attrs{"class", names, "href", "#results", "data-outcome", string(c.Outcome)},
				sign("", c.Sign), chars(" "), el("b", nil, number(c.N)), chars(" "+c.Word)))
		})),
		p.firstScreen())
}

// partNode is a piece of a line with a space behind it.
func partNode(part phrases.Part) node {
	if part.Code {
		return all(el("code", nil, withOptions(part.Text)), chars(" "))
	}
	return all(withOptions(part.Text), chars(" "))
}

// withOptions is a text in which no line ends inside of the name of an option: a browser takes each of its hyphens for the end of a word.
func withOptions(text string) node {
	var nodes []node
	last := 0
	for _, at := range anOption.FindAllStringIndex(text, -1) {
		nodes = append(nodes, chars(text[last:at[0]]), el("span", class("option"), chars(text[at[0]:at[1]])))
		last = at[1]
	}
	return all(append(nodes, chars(text[last:]))...)
}

// anOption is the name of an option.
var anOption = regexp.MustCompile(`--[a-z][a-z-]*`)

// firstScreen is what to mend, and beside it, or above it on a narrow page, the answers to a reviewer's questions.
func (p *page) firstScreen() node {
	answers := el("dl", class("answers"), each(p.Answers, func(a phrases.Answer) node {
		return all(el("dt", nil, chars(a.Question)), el("dd", nil, each(a.Parts, partNode)))
	}))
	if p.Mend.Of+p.Warn.Of+len(p.Notices) == 0 {
		return answers
	}
	return el("div", class("first"), el("div", nil,
		p.Mend.node("ol", " more, among what is broken."),
		when(p.Warn.Of > 0, para(class("warned"), strong(show.Plural(p.Warn.Of, "warning", "warnings")), chars(" "+phrases.NoFailures(p.Warn.Of))),
			p.Warn.node(map[bool]string{true: "ul", false: "ol"}[p.Mend.Of > 0], " more, among the warnings.")),
		when(len(p.Notices) > 0, el("ul", class("notices"), each(p.Notices, func(n noticeView) node {
			return el("li", nil, strong(n.Label+":"), chars(" "+n.Text))
		})))), answers)
}

// node is the list, and how many more there are.
func (v foremostView) node(list, more string) node {
	return when(v.Of > 0, el(list, class("foremost"), each(v.List, func(m mendView) node {
		lead := strong(m.Lead)
		if m.Key != "" {
			lead = el("a", attrs{"href", "#" + m.Key}, lead)
		}
		return el("li", nil, lead, chars(" "+m.Text+": "), m.inCase(), code(m.Seen))
	})), when(v.More > 0, para(class("more"), chars("And "), number(v.More), chars(more))))
}

// inCase says in which case of its test it was seen.
func (m mendView) inCase() node {
	var nodes []node
	for i, text := range strings.Split(m.Case.In(func(name string) string { return "\x00" + name + "\x00" }), "\x00") {
		if i%2 == 1 {
			nodes = append(nodes, code(text))
		} else {
			nodes = append(nodes, chars(text))
		}
	}
	return all(nodes...)
}

// sections is the way to each section that is there.
func (p *page) sections() node {
	link := func(id, name string) node { return el("li", nil, el("a", attrs{"href", "#" + id}, chars(name))) }
	return el("nav", attrs{"aria-label", "Sections"}, el("ul", nil,
		when(p.saysBroken(), link("broken", "What is broken")), when(p.Warnings > 0, link("warnings", "Warnings")),
		when(len(p.Blocks)+len(p.Blocking) > 0, link("blocked", "Blocked")), when(len(p.Skips)+len(p.Budgets) > 0, link("skipped", "Skipped")),
		when(p.Next != nil, link("next", "What to configure")),
		link("identity", "Details of the run"), link("surfaces", "Surfaces"), link("claims", "Claims"), link("results", "Results"),
		when(len(p.Waived) > 0, link("waived", "Waived")), when(len(p.Notes) > 0, link("notes", "Notes")), link("again", "Reproduce")))
}

// saysBroken says whether the page has a section of what is broken: where nothing is, the warnings are what a reader will mend.
func (p *page) saysBroken() bool { return p.Failures > 0 || p.Warnings == 0 }

func (p *page) whatIsBroken() node {
	return all(
		when(p.saysBroken(), section("broken", "What is broken",
			when(p.Failures == 0, para(nil, chars(p.Nothing))),
			causesAndLines(p.Causes, p.Broken, p.MoreBroken, "Failures that share their cause with nothing"))),
		when(p.Warnings > 0, section("warnings", "Warnings",
			para(nil, when(p.Failures == 0, chars(p.Nothing+" ")), chars("Recommendations (SHOULD) that are not followed, and deviations that a ruling softens. They do not fail the run.")),
			when(p.Warn.Of == 0, para(nil, chars("All of them stand with a root cause above."))),
			causesAndLines(p.Milder, p.Warned, p.MoreWarned, "Warnings that share their cause with nothing"))))
}

// causesAndLines is what several results met, and a line for each of those that share their cause with nothing.
func causesAndLines(causes []*causeView, lines []linkView, left int, heading string) node {
	return all(
		when(len(causes) > 0, el("h3", nil, chars("Root causes")), rootCauses(causes)),
		when(len(lines) > 0, when(len(causes) > 0, el("h3", nil, chars(heading))),
			el("ul", class("lines"), each(lines, func(l linkView) node {
				return el("li", nil, l.to(), chars(" "), el("span", class("asked"), chars(l.Asked)), chars(" "), el("span", class("said"), chars(l.Text)))
			})),
			when(left > 0, para(nil, chars("And "), number(left), chars(" more, among the results.")))))
}

// to is the link itself.
func (l linkView) to() node { return el("a", attrs{"href", "#" + l.Key}, chars(l.ID)) }

func rootCauses(list []*causeView) node {
	return el("ul", class("causes"), each(list, func(c *causeView) node {
		return el("li", attrs{"class", string(c.Worst), "id", c.Key},
			para(class("counts-line"), chars(c.Counts+", one root cause")),
			para(class("says-cause"), chars(c.Says)),
			para(nil, chars(c.Fix)),
			when(c.Route != "", para(nil, chars("All of them were seen at "), code(c.Route), chars("."))),
			c.shown(),
			para(class("links"), each(c.Links, func(l linkView) node {
				return all(el("a", attrs{"href", "#" + l.Key}, sign(string(l.Outcome), l.Sign), chars(" "), el("span", class("unseen"), chars(l.Word)), chars(" "+l.ID)), chars(" "))
			}), more(c.More)))
	}))
}

// shown is what the first of the tests has seen.
func (c *causeView) shown() node {
	if c.First == nil {
		return nil
	}
	return para(class("shown"), c.First.to(), chars(" "), el("span", class("said"), chars(c.First.Text)))
}

// more says how many there are that are not shown.
func more(n int) node { return when(n > 0, chars("and "), number(n), chars(" more")) }

// links leads to the results that share a reason.
func (r reasonView) links() node {
	word := " tests: "
	if r.N == 1 {
		word = " test: "
	}
	return para(class("links"), number(r.N), chars(word), each(r.Links, func(l linkView) node { return all(l.to(), chars(" ")) }), more(r.More))
}

func (p *page) before() node {
	return when(len(p.Preflight) > 0, section("preflight", "Before the tests", findings(p.Preflight),
		when(p.MoreBefore > 0, para(nil, chars("And "), number(p.MoreBefore), chars(" more, in the JSON report.")))))
}

func (p *page) policy() node {
	return when(len(p.Policies) > 0, section("policy", "Policy", para(nil, chars("What the operator asks of the run beyond the contract.")),
		el("ul", class("reasons"), each(p.Policies, func(v policyView) node {
			met := chars("met")
			if !v.Met {
				met = el("strong", class("fail"), chars("not met"))
			}
			return el("li", nil,
				para(nil, code(v.Name), chars(" ("+v.Kind+"): "), met, when(v.Counts != "", chars("; "+v.Counts)), when(v.SHA256 != "", chars("; SHA-256 "), code(v.SHA256))),
				when(len(v.Entries) > 0, el("ul", nil, each(v.Entries, func(e [2]string) node { return el("li", nil, chars(e[0]+": "+e[1])) }))))
		}))))
}

func (p *page) whoWasAsked() node {
	row := func(name node) func(value string) node {
		return func(value string) node {
			return el("tr", nil, el("th", attrs{"scope", "row"}, name), el("td", nil, code(value)))
		}
	}
	return section("identity", "Details of the run", wide("Identity of the run", el("table", class("pairs"), el("tbody", nil,
		each(p.Identity, func(r [2]string) node { return row(chars(r[0]))(r[1]) }),
		each(p.Flags, func(r [2]string) node { return row(code(r[0]))(r[1]) })))))
}

// columns are the heads of a table; the names of numbers stand at the right.
func columns(names []string, numbers ...string) node {
	head := func(with ...string) func(string) node {
		return func(name string) node { return el("th", append(attrs{"scope", "col"}, with...), chars(name)) }
	}
	return all(each(names, head()), each(numbers, head("class", "n")))
}

func (p *page) tableOfSurfaces() node {
	table := para(nil, chars("No test was run."))
	if len(p.Surfaces) > 0 {
		table = all(wide("Table of surfaces", el("table", nil,
			el("thead", nil, el("tr", nil, columns([]string{"Surface"}), el("th", attrs{"scope", "col"}, el("span", class("unseen"), chars("Share of each outcome"))),
				columns(nil, "Fail", "Blocked", "Waived", "Warn", "Skip", "Pass", "Time", "of it waiting"))),
			el("tbody", nil, each(p.Surfaces, func(s surfaceView) node {
				return el("tr", nil, el("th", attrs{"scope", "row"}, el("a", attrs{"href", "#results", "data-surface", s.Filter}, chars(s.Name)),
					when(s.Mark != "", chars(" "), el("strong", class("mark"), chars(s.Mark)))), s.cells(), numberCell(s.Took), numberCell(s.Waited))
			})),
			el("tfoot", nil, el("tr", nil, el("th", attrs{"scope", "row"}, chars("all")), p.Total.cells(), el("td", nil), el("td", nil))))),
			para(class("aside"), chars("Times are sums over tests that ran side by side.")))
	}
	return section("surfaces", "Surfaces", table, when(len(p.Routes) > 0, el("details", class("routes"),
		el("summary", nil, chars("Routes that were asked ("), number(len(p.Routes)), chars(")")),
		wide("Routes", el("table", nil, el("thead", nil, el("tr", nil, columns([]string{"Route", "Answered with"}))),
			el("tbody", nil, each(p.Routes, func(r [2]string) node {
				return el("tr", nil, el("th", attrs{"scope", "row"}, code(r[0])), el("td", nil, chars(r[1])))
			})))))))
}

func numberCell(s string) node { return el("td", class("n"), chars(s)) }

// cells are the counts of a row, with its bar.
func (t tallyView) cells() node {
	count := func(n int, names string) node {
		with := "n"
		if n > 0 && names != "" {
			with += " " + names
		}
		return el("td", class(with), number(n))
	}
	return all(el("td", nil, el("svg", attrs{"class", "bar", "width", "160", "height", "12", "viewBox", "0 0 160 12", "aria-hidden", "true"}, each(t.Bars, func(b barView) node {
		return el("rect", attrs{"class", string(b.Outcome), "x", at(b.X), "width", at(b.Width), "height", "12"})
	}))), count(t.Fail, "fail"), count(t.Blocked, "blocked"), count(t.Waived, ""), count(t.Warn, ""), count(t.Skip, ""), count(t.Pass, ""))
}

func (p *page) claimsAudit() node {
	table := para(nil, chars("No claim of the agent card is known: it declares none, or it was not read."))
	if len(p.Declared) > 0 {
		table = all(para(nil, number(p.Measured), chars(" of "), number(len(p.Declared)), chars(" declared claims were measured.")),
			wide("Table of claims", el("table", class("claims"),
				el("thead", nil, el("tr", nil, columns([]string{"Declared", "Kind", "Measured"}, "Tests", "Passed", "Failed", "Warned", "Not measured"), columns([]string{"Why not"}))),
				el("tbody", nil, each(p.Declared, func(c claimView) node {
					verdict := map[string]string{"broken": "fail", "holds": "pass", "only warned": "warn"}[c.Verdict]
					if verdict == "" {
						verdict = "skip"
					}
					row := []node{el("th", attrs{"scope", "row"}, code(c.Name)), el("td", nil, chars(c.Kind)), el("td", class("claim "+verdict), chars(c.Verdict))}
					for _, n := range []int{c.Tests, c.Passed, c.Failed, c.Warned, c.Unmeasured} {
						row = append(row, el("td", class("n"), number(n)))
					}
					return el("tr", nil, append(row, el("td", class("why"), chars(c.Why)))...)
				})))))
	}
	return section("claims", "Claims audit", table, when(len(p.Undeclared) > 0, para(nil, chars("Seen, though the card does not declare it:")),
		el("ul", nil, each(p.Undeclared, func(c [2]string) node { return el("li", nil, chars(c[0]+" "), code(c[1])) }))))
}

// results is the filter, and every result under its surface.
func (p *page) results() node {
	option := func(name string) node { return el("option", nil, chars(name)) }
	field := func(id, label string, options node) node {
		return el("div", class("field"), el("label", attrs{"for", id}, chars(label)),
			el("select", attrs{"id", id}, el("option", attrs{"value", ""}, chars("all")), options))
	}
	button := func(id, label string) node {
		return el("button", attrs{"type", "button", "id", id}, chars(label))
	}
	key := func(s string) node { return el("kbd", nil, chars(s)) }
	return section("results", "Results",
		el("form", attrs{"id", "filter", "role", "search", "aria-label", "Results", "hidden", ""},
			el("div", class("field text"), el("label", attrs{"for", "filter-text"}, chars("Search")),
				el("input", attrs{"id", "filter-text", "type", "search", "autocomplete", "off", "spellcheck", "false"})),
			field("filter-surface", "Surface", each(p.Groups, func(g groupView) node { return option(g.Name) })),
			field("filter-level", "Level", each(p.Levels, option)),
			el("fieldset", class("outcomes"), el("legend", nil, chars("Outcomes (none chosen: all)")), each(p.Outcomes, func(c countView) node {
				return el("label", class("chip "+string(c.Outcome)), el("input", attrs{"type", "checkbox", "name", "outcome", "value", string(c.Outcome)}), chars(" "), sign("", c.Sign), chars(" "+c.Word))
			})),
			el("div", class("actions"),
				el("label", nil, el("input", attrs{"id", "filter-deep", "type", "checkbox"}), chars(" search the exchanges too")),
				el("label", nil, el("input", attrs{"id", "filter-keys", "type", "checkbox", "checked", ""}), chars(" single keys: "), key("/"), chars(" search, "), key("j"), chars(" "), key("k"), chars(" next and previous")),
				el("span", class("buttons"), button("filter-open", "Open all shown"), chars(" "), button("filter-close", "Close all"), chars(" "), button("filter-reset", "Reset")))),
		para(attrs{"id", "filter-count", "role", "status", "aria-live", "polite"}, number(p.Tests), chars(map[bool]string{true: " result.", false: " results."}[p.Tests == 1])),
		each(p.Groups, func(g groupView) node {
			left := g.Of - len(g.Results)
			return el("section", class("group"), el("h3", attrs{"id", g.Key}, chars(g.Name)), each(g.Results, own),
				when(left > 0, para(class("left-out"), number(left), chars(" results of this surface are left out here for size; the JSON report has them."))))
		}))
}

// said is what several results share, with the way to them.
func (r reasonView) said() node { return el("li", nil, para(class("said"), chars(r.Text)), r.links()) }

// notMeasured is what was blocked and by what, and what was skipped and why.
func (p *page) notMeasured() node {
	common := ""
	if len(p.Causes)+len(p.Milder) > 0 {
		common = " What is blocked by a cause of something else stands above, with that cause."
	}
	return all(
		when(len(p.Blocks)+len(p.Blocking) > 0, section("blocked", "Not measured: blocked",
			para(nil, chars("These requirements apply, but what has to work first did not. They are neither kept nor broken: not measured."+common)),
			when(len(p.Blocking) > 0, rootCauses(p.Blocking)),
			when(len(p.Blocks) > 0, el("ul", class("reasons"), each(p.Blocks, reasonView.said))))),
		when(len(p.Skips)+len(p.Budgets) > 0, section("skipped", "Not measured: skipped",
			para(nil, chars("Not measured: these requirements do not apply to this target, or something that they need is not configured.")),
			el("ul", class("reasons"), each(p.Skips, func(r reasonView) node {
				return el("li", nil, para(nil, code(r.Text), when(r.Budget != "", chars(" "), strong("("+r.Budget+")"))), when(r.Do != "", para(nil, chars(r.Do))), r.links())
			}), each(p.Budgets, func(s string) node { return el("li", nil, para(nil, chars(s))) })))))
}

// waivedAndNoted is what the baseline accepts, and what was noted.
func (p *page) waivedAndNoted() node {
	return all(
		when(len(p.Waived) > 0, section("waived", "Waived failures", para(nil, chars("Broken requirements that the operator's baseline accepts for now.")),
			el("ul", class("lines"), each(p.Waived, func(l linkView) node {
				return el("li", nil, l.to(), chars(" "), code(l.Name), chars(" "), el("span", class("said"), chars(l.Text)))
			})))),
		when(len(p.Notes) > 0, section("notes", "Notes", para(nil, chars("Observed and worth knowing; no judgement.")), el("ul", class("reasons"), each(p.Notes, reasonView.said)))))
}

func (p *page) reproduce() node {
	return section("again", "How to reproduce",
		para(nil, each(p.WholeRun, partNode)),
		typed(p.Command),
		when(p.Configured != "", para(nil, chars("Also configured, in the configuration file or by flags whose values are not recorded: "+p.Configured+"."))),
		para(nil, chars("One test: the same with "), code(p.OneOf), chars(". What a test asks, in full: "), code(p.Tool+" explain ID"),
			chars(". That the tests can fail is shown by "), code(p.Tool+" self-test"), chars(".")))
}
