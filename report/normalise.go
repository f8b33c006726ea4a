// SPDX-License-Identifier: Apache-2.0

package report

import (
	"reflect"
	"regexp"
	"strings"
	"time"
)

// Normalise returns a copy of the run in which everything that differs between two runs on the same target is replaced
// by what does not: times, durations, ids, markers, ports, and the lengths and digests of evidence. What the suites say
// (ids, names, digest) stays.
func Normalise(run *Run) *Run {
	n := run.Settled().Copy(normaliseText)

	n.Suites, n.Tool, n.Roots, n.Rulings = run.Suites, run.Tool, run.Roots, run.Rulings
	n.StartedAt = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	n.DurationMS, n.Machine = 0, ""
	for i := range n.Flags {
		if strings.TrimLeft(n.Flags[i].Name, "-") == "seed" {
			n.Flags[i].Value = "<seed>"
		}
	}
	for i := range n.Results {
		result, said := &n.Results[i], &run.Results[i]
		result.ID, result.Name, result.Surface, result.Suite = said.ID, said.Name, said.Surface, said.Suite
		result.Requirement, result.Source, result.Docs, result.Faults = said.Requirement, said.Source, said.Docs, said.Faults
		result.DurationMS, result.WaitMS = 0, 0
		for k := range result.Evidence {
			result.Evidence[k].AtMS, result.Evidence[k].BodyBytes = 0, 0
		}
		result.Evidence = withoutRepeats(result.Evidence)
	}
	return n
}

// variables are what texts hold that differs from run to run, the most specific first.
var variables = []struct {
	pattern *regexp.Regexp
	becomes string
}{
	// Members stand in any order, with any white space between them, so that it is chance what the cut has left.
	{regexp.MustCompile(`(?s)\bis ["\[{].*?(?:\.\.\. \(cut(?:, \d+ bytes)?\))+`), "is <cut>"},
	// Which of the frames or events it was is a matter of what else came in between.
	{regexp.MustCompile(`\b(frames|events|answers|requests)\[\d+\]`), "$1[<n>]"},
	// How many there were in the whole run is a matter of how often others asked again.
	{regexp.MustCompile(`\bamong \d+\b`), "among <n>"},
	{regexp.MustCompile(`\b\d+ of \d+ ([a-z ]+\))`), "<n> of <n> $1"},
	{regexp.MustCompile(`\b\d+(st|nd|rd|th) of \d+ such\b`), "<n> of <n> such"},
	{regexp.MustCompile(`\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`), "<uuid>"},
	{regexp.MustCompile(`\b[0-9a-fA-F]{32}\b`), "<uuid>"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)?`), "<time>"},
	{regexp.MustCompile(`\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT\b`), "<time>"},
	{regexp.MustCompile(`\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+`), "<jws>"},
	{regexp.MustCompile(`("signature"\s*:\s*)"[A-Za-z0-9_-]+"`), `$1"<signature>"`},
	{regexp.MustCompile(`\b[0-9a-fA-F]{64}\b`), "<sha256>"},
	{regexp.MustCompile(`\bmarker-[0-9A-Za-z-]+`), "<marker>"},
	{regexp.MustCompile(`(://(?:\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+)):\d{1,5}\b`), "$1:<port>"},
	{regexp.MustCompile(`\b(127\.\d+\.\d+\.\d+|localhost|\[::1\]):\d{1,5}\b`), "$1:<port>"},
	{regexp.MustCompile(`(?i)(content-length: *)\d+`), "$1<n>"},
	{regexp.MustCompile(`(?i)(sec-websocket-(?:key|accept): *)\S+`), "$1<nonce>"},
	{regexp.MustCompile(`\b(\d+h)?(\d+m)?\d+(\.\d+)?(ns|µs|ms|s)\b`), "<duration>"},
	{regexp.MustCompile(`\b\d+(\.\d+)? (milliseconds?|seconds?)\b`), "<duration>"},
}

func normaliseText(s string) string {
	for _, v := range variables {
		s = v.pattern.ReplaceAllString(s, v.becomes)
	}
	return s
}

// withoutRepeats drops an entry or a pair of entries that repeats what came just before: how often a poll had to ask
// is a matter of time.
func withoutRepeats(entries []Evidence) []Evidence {
	var kept []Evidence
	for _, e := range entries {
		kept = append(kept, e)
		for _, width := range []int{1, 2} {
			n := len(kept)
			if n >= 2*width && reflect.DeepEqual(kept[n-width:], kept[n-2*width:n-width]) {
				kept = kept[:n-width]
				break
			}
		}
	}
	return kept
}
