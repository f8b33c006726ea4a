// SPDX-License-Identifier: Apache-2.0

package target

import (
	"fmt"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// NoHook says what to write into the configuration file, so that what needs the hook can be judged.
func (t *Target) NoHook(name string) report.Reason {
	entry, what := "{command: [...]}", ""
	if known, _ := t.Profile.Hook(name); known.Entry != "" {
		entry, what = known.Entry, ", "+known.What
	}
	return report.Reason{Code: "no-hook:" + name,
		Detail: fmt.Sprintf("needs the hook %s; add it to the configuration file: hooks: {%s: %s}%s", name, name, entry, what)}
}

// NoSession says how terminal sessions can be configured; why is what was tried, and before it what has run out.
func (t *Target) NoSession(before, why string) string {
	known, _ := t.Profile.Hook(CreateSessionHook)
	return fmt.Sprintf("%sneeds a terminal session that no client is attached to; name some with --session ID, or add to the configuration file: "+
		"hooks: {%s: %s}, %s (%s)", before, CreateSessionHook, known.Entry, known.What, why)
}
