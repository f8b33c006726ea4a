// SPDX-License-Identifier: Apache-2.0

package reporttest

import (
	"fmt"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// Next is what to configure next in one line, as tables of tests have it: "+2 hook:restart = 12; if +1 hook:storage = 13". It says so
// where a step counts otherwise than it lists.
func Next(n *report.Next) string {
	if n == nil {
		return "nothing"
	}
	list := func(steps []report.Step) string {
		all := make([]string, len(steps))
		for i, s := range steps {
			if s.Adds != len(s.Tests) {
				return "counts otherwise than it lists"
			}
			all[i] = fmt.Sprintf("+%d %s = %d", s.Adds, strings.Join(s.Configure, " "), s.Measured)
		}
		return strings.Join(all, ", ")
	}
	text := list(n.Steps)
	if len(n.IfTrue) > 0 {
		text += "; if " + list(n.IfTrue)
	}
	for _, s := range n.Cases {
		text += fmt.Sprintf("; cases of %s by %s", strings.Join(s.Tests, " "), strings.Join(s.Configure, " "))
	}
	return text
}
