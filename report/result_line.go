// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// Headline is the finding that decides the outcome, on one line, with the case in which it was made.
func (r *Result) Headline() string {
	if f := r.Decisive(); f != nil {
		return show.OneLine(f.InCase() + f.Told())
	}
	if len(r.Findings) > 0 {
		return show.OneLine(r.Findings[0].InCase() + r.Findings[0].Told())
	}
	return "does not hold: " + show.OneLine(r.Requirement)
}

// Decisive is the first finding that decides the outcome; nil where none does.
func (r *Result) Decisive() *Finding {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity == r.Outcome {
			return f
		}
	}
	return nil
}

// InCase says in which case of its test a finding was made, in front of what was found: `in the case "empty body": `. It is empty where the
// test has no cases.
func (f *Finding) InCase() string {
	if f.Case == "" {
		return ""
	}
	return fmt.Sprintf("in the case \"%s\": ", show.Brief(f.Case, maxCase))
}

// maxCase is how many characters of the name of a case stand in a line.
const maxCase = 200

// ReasonText is why the result was skipped or blocked, on one line.
func (r *Result) ReasonText() string {
	if r.Reason == nil {
		return "no reason was recorded"
	}
	code, detail := show.OneLine(r.Reason.Code), show.OneLine(r.Reason.Detail)
	if code == "" || detail == "" || code == detail {
		return cmp.Or(code, detail, "no reason was recorded")
	}
	return code + ": " + detail
}

// WaiverText is why a failure is waived, by whom and for how long, on one line.
func (r *Result) WaiverText() string {
	text := show.OneLine(r.Waiver.Reason)
	for _, part := range [][2]string{{"owner", r.Waiver.Owner}, {"issue", r.Waiver.Issue}, {"expires", r.Waiver.Expires}} {
		if part[1] != "" {
			text += fmt.Sprintf(", %s %s", part[0], show.OneLine(part[1]))
		}
	}
	return text
}
