// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

func (m *writer) reproduce() {
	m.f("## How to reproduce\n\n")
	for i, part := range phrases.WholeRun(m.run) {
		if i > 0 {
			m.f(" ")
		}
		if part.Code {
			part.Text = code1(part.Text)
		}
		m.f("%s", part.Text)
	}
	m.f("\n\n")
	m.f("%s\n", fenced("sh", show.Clip(phrases.Command(m.run), 8<<10)))
	if configured := phrases.Configured(m.run); len(configured) > 0 {
		m.f("Also configured, in the configuration file or by flags whose values are not recorded: %s.\n\n", prose(strings.Join(configured, "; ")))
	}
	m.f("One test: the same with `%s`. What a test asks, in full: `%s explain ID`.\n", phrases.OneOf(m.run), phrases.ToolName)
	m.f("That the tests can fail is shown by `%s self-test`.\n", phrases.ToolName)
}
