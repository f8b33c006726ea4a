// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"fmt"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// Alike are findings in which those that differ in nothing but their case are one, which names the others.
func Alike(findings []report.Finding) []report.Finding {
	var all []report.Finding
	at := map[report.Finding]int{}
	others := map[int][]string{}
	for _, f := range findings {
		key := f
		key.Case, key.Curl = "", ""
		i, seen := at[key]
		if !seen || f.Case == "" || all[i].Case == "" {
			at[key] = len(all)
			all = append(all, f)
			continue
		}
		others[i] = append(others[i], f.Case)
	}
	for i, cases := range others {
		all[i].Case += fmt.Sprintf(", and %s: %s", show.Plural(len(cases), "more case alike", "more cases alike"), show.FirstOf(cases, 20))
	}
	return all
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
		all = append(all, entries[i], entries[i+1], report.Evidence{AtMS: entries[end-1].AtMS, Actor: entries[i].Actor, Kind: "note",
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
