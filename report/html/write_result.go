// SPDX-License-Identifier: Apache-2.0

package html

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
	"github.com/roctinam/agentic-sandbox-conformance/suites/sources"
)

// at is a place in a picture.
func at(n int) string { return strconv.Itoa(n) }

// opened lets details stand open.
func opened(with attrs, open bool) attrs {
	if open {
		return append(with, "open", "")
	}
	return with
}

// write writes a result.
func (v *resultView) write(b *bytes.Buffer) {
	aside := []node{chars("Source: ")}
	for _, part := range sources.Parts(v.Source) {
		if part.URL == "" {
			aside = append(aside, chars(part.Text))
			continue
		}
		aside = append(aside, el("a", attrs{"href", part.URL}, chars(part.Text)))
	}
	if v.Docs != "" {
		aside = append(aside, chars(" · "), el("a", attrs{"href", v.Docs}, chars(v.ID+" in the documentation")))
	}
	aside = append(aside, chars(" · suite "), code(v.Suite))
	if v.Took != "" {
		aside = append(aside, chars(" · took "+v.Took))
	}
	aside = append(aside, chars(" · "), el("a", attrs{"href", "#" + v.Key}, chars("link to this result")))
	el("article", attrs{"class", "result " + string(v.Outcome), "id", v.Key, "data-outcome", string(v.Outcome), "data-level", v.Level},
		el("details", opened(nil, v.Open),
			el("summary", nil, el("span", class("badge "+string(v.Outcome)), sign("", v.Sign), chars(" "+v.Word)), chars(" "),
				el("h4", nil, el("span", class("id"), chars(v.ID)), chars(" "), el("span", class("name"), chars(v.Name))), chars(" "),
				el("span", class("level"), chars(v.Level)), when(v.Brief != "", chars("\n"), el("span", class("brief"), chars(v.Brief)))),
			el("div", class("inside"),
				para(class("requirement"), strong(v.Level), chars(" "+v.Requirement)),
				para(class("aside"), aside...),
				v.sharedCause(), v.reason(),
				when(len(v.Waiver) > 0, el("div", class("reason"), para(nil, strong("Waived by the operator's baseline")), parts(v.Waiver))),
				when(len(v.Findings) > 0, findings(v.Findings), when(v.MoreFindings > 0, para(nil, chars("And "), number(v.MoreFindings), chars(" more findings, in the JSON report.")))),
				when(len(v.Notes) > 0, para(nil, strong("Noted:")), el("ul", nil, each(v.Notes, func(s string) node { return el("li", class("said"), chars(s)) }))),
				when(v.Held != "", para(nil, chars(v.Held))),
				each(v.Readings, func(one phrases.Reading) node {
					return para(class("aside"), chars("How the contract is read here (ruling "+one.Of+"): "+one.Says))
				}),
				v.Judged.node("What was asked, and the answer that this is about"),
				each(v.Pictures, pictureView.node),
				when(v.MorePictures > 0, para(class("aside"), number(v.MorePictures), chars(" more conversations are not drawn; the exchange has them."))),
				v.exchanged(), v.again(),
				when(len(v.Claims) > 0, para(class("aside"), chars("Exercises the claims: "), separated(v.Claims, ", "))))))(b)
}

// separated are texts as code, with something between them.
func separated(texts []string, between string) node {
	return func(b *bytes.Buffer) {
		for i, s := range texts {
			if i > 0 {
				chars(between)(b)
			}
			code(s)(b)
		}
	}
}

// parts is a list of names with what they stand for.
func parts(rows [][2]string) node {
	return el("dl", class("parts"), each(rows, func(row [2]string) node {
		return all(el("dt", nil, chars(row[0])), el("dd", nil, chars(row[1])))
	}))
}

func (v *resultView) sharedCause() node {
	if v.Shared == nil {
		return nil
	}
	return el("div", class("reason"), para(nil, strong("One root cause, with "+v.Shared.Counts+":"), chars(" "+v.Shared.Says+" "), el("a", attrs{"href", "#" + v.Shared.Key}, chars("All of them"))))
}

// reason is why it was skipped or blocked.
func (v *resultView) reason() node {
	if v.ReasonCode == "" {
		return nil
	}
	word := map[string]string{"skip": "Skipped", "blocked": "Blocked"}[v.Word]
	if word == "" {
		word = "Reason"
	}
	return el("div", class("reason"),
		para(nil, strong(word), when(v.ReasonCode != v.Word, chars(": "), code(v.ReasonCode))),
		when(v.ReasonDetail != "", para(class("said"), chars(v.ReasonDetail))),
		when(v.Cause != "", para(nil, strong("Cause:"), chars(" "), el("span", class("said"), chars(v.Cause)))),
		when(v.Do != "", para(nil, strong("To measure it:"), chars(" "+v.Do+"."))))
}

func findings(list []findingView) node {
	return el("ol", class("findings"), each(list, func(f findingView) node {
		part := func(name, said, names string) node {
			return when(said != "", el("dt", nil, chars(name)), el("dd", class(names), chars(said)))
		}
		return el("li", nil,
			para(class("aside"), when(f.Severity != "", strong(f.Severity), chars(" ")), code(f.At), when(f.Case != "", chars(" · in the case "+f.Case)), when(f.Part != "", chars(" · in the part "+f.Part)), when(f.Ruling != "", chars(" · ruling "+f.Ruling))),
			when(f.Problem != "", para(class("said"), chars(f.Problem))),
			when(f.About != "", para(class("about"), code(f.About))),
			el("dl", class("parts"), part("Subject", f.Subject, "said"), part("Observed", f.Observed, "said observed"), part("Expected", f.Expected, "said expected"), part("In full", f.Full, "said"), part("The answer says", f.Says, "said"), part("Seen at", f.SeenAt, "said"), part("In common", f.Common, "said")))
	}))
}

// exchanged is what passed between harness and target.
func (v *resultView) exchanged() node {
	if v.Exchange == nil {
		return when(v.LeftOutExchange > 0, para(class("left-out"), chars("The exchange ("), number(v.LeftOutExchange), chars(" entries) is left out here for size; the JSON report has it.")))
	}
	return v.Exchange.node("The exchange (" + show.Plural(v.Exchange.Total, "entry", "entries") + ")")
}

// node is a transcript that can be folded.
func (x *exchangeView) node(summary string) node {
	if x == nil {
		return nil
	}
	return el("details", opened(class("exchange"), x.Open),
		el("summary", nil, chars(summary)),
		el("ol", nil, each(x.Entries, func(e entryView) node {
			if e.LeftOut != "" {
				return el("li", class("left-out"), chars(e.LeftOut))
			}
			return el("li", nil,
				para(class("entry"), el("span", class("at"), chars(e.At)), chars(" "), when(e.Actor != "", el("b", nil, chars(e.Actor)), chars(" ")),
					sign("arrow", e.Arrow), chars(" "), el("span", class("kind"), chars(e.Kind)), chars(" "), code(e.Head), when(e.Says != "", chars(" "), el("span", class("says"), chars(e.Says)))),
				when(e.Header != "", el("pre", class("header"), chars(e.Header))),
				when(e.Body != "", el("pre", nil, chars(e.Body))),
				when(e.Cut != "", para(class("aside"), chars(e.Cut))))
		})))
}

// again is how to see it again.
func (v *resultView) again() node {
	return el("div", class("again"), para(nil, strong("See it again:")), typed(v.Rerun),
		when(len(v.Curls) > 0, para(nil, chars("By hand:")), each(v.Curls, typed)),
		when(v.MoreCurls > 0, para(nil, chars("And "), number(v.MoreCurls), chars(" more, in the JSON report."))),
		when(len(v.Faults) > 0, para(nil, chars("To compare with, a server that breaks this requirement on purpose: "), code("agentic-sandbox-conformance reference --fault "), separated(v.Faults, ", or "), chars("."))))
}

// node is the picture of a conversation: a time axis to scale, and every message in order.
func (p pictureView) node() node {
	small := func(x, y int, anchor, s string) node {
		return el("text", attrs{"class", "small", "x", at(x), "y", at(y), "text-anchor", anchor}, chars(s))
	}
	lifeline := func(x int, name string) node {
		return all(el("text", attrs{"class", "actor", "x", at(x), "y", at(p.Top - 12), "text-anchor", "middle"}, chars(name)),
			el("line", attrs{"class", "lifeline", "x1", at(x), "y1", at(p.Top), "x2", at(x), "y2", at(p.Bottom)}))
	}
	caption := p.Desc
	if p.Case != "" {
		caption = "Case " + p.Case + ": " + caption
	}
	return el("figure", class("picture"), el("figcaption", nil, chars(caption)),
		el("div", attrs{"class", "wide", "tabindex", "0", "role", "group", "aria-label", p.Title},
			el("svg", attrs{"width", at(p.Width), "height", at(p.Height), "viewBox", fmt.Sprintf("0 0 %d %d", p.Width, p.Height), "role", "img", "aria-labelledby", p.Key + "-title " + p.Key + "-desc"},
				el("title", attrs{"id", p.Key + "-title"}, chars(p.Title)),
				el("desc", attrs{"id", p.Key + "-desc"}, chars(p.Desc+" The exchange below has every message as text.")),
				small(76, 14, "end", "to scale"),
				each(p.AxisTicks, func(t axisTick) node {
					return all(el("line", attrs{"class", "grid", "x1", at(t.X), "y1", "20", "x2", at(t.X), "y2", at(p.AxisBottom)}), small(t.X, 14, "middle", t.Text))
				}),
				each(p.Lanes, func(l lane) node {
					return all(small(76, l.AxisY+4, "end", l.Name), el("line", attrs{"class", "axis", "x1", "84", "y1", at(l.AxisY), "x2", at(p.TargetX), "y2", at(l.AxisY)}))
				}),
				each(p.Ticks, func(t tick) node {
					return el("line", attrs{"class", "tick " + t.Class, "x1", at(t.X), "y1", at(t.Y1), "x2", at(t.X), "y2", at(t.Y2)})
				}),
				small(76, p.Top-12, "end", "in order"),
				each(p.Lanes, func(l lane) node { return lifeline(l.X, l.Name) }),
				lifeline(p.TargetX, "target"),
				each(p.Spans, func(s lifespan) node {
					return el("rect", attrs{"class", "span", "x", at(s.X), "y", at(s.Y), "width", "6", "height", at(s.Height)})
				}),
				each(p.Rows, func(r messageRow) node {
					return all(when(r.Time != "", small(76, r.Y+4, "end", r.Time)), r.mark(),
						el("text", attrs{"class", "label " + r.Class, "x", at(r.LabelX), "y", at(r.LabelY)}, chars(r.Label)))
				}))))
}

// mark is what stands for a message: an arrow between two lifelines, a pause, an end, or a dot.
func (r messageRow) mark() node {
	line := func(names string) node {
		return el("line", attrs{"class", names, "x1", at(r.From), "y1", at(r.Y), "x2", at(r.To), "y2", at(r.Y)})
	}
	switch r.Class {
	case "sent", "received":
		return all(line("arrow "+r.Class), el("polygon", attrs{"class", r.Class, "points", r.Head}))
	case "pause":
		return line("pause")
	case "closed":
		return el("path", attrs{"class", "closed", "d", fmt.Sprintf("M%d %dl10 10m0 -10l-10 10", r.From-5, r.Y-5)})
	case "local":
		return el("circle", attrs{"class", "local", "cx", at(r.From), "cy", at(r.Y), "r", "4"})
	}
	return nil
}
