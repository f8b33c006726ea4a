// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// typeExit is the hook exit-process where the step's actor can do it: it types into the shell of its session.
func (t terminal) typeExit(step *suites.Step, with map[string]any) *subjects.Observation {
	o := subjects.New()
	s := t.actor(step).socket
	if s == nil {
		o.Blocked = fmt.Sprintf("%s by typing needs a socket, and no step before it has opened one for %s", target.ExitProcessHook, actorName(t.actor(step).name))
		return o
	}
	if s.tap != nil {
		s.tap.Resume()
	}
	line := fmt.Sprintf("exit %s\n", jsontext.Text(with["code"]))
	if err := t.typeText(step, s, suites.Type{Text: line}, o); err != nil {
		o.Cannot(err)
		return o
	}
	o.Value("result", map[string]any{"typed": line})
	return o
}
