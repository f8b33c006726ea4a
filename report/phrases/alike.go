// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// Alike are findings in which those that differ in nothing but their case are one, which names the others. What decides the outcome comes first,
// and notes last. What an answer with another status than the wanted one lacks follows from that, and is left out.
func Alike(findings []report.Finding) []report.Finding {
	findings = withoutWhatFollows(findings)
	firsts, others := alike(findings)
	all := make([]report.Finding, len(firsts))
	for k, i := range firsts {
		all[k] = findings[i]
		if cases := others[i]; len(cases) > 0 {
			all[k].Case += fmt.Sprintf(", and %s: %s", show.Plural(len(cases), "more case alike", "more cases alike"), show.FirstOf(cases, 20))
		}
	}
	slices.SortStableFunc(all, func(a, b report.Finding) int { return weight(&a) - weight(&b) })
	return all
}

// withoutWhatFollows leaves out that something is missing in an error that is not as wanted either.
func withoutWhatFollows(findings []report.Finding) []report.Finding {
	type answer struct {
		row, route, actor string
		status            int
	}
	refused := map[answer]bool{}
	var all []report.Finding
	for _, f := range findings {
		of := answer{f.Case, f.Route, f.Actor, f.Status}
		isError := f.Subject == "outcome" // that of an operation is one whatever the status
		if (f.Subject == "status" && f.Status >= 400 || isError) && f.Severity == report.Fail {
			refused[of] = true
		} else if refused[of] && strings.HasPrefix(strings.TrimPrefix(f.Observed, "is "), "missing") {
			continue
		}
		all = append(all, f)
	}
	return all
}

// weight orders findings: what decides the outcome of a test weighs least.
func weight(f *report.Finding) int {
	return map[report.Outcome]int{report.Warn: 1, report.Pass: 2}[f.Severity]
}

// alike returns where the first finding of each kind stands, and the other cases of that kind.
func alike(findings []report.Finding) (firsts []int, others map[int][]string) {
	at := map[report.Finding]int{}
	others = map[int][]string{}
	for i, f := range findings {
		key := f
		key.Case, key.Curl, key.Says, key.Route, key.Status = "", "", "", "", 0
		for _, text := range []*string{&key.Subject, &key.Observed, &key.Expected, &key.Problem, &key.Nearest} {
			*text = withoutChance(*text)
		}
		if first, seen := at[key]; seen && f.Case != "" && findings[first].Case != "" {
			others[first] = append(others[first], f.Case)
			continue
		}
		at[key] = i
		firsts = append(firsts, i)
	}
	return firsts, others
}

// byChance are what differs from one time to the next though the same is wrong: ids and tokens that the target makes, when something came and where it stands in a list.
var byChance = regexp.MustCompile(`[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|"[\w+/=-]{24,}"|\[\d+\]|\b\d+ of \d+ elements\b|\bon page \d+ of \d+\b|\b[\d.]+m?s after\b`)

func withoutChance(text string) string {
	return byChance.ReplaceAllStringFunc(text, func(found string) string {
		if found[0] == '"' && !(strings.ContainsAny(found, "0123456789") && strings.ToUpper(found) != found) { // a word, such as a state
			return found
		}
		return "*"
	})
}

// seenAlike says whether the same was seen in two cases, whatever was wanted in each.
func seenAlike(a, b *report.Finding) bool {
	if a.Observed == "" && withoutChance(a.Problem) != withoutChance(b.Problem) {
		return false
	}
	return a.At == b.At && a.Severity == b.Severity && a.Ruling == b.Ruling && withoutChance(a.Subject) == withoutChance(b.Subject) && withoutChance(a.Observed) == withoutChance(b.Observed)
}

// WithoutRepeats are the entries of an exchange without what says nothing new: of one request that was sent over and over and
// answered alike each time, the first remains, and a note of how often and until when. The order of members, their spacing and the date of an
// answer make no difference.
func WithoutRepeats(entries []report.Evidence) []report.Evidence {
	var all []report.Evidence
	for i := 0; i < len(entries); {
		end := i
		if signature := asked(entries, i); signature != "" {
			for end = i + 2; asked(entries, end) == signature; end += 2 {
			}
		}
		again := (end-i)/2 - 1
		if again < 2 {
			all = append(all, entries[i])
			i++
			continue
		}
		request, response := entries[i], entries[i+1]
		request.Judged = slices.ContainsFunc(entries[i:end], func(e report.Evidence) bool { return e.Judged })
		response.Judged = request.Judged
		all = append(all, request, response, report.Evidence{AtMS: entries[end-1].AtMS, Actor: entries[i].Actor, Kind: "note",
			Head: fmt.Sprintf("the same request %d more times until now, with the same answer each time", again)})
		i = end
	}
	return all
}

// asked is the request at a place of an exchange, and its answer right behind it, for comparison; "" where there is no such pair.
func asked(entries []report.Evidence, i int) string {
	if i+1 >= len(entries) || entries[i].Kind != "request" || entries[i+1].Kind != "response" || entries[i].Actor != entries[i+1].Actor {
		return ""
	}
	request, response := &entries[i], &entries[i+1]
	var header strings.Builder
	for line := range strings.Lines(response.Header) {
		if name, _, _ := strings.Cut(line, ":"); !strings.EqualFold(name, "Date") && !strings.EqualFold(name, "Content-Length") {
			header.WriteString(line)
		}
	}
	return strings.Join([]string{request.Actor, request.Head, request.Header, request.Body, request.SHA256, response.Head, header.String(), canonical(response.Body), response.SHA256}, "\x00")
}

// beginsCase is the head of the note with which the exchange of a case begins.
const beginsCase = "case: "

// Telling is the part of a result's exchange that its findings are about: of the cases that were judged alike the first, and none of those
// of which nothing was found. A note says how many are left out.
func Telling(r *report.Result) []report.Evidence {
	told := map[string]bool{}
	firsts, _ := alike(r.Findings)
	for _, i := range firsts {
		if r.Findings[i].Case == "" {
			return r.Evidence
		}
		told[r.Findings[i].Case] = true
	}
	var all []report.Evidence
	left, leaves := 0, false
	for _, e := range r.Evidence {
		if name, begins := strings.CutPrefix(e.Head, beginsCase); begins && e.Kind == "note" {
			if leaves = !told[name]; leaves {
				left++
			}
		}
		if !leaves {
			all = append(all, e)
		}
	}
	if left == 0 || len(all) == 0 {
		return r.Evidence
	}
	return append(all, report.Evidence{AtMS: all[len(all)-1].AtMS, Kind: "note", Head: fmt.Sprintf("%s, in the JSON report", show.Plural(left, "more case", "more cases"))})
}

// Judged takes out of an exchange the request and the answer that the decisive finding is about, with how what remains refers to them. It is
// empty where they are hardly less than the exchange.
func Judged(entries []report.Evidence) (judged, all []report.Evidence) {
	for _, e := range entries {
		if e.Judged {
			judged = append(judged, e)
			e.Header, e.Body, e.BodyBytes, e.SHA256 = "", "", 0, ""
			e.Head += " (it stands above)"
		}
		all = append(all, e)
	}
	if len(all)-len(judged) < 2 {
		return nil, entries
	}
	return judged, all
}
