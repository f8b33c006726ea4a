// SPDX-License-Identifier: Apache-2.0

package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// shownWaived is an outcome in the words of the HTML report only: a failure that the baseline accepts.
const shownWaived report.Outcome = "waived"

// shownOutcomes are the outcomes as a reader tells them apart, the gravest first.
var shownOutcomes = []report.Outcome{report.Fail, report.Blocked, shownWaived, report.Warn, report.Skip, report.Pass}

// An outcomeWord is an outcome for the eye: a sign and a word, so that no colour is needed.
type outcomeWord struct{ Sign, Word string }

var outcomeWords = map[report.Outcome]outcomeWord{
	report.Pass: {"✓", "pass"}, report.Fail: {"✗", "fail"}, report.Warn: {"!", "warn"}, report.Skip: {"–", "skip"}, report.Blocked: {"⊘", "blocked"}, shownWaived: {"≈", "waived"},
}

// outcomeShown counts as Summary does.
func outcomeShown(r *report.Result) report.Outcome {
	switch {
	case r.Waived():
		return shownWaived
	case r.Blocked():
		return report.Blocked
	}
	return r.Outcome
}

// A resultView is a result as it is written: every text is visible text, and bounded.
type resultView struct {
	Key, ID, Name, Surface, Level       string
	Outcome                             report.Outcome
	Sign, Word                          string
	Open                                bool
	Brief                               string // the result in one line
	Requirement, Source, Suite, Took    string
	Docs                                string // address of the page about the requirement
	ReasonCode, ReasonDetail, Cause, Do string
	Shared                              *causeView // with other tests
	Waiver                              [][2]string
	Findings                            []findingView
	MoreFindings                        int
	Notes, Claims                       []string
	Readings                            []phrases.Reading
	Held                                string // in which cases it holds
	Pictures                            []pictureView
	MorePictures                        int
	Judged, Exchange                    *exchangeView
	LeftOutExchange                     int // entries
	Rerun                               string
	Curls                               []string
	MoreCurls                           int
	Faults                              []string
}

// A pictureView is a timeline with the element id that its parts are named after.
type pictureView struct {
	Key string
	timeline
}

type findingView struct {
	At, Case, Part, Ruling, About                     string
	Severity                                          string // warning or note; empty for a failure
	Problem                                           string // empty when its parts say the same
	Subject, Observed, Expected, Says, SeenAt, Common string
	Full                                              string // all that was looked at, where what comes nearest stands above
}

func (h *builder) result(i int, d detail) *resultView {
	r := &h.run.Results[i]
	shown := outcomeShown(r)
	v := &resultView{
		Key: h.idOf[i], ID: show.Brief(r.ID, 80), Name: show.Brief(r.Name, 200), Surface: show.Brief(r.Surface, 80), Level: show.Brief(r.Level, 20),
		Outcome: shown, Sign: outcomeWords[shown].Sign, Word: outcomeWords[shown].Word, Open: h.open[i],
		Requirement: show.Brief(r.Requirement, 4000), Source: show.Brief(r.Source, 2000), Suite: show.Brief(r.Suite, 300), Took: took(r), Docs: r.DocsLink(),
		Rerun: show.Visible(show.Clip(phrases.Rerun(h.run, r), 4<<10)),
	}
	v.Brief = show.Brief(gist(r), 240)
	if r.Reason != nil {
		v.ReasonCode, v.ReasonDetail = show.Brief(r.Reason.Code, 200), show.Visible(show.Clip(r.Reason.Detail, d.text))
		if r.Reason.Cause != r.Reason.Detail {
			v.Cause = show.Visible(show.Clip(r.Reason.Cause, d.text))
		}
		if r.Outcome == report.Skip {
			v.Do = remedyText(r.Reason)
		}
	}
	if w := r.Waiver; w != nil {
		for _, row := range [][2]string{{"Reason", w.Reason}, {"Owner", w.Owner}, {"Issue", w.Issue}, {"Expires", w.Expires}} {
			if row[1] != "" {
				v.Waiver = append(v.Waiver, [2]string{row[0], show.Brief(row[1], 2000)})
			}
		}
	}
	findings := phrases.Alike(r.Findings)
	for k := range findings[:min(len(findings), d.findings)] {
		v.Findings = append(v.Findings, viewFinding(&findings[k], d.text))
	}
	if r.Reason != nil && r.Reason.Finding != nil {
		v.Findings = append(v.Findings, viewFinding(r.Reason.Finding, d.text))
	}
	v.MoreFindings = max(len(findings)-d.findings, 0)
	v.Shared = h.shared[r.Cause]
	v.Notes = briefs(r.Notes, 20, 1000)
	v.Readings, v.Held = phrases.Readings(h.run, r), phrases.HeldIn(r)
	v.Claims = briefs(r.Claims, 20, 200)
	v.exchange(r, d)
	v.byHand(r)
	if unwanted(r) {
		for _, fault := range phrases.FirstLines(r.Faults) {
			v.Faults = append(v.Faults, show.Brief(fault, 200))
		}
	}
	return v
}

// byHand adds the commands that ask what the result is about.
func (v *resultView) byHand(r *report.Result) {
	curls := phrases.Curls(r)
	if r.Reason != nil && r.Reason.Finding != nil && r.Reason.Finding.Curl != "" && !slices.Contains(curls, r.Reason.Finding.Curl) {
		curls = append(curls, r.Reason.Finding.Curl)
	}
	for _, curl := range curls[:min(len(curls), phrases.MaxCurls)] {
		v.Curls = append(v.Curls, show.Visible(show.Clip(curl, 8<<10)))
	}
	v.MoreCurls = len(curls) - len(v.Curls)
}

// exchange adds what passed between harness and target: pictures, then every entry.
func (v *resultView) exchange(r *report.Result, d detail) {
	if len(r.Evidence) == 0 {
		return
	}
	if d.pictures {
		var drawn []timeline
		drawn, v.MorePictures = timelines(r.Evidence)
		for n, t := range drawn {
			v.Pictures = append(v.Pictures, pictureView{Key: fmt.Sprintf("picture-%s-%d", v.Key, n+1), timeline: t})
		}
	}
	if d.entries == 0 {
		v.LeftOutExchange = len(r.Evidence)
		return
	}
	clues := phrases.CluesOf(r)
	judged, all := phrases.Judged(phrases.WithoutRepeats(r.Evidence))
	if len(judged) > 0 && unwanted(r) {
		v.Judged = viewExchange(judged, clues, d)
		v.Judged.Open = v.Judged.short()
	} else {
		all = r.Evidence
	}
	v.Exchange = viewExchange(all, clues, d)
	v.Exchange.Total = len(r.Evidence)
	v.Exchange.Open = unwanted(r) && v.Judged == nil && len(v.Pictures) == 0 && v.Exchange.short()
}

// gist is what became of a result in one line: the first finding that decides it, or the reason.
func gist(r *report.Result) string {
	for _, wanted := range []report.Outcome{report.Fail, report.Warn} {
		for k := range r.Findings {
			if f := &r.Findings[k]; f.Severity == wanted || f.Severity == "" {
				return f.InCase() + f.Told()
			}
		}
	}
	if r.Reason != nil {
		return cmp.Or(r.Reason.Detail, r.Reason.Cause, r.Reason.Code)
	}
	return ""
}

func viewFinding(f *report.Finding, most int) findingView {
	part := func(s string) string { return strings.TrimRight(show.Visible(show.Clip(s, most)), "\n") }
	p := phrases.PartsOf(f)
	v := findingView{At: show.Brief(f.At, 300), Case: show.Brief(f.Case, 600), Part: phrases.PartName(f.Part, 600), Ruling: show.Brief(f.Ruling, 200), About: p.About, Problem: part(p.Sentence),
		Subject: part(p.Subject), Observed: part(p.Observed), Expected: part(p.Expected), Full: part(p.Full), Says: part(f.Says), SeenAt: part(f.SeenAt), Common: part(f.Common)}
	switch f.Severity {
	case report.Warn:
		v.Severity = "warning"
	case report.Pass:
		v.Severity = "note"
	}
	return v
}

// took is the time of a result, with the waiting in it.
func took(r *report.Result) string {
	if r.DurationMS == 0 {
		return ""
	}
	text := show.Span(r.DurationMS)
	if r.WaitMS > 0 {
		text += ", of it " + show.Span(r.WaitMS) + " waiting that the contract imposes"
	}
	return text
}

// briefs bounds a list of lines.
func briefs(lines []string, most, length int) []string {
	var out []string
	for i, line := range lines {
		if i == most {
			return append(out, fmt.Sprintf("and %d more, in the JSON report", len(lines)-most))
		}
		out = append(out, show.Brief(line, length))
	}
	return out
}

// remedyText says what the operator can do about a skip; empty when the reason itself does.
func remedyText(reason *report.Reason) string {
	if strings.Contains(reason.Detail, "configuration file") || strings.Contains(reason.Detail, "--") {
		return ""
	}
	return remedyLine(reason.Code)
}

// remedyLine is what can be done about a reason code, as plain text.
func remedyLine(code string) string {
	text, name := phrases.Remedy(code)
	return show.Brief(strings.ReplaceAll(strings.ReplaceAll(text, "`", ""), "$", name), 600)
}
