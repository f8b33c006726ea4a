// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

func (m *writer) reproduce() {
	m.f("## How to reproduce\n\n")
	m.f("The whole run, with credentials from `AGENTIC_SANDBOX_CONFORMANCE_TOKEN` and `AGENTIC_SANDBOX_CONFORMANCE_ADMIN_TOKEN`:\n\n")
	m.f("%s\n", fenced("sh", show.Clip(phrases.Command(m.run), 8<<10)))
	if configured := phrases.Configured(m.run); len(configured) > 0 {
		m.f("Also configured, in the configuration file or by flags whose values are not recorded: %s.\n\n", prose(strings.Join(configured, "; ")))
	}
	m.f("One test: the same with `--run ID --report-out rerun/ID.md`. What a test asks, in full: `%s explain ID`.\n", phrases.ToolName)
	m.f("That the tests can fail is shown by `%s self-test`.\n", phrases.ToolName)
}
