// SPDX-License-Identifier: Apache-2.0

// Package phrases is what several formats say alike of a run: who was asked what, a finding with its two sides, what passed
// between harness and target, the commands that repeat it, and what would make a skipped test run. Each format escapes what
// its own syntax would act on.
package phrases

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// Title is that of a report: the one that the operator gave, else whose conformance to what it is about.
func Title(r *report.Run) string {
	return cmp.Or(r.Title, "conformance of "+profiles.Of(r.Suites.Profile).Judges+" to "+r.Suites.Profile)
}

// Identity is who was asked what beyond the first [Answers], as far as it is known.
func Identity(r *report.Run) [][2]string {
	rows := [][2]string{
		{"Instance", r.Target.InstanceID},
		{"Admin API", r.Target.AdminURL},
		{"Card SHA-256", r.Target.CardSHA256},
		{"Credentials sent to", strings.Join(r.Target.CredentialsSentTo, ", ")},
		{"Contract SHA-256", r.Suites.Contract.Revision()},
		{"Suites SHA-256", r.Suites.Digest},
		{"Tool", r.Tool.Name + " " + r.Tool.Version + " " + r.Tool.Commit},
		{"Started", r.StartedAt.Format(time.RFC3339)},
		{"Took", show.Span(r.DurationMS)},
	}
	for i := range rows {
		rows[i][1] = strings.TrimSpace(rows[i][1])
	}
	return slices.DeleteFunc(rows, func(row [2]string) bool { return row[1] == "" })
}

// FirstLines bounds a list that stands above everything else.
func FirstLines(lines []string) []string {
	const most = 10
	if len(lines) <= most {
		return lines
	}
	return append(slices.Clone(lines[:most]), fmt.Sprintf("and %d more, in the JSON report", len(lines)-most))
}
