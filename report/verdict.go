// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// verdictWords are the verdicts as a reader sees them.
var verdictWords = map[Verdict]string{
	Passed: "PASS", Failed: "FAIL", Incomplete: "INCOMPLETE", Unreachable: "UNREACHABLE", Unauthorized: "UNAUTHORIZED",
}

// Word is the verdict as a reader sees it: "PASS"; empty when there is no such verdict.
func (v Verdict) Word() string { return verdictWords[v] }

// OneLine is the verdict in one sentence with its counts, for a terminal.
func OneLine(run *Run) string {
	r := run.Settled()
	return show.OneLine(fmt.Sprintf("%s: %s. %s", r.Heading(), strings.TrimSuffix(r.Because, "."), r.InNumbers()))
}

// LastLine is the machine-readable last line of a run: "CONFORMANCE-PASS passed=12 failed=0 warned=1 skipped=2
// blocked=0 measured=13/15 report=conformance.report.md". Keys that matter only sometimes (waived, policy, decided-by, partial, diagnostic) stand
// before report; several reports are separated by commas.
func LastLine(run *Run, reports []string) string {
	r := run.Settled()
	s := r.Summary
	line := fmt.Sprintf("CONFORMANCE-%s passed=%d failed=%d warned=%d skipped=%d blocked=%d",
		r.Verdict.Word(), s.Pass, s.Fail, s.Warn, s.Skip, s.Blocked)
	if len(r.Results) > 0 {
		line += fmt.Sprintf(" measured=%d/%d", s.Measured(), len(r.Results))
	}
	if s.Waived > 0 {
		line += fmt.Sprintf(" waived=%d", s.Waived)
	}
	if len(r.Policy) > 0 {
		line += fmt.Sprintf(" policy=%d", len(r.Policy))
	}
	if names := r.deciders(); len(names) > 0 {
		line += " decided-by=" + quoteSpaced(strings.Join(names, ","))
	}
	if len(r.Partial) > 0 {
		line += " partial=yes"
	}
	if r.Diagnostic != "" {
		line += " diagnostic=" + quoteSpaced(r.Diagnostic)
	}
	names := strings.Join(reports, ",")
	if names == "" {
		names = "none"
	}
	return line + " report=" + quoteSpaced(names)
}

// quoteSpaced quotes a value that would not be read back as one word.
func quoteSpaced(s string) string {
	if strings.ContainsAny(s, " \t\"'") || show.OneLine(s) != s {
		return `"` + strings.ReplaceAll(show.OneLine(s), `"`, `\"`) + `"`
	}
	return s
}

// Heading is the verdict in capitals, with the policy that decided it, how much was measured, and the labels that a run carries
// which is no verdict on the whole profile.
func (r *Run) Heading() string { return r.heading(r.Labels()) }

// ShortHeading is Heading without the reasons of PARTIAL, for where they stand right below.
func (r *Run) ShortHeading() string {
	labels := r.Labels()
	if len(r.Partial) > 0 {
		labels[len(labels)-1] = "PARTIAL"
	}
	return r.heading(labels)
}

func (r *Run) heading(labels []string) string {
	heading := r.Verdict.Word()
	if by := r.Decided(); by != "" {
		heading += " " + by
	}
	parts := []string{heading}
	if share := r.Share(); share != "" {
		parts = append(parts, share)
	}
	return strings.Join(append(parts, labels...), ", ")
}

// Share is how much was measured of what the run is about: "254 of 494 requirements measured (51 %)". It is rounded down, and
// empty where no test was selected or nothing could be asked.
func (r *Run) Share() string {
	measured, all := r.Summary.Measured(), len(r.Results)
	if all == 0 || r.Verdict == Unreachable || r.Verdict == Unauthorized {
		return ""
	}
	return fmt.Sprintf("%d of %s measured (%d %%)", measured, show.Plural(all, "requirement", "requirements"), percent(measured, all))
}

// ShareOf is a part of the requirements of a run: "335 of 494 requirements (67 %)".
func ShareOf(part, all int) string {
	return fmt.Sprintf("%d of %s (%d %%)", part, show.Plural(all, "requirement", "requirements"), percent(part, all))
}

// percent is rounded down: what was not all measured is not 100 %.
func percent(part, all int) int { return 100 * part / max(all, 1) }

// Labels are DIAGNOSTIC and PARTIAL with what they are for, of a run that is no verdict on the whole profile.
func (r *Run) Labels() []string {
	var labels []string
	if r.Diagnostic != "" {
		labels = append(labels, fmt.Sprintf("DIAGNOSTIC (%s)", r.Diagnostic))
	}
	if len(r.Partial) > 0 {
		labels = append(labels, fmt.Sprintf("PARTIAL (%s)", strings.Join(r.Partial, ", ")))
	}
	return labels
}

// conformant reports whether the run may say that the target keeps its contract: the whole profile as the contract has
// it, nothing broken, nothing waived, and nothing blocked.
func (r *Run) conformant() bool {
	return r.Verdict == Passed && r.Diagnostic == "" && len(r.Partial) == 0 && r.Summary.Waived == 0 && r.Summary.Blocked == 0
}

// boasts reports whether the sentence given for the verdict claims what this run cannot.
func (r *Run) boasts() bool {
	return !r.conformant() && strings.Contains(strings.ToLower(r.Because), "conformant")
}

// because is the verdict in one sentence.
func (r *Run) because() string {
	s := r.Summary
	switch {
	case r.Verdict == Unreachable:
		return "the target could not be reached; nothing was measured"
	case r.Verdict == Unauthorized:
		return "the target rejected the credentials; nothing was measured"
	case s.Fail > 0:
		return fmt.Sprintf("%d of %d measured requirements broken: %s", s.Fail, s.Measured(), r.firstBroken(6))
	case s.Measured() == 0:
		return "nothing was measured"
	case r.unmet() && s.Waived > 0:
		return "no requirement is broken but the " + show.Plural(s.Waived, "waived one", "waived ones") + ", and the policy of the run is not met: " + r.unmetText()
	case r.unmet():
		return "no requirement is broken, but the policy of the run is not met: " + r.unmetText()
	case r.Verdict == Incomplete:
		return "the run ended before the whole profile was measured"
	case r.Verdict == Failed:
		return "the run failed, though no requirement was seen broken"
	case r.conformant():
		return fmt.Sprintf("conformant to %s as far as measured: none of %d measured requirements is broken", r.Suites.Profile, s.Measured())
	case s.Waived > 0:
		return fmt.Sprintf("%s broken, and waived for now", show.Plural(s.Waived, "requirement is", "requirements are"))
	}
	return fmt.Sprintf("none of %s is broken", show.Plural(s.Measured(), "measured requirement", "measured requirements"))
}

func (r *Run) firstBroken(most int) string {
	var ids []string
	for i := range r.Results {
		if r.Results[i].Outcome == Fail && !r.Results[i].Waived() {
			ids = append(ids, r.Results[i].ID)
		}
	}
	return show.FirstOf(ids, most)
}

// maxWhy is how many reasons of skips stand in one sentence.
const maxWhy = 4

// InNumbers is the summary in words, with the reasons of what was skipped.
func (r *Run) InNumbers() string {
	if why := r.skipCounts(); len(why) > 0 {
		text := strings.Join(why[:min(len(why), maxWhy)], ", ")
		if more := len(why) - maxWhy; more > 0 {
			text += " and " + show.Plural(more, "reason more", "reasons more") + ", in the report"
		}
		return r.Summary.inWords(" (" + text + ")")
	}
	return r.Summary.InWords()
}

// InWords is the summary in words: "462 passed, 1 failed, 0 warned, 31 skipped, 0 blocked".
func (s Summary) InWords() string { return s.inWords("") }

func (s Summary) inWords(whySkipped string) string {
	text := fmt.Sprintf("%d passed, %d failed, %d warned, %d skipped%s, %d blocked", s.Pass, s.Fail, s.Warn, s.Skip, whySkipped, s.Blocked)
	if s.Waived > 0 {
		text += fmt.Sprintf(", %d waived", s.Waived)
	}
	return text
}

// skipCounts says how often each reason skipped a test, the most frequent first.
func (r *Run) skipCounts() []string {
	groups := r.Skips()
	slices.SortStableFunc(groups, func(a, b Group) int { return len(b.Results) - len(a.Results) })
	var counts []string
	for _, g := range groups {
		counts = append(counts, fmt.Sprintf("%d %s", len(g.Results), g.Key))
	}
	return counts
}
