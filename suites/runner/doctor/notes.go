// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
)

// maxSaid bounds one text of a check, in characters.
const maxSaid = 600

// notes are what a doctor has seen so far, told as they are made.
type notes struct {
	said     *Diagnosis
	secrets  *secrets.Redactor
	progress func(Check) // nil: nobody is told
}

// say notes what was seen, and what to do about it.
func (n *notes) say(topic string, grade Grade, seen, do string) {
	c := Check{Topic: topic, Grade: grade, Seen: n.clean(seen), Do: n.clean(do)}
	n.said.Checks = append(n.said.Checks, c)
	if n.progress != nil {
		n.progress(c)
	}
	if grade == Failing && n.said.Verdict == report.Passed {
		n.said.Verdict = report.Failed
	}
}

func (n *notes) well(topic, seen string, args ...any) {
	n.say(topic, Well, fmt.Sprintf(seen, args...), "")
}

func (n *notes) note(topic, seen string, args ...any) {
	n.say(topic, Note, fmt.Sprintf(seen, args...), "")
}

// stop notes what makes everything after it pointless.
func (n *notes) stop(verdict report.Verdict, topic, seen, do string) bool {
	n.say(topic, Failing, seen, do)
	n.said.Verdict = verdict
	return false
}

// clean makes a text that may come from the target harmless.
func (n *notes) clean(text string) string {
	if len(text) > 4*maxSaid { // before it is taken apart: a header can be a MiB long
		text = text[:4*maxSaid]
	}
	text, _ = plaintext.Printable(n.secrets.Clean(text))
	text = plaintext.OneLine(text)
	if utf8.RuneCountInString(text) <= maxSaid {
		return text
	}
	runes := []rune(text)
	return string(runes[:maxSaid-1]) + "…"
}
