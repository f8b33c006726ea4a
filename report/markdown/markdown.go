// SPDX-License-Identifier: Apache-2.0

// Package markdown writes what a run found for the reviewer of a release, and what changed between two runs.
//
// The target's text stands in code only, in a span (code1) or in a fence (fenced), where no Markdown, HTML, link or mention
// of it is active. Text of suites and operators may be prose.
package markdown

import (
	"bytes"
	"fmt"
	"io"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
)

// maxBytes is the size that a Markdown report stays under: GitHub drops a step summary over 1 MiB whole.
const maxBytes = 900 << 10

// A detail is how much of each thing the Markdown report shows. A report that does not fit with one is written again
// with the next.
type detail struct {
	entries  int // of an exchange
	bytes    int // of each body in it
	card     int // of the card, which stands once
	findings int // of a test
	text     int // of each part of a finding
}

var details = []detail{
	{entries: 60, bytes: 3 << 10, card: 32 << 10, findings: 50, text: 8 << 10},
	{entries: 16, bytes: 2 << 10, card: 16 << 10, findings: 20, text: 4 << 10},
	{entries: 6, bytes: 1 << 10, card: 8 << 10, findings: 10, text: 1 << 10},
	{entries: 0, bytes: 0, findings: 4, text: 500},
}

// Write writes the report that a release reviewer reads from top to bottom. It stands alone: some CI systems
// show nothing else.
func Write(w io.Writer, run report.Settled) error {
	var m *writer
	for i := range details {
		m = &writer{run: run.Run, detail: details[i], shortened: i > 0, last: i == len(details)-1}
		m.body()
		if !m.over {
			break
		}
	}
	body := m.Bytes()
	m.Buffer = bytes.Buffer{}
	m.verdict()
	if _, err := w.Write(m.Bytes()); err != nil {
		return err
	}
	_, err := w.Write(body)
	return err
}

// A writer is one attempt at writing the report with one detail.
type writer struct {
	bytes.Buffer
	run       *report.Run
	detail    detail
	cards     phrases.Cards
	shortened bool // a fuller attempt did not fit
	last      bool // the last attempt leaves items out where the others give up
	over      bool // it does not fit
	leftOut   int  // items that the last attempt left out
}

// spare is kept free for the verdict block and the headings of sections that find no room any more.
const spare = 128 << 10

func (m *writer) body() {
	for _, section := range []func(){
		m.preflight, m.failures, m.warnings,
		m.blocked, m.skips, m.next,
		m.identity, m.surfaces, m.claims, m.waivers, m.policies, m.notes, m.reproduce,
	} {
		section()
		if m.over {
			return
		}
	}
}

func (m *writer) f(format string, args ...any) { fmt.Fprintf(m, format, args...) }

// each writes n items. When they do not fit, the last attempt says how many are left out; others give up.
func (m *writer) each(n int, what string, item func(i int)) {
	for i := range n {
		before := m.Len()
		item(i)
		if m.Len() <= maxBytes-spare {
			continue
		}
		m.Truncate(before)
		if !m.last {
			m.over = true
			return
		}
		m.leftOut += n - i
		m.f("\n%d of %d %s are left out here for size; the JSON report has them.\n", n-i, n, what)
		return
	}
}

// results are those of the run that are wanted.
func (m *writer) results(wanted func(*report.Result) bool) []*report.Result {
	var some []*report.Result
	for i := range m.run.Results {
		if r := &m.run.Results[i]; wanted(r) {
			some = append(some, r)
		}
	}
	return some
}

// fold writes what is shown only on a click. The blank lines make Markdown work inside.
func (m *writer) fold(summary, content string) {
	m.f("<details><summary>%s</summary>\n\n%s\n</details>\n\n", summary, content)
}
