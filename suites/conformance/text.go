// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// How much of a requirement's findings and exchange the output of go test shows; the reports have more.
const (
	maxFinding  = 2 << 10 // bytes of a finding
	maxFindings = 10
	maxEntries  = 24
	maxBody     = 2 << 10
	maxCurl     = 4 << 10
	maxCurls    = 3
	maxLine     = 500 // characters
	maxNamed    = 12  // ids with a common cause
)

// line is a text of others on one line, without what could act in a log, and bounded.
func line(text string) string { return show.Brief(text, maxLine) }

// notMeasured says why nothing could be measured.
func notMeasured(run *report.Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "conformance: nothing was measured at %s: %s\n", line(run.Target.ExecutorURL), inGo(run.Because))
	for i := range run.Preflight {
		if said := inGo(run.Preflight[i].Sentence()); !strings.Contains(run.Because, run.Preflight[i].Problem) {
			b.WriteString(said + "\n")
		}
	}
	if run.Verdict == report.Unauthorized {
		b.WriteString("the token is that of Options.Token\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// commonCause is what several failures have in common; "" where none of them fails a subtest.
func commonCause(run *report.Run, c *report.Cause) string {
	var failed, others []string
	for i := range run.Results {
		switch r := &run.Results[i]; {
		case r.Cause != c.ID:
		case r.Outcome == report.Fail && !r.Waived() || r.Blocked():
			failed = append(failed, r.ID)
		default:
			others = append(others, r.ID)
		}
	}
	if len(failed) == 0 {
		return ""
	}
	return fmt.Sprintf("%s have one root cause: %s\nto change: %s\n%s", c.Counts(run), line(c.Says), line(c.Fix), show.FirstOf(append(failed, others...), maxNamed))
}

// broken says everything about a requirement that does not hold. Of several with one root cause, only the first shows an exchange.
func (p *plan) broken(run *report.Run, r *report.Result, told map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.Level, line(r.Requirement))
	fmt.Fprintf(&b, "source: %s\n", line(r.Source))
	b.WriteString(sharedCause(run, r))
	findings := phrases.Alike(r.Findings)
	for i := range findings[:min(len(findings), maxFindings)] {
		b.WriteString(phrases.Finding(&findings[i], maxFinding))
	}
	if left := len(findings) - maxFindings; left > 0 {
		fmt.Fprintf(&b, "and %s\n", show.Plural(left, "more finding", "more findings"))
	}
	p.again(&b, r, told)
	return strings.TrimRight(b.String(), "\n")
}

// blocked says why a requirement that applies was not measured.
func (p *plan) blocked(run *report.Run, r *report.Result, told map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "not measured, blocked: %s\n", inGo(cmp.Or(r.BlockedBy(), "no cause was recorded")))
	if r.Reason != nil && !strings.Contains(r.BlockedBy(), r.Reason.Detail) {
		fmt.Fprintf(&b, "%s\n", line(r.Reason.Detail))
	}
	fmt.Fprintf(&b, "%s %s\n", r.Level, line(r.Requirement))
	fmt.Fprintf(&b, "source: %s\n", line(r.Source))
	b.WriteString(sharedCause(run, r))
	for i := range r.Findings[:min(len(r.Findings), maxFindings)] {
		b.WriteString(phrases.Finding(&r.Findings[i], maxFinding))
	}
	p.again(&b, r, told)
	return strings.TrimRight(b.String(), "\n")
}

// sharedCause is the root cause that a result shares with others; "" where there is none.
func sharedCause(run *report.Run, r *report.Result) string {
	i := slices.IndexFunc(run.Causes, func(c report.Cause) bool { return c.ID == r.Cause })
	if r.Cause == "" || i < 0 {
		return ""
	}
	c := &run.Causes[i]
	return fmt.Sprintf("root cause, shared by %d requirements: %s\nto change: %s\n", len(c.Tests), line(c.Says), line(c.Fix))
}

// again says how to see a result again, and shows the exchange.
func (p *plan) again(b *strings.Builder, r *report.Result, told map[string]string) {
	curls := phrases.Curls(r)
	for _, curl := range curls[:min(len(curls), maxCurls)] {
		// Of the program's flags nobody has heard here; the line below says how to play it again.
		fmt.Fprintf(b, "by hand: %s\n", show.OneLine(show.Clip(strings.TrimSuffix(curl, "; --run plays the whole test again"), maxCurl)))
	}
	fmt.Fprintf(b, "alone: go test -run %s\n", patternOf(p.subtest(r.ID)))
	if len(r.Evidence) == 0 {
		return
	}
	if first := told[r.Cause]; first != "" {
		fmt.Fprintf(b, "exchange: left out, since %s shows one with the same root cause; played alone, this one shows its own\n", first)
		return
	}
	if r.Cause != "" {
		told[r.Cause] = r.ID
	}
	b.WriteString("exchange:\n")
	b.WriteString(phrases.Exchange(phrases.WithoutRepeats(phrases.Telling(r)), phrases.Cut{Entries: maxEntries, Bytes: maxBody, Clues: phrases.CluesOf(r)}))
}

// settings are the options that are configured under a name, by what stands before the colon of the reason code of a requirement that lacks it.
var settings = map[string]struct{ kind, option string }{
	"no-hook":  {"hook", "Hooks"},
	"no-cue":   {"cue", "Cues"},
	"no-token": {"token", "Tokens"},
}

// remedies say which option or flag makes a skipped requirement run, by the code of its reason.
var remedies = map[string]string{
	"slow":         "Options.MaxWait allows more, and so does a run without -short",
	"hook-refused": `Options.Hooks["webhook"] is an address that the server takes`,
	"time-is-up":   "-timeout allows a longer run",
	"fail-fast":    "a run without -failfast plays it",
	"no-session":   `Options.Hooks["create-session"] makes terminal sessions`,
}

// skipped is why a requirement was skipped: the code of the reason, then words.
func (p *plan) skipped(r *report.Result) string {
	if r.Reason == nil {
		return r.ReasonText()
	}
	kind, name, _ := strings.Cut(r.Reason.Code, ":")
	lacks := settings[kind]
	if what, known := docs.SettingFor(p.profile.Row, lacks.kind, name); known {
		option := fmt.Sprintf("Options.%s[%q]", lacks.option, name)
		if r.Reason.Code == "no-token:instance" {
			option = "Options.Token"
		}
		return line(fmt.Sprintf("%s: %s is not given; what it does: %s", r.Reason.Code, option, what.What))
	}
	text := inGo(r.ReasonText())
	if remedy := remedies[kind]; remedy != "" {
		text += "; " + remedy
	}
	return text
}

// inGo is a text of the engine on one line, with options in the place of the flags that it names.
func inGo(text string) string { return line(flags.Replace(text)) }

var flags = strings.NewReplacer("--executor-url", "Options.URL", "--allow-host", "Options.AllowHosts", "--max-wait", "Options.MaxWait",
	"--max-time", "-timeout", "--time-factor", "Options.TimeFactor", "--instance", "Options.Instance", "--strict", "Options.Strict",
	"--admin-token", `Options.Tokens["admin"]`, "--token", "Options.Token")

// notes are what a requirement that holds has shown besides.
func notes(r *report.Result) []string {
	var all []string
	for _, n := range r.Notes {
		all = append(all, line(n))
	}
	for i := range r.Findings {
		all = append(all, line(cmp.Or(r.Findings[i].InWords, r.Findings[i].Sentence())))
	}
	return all
}
