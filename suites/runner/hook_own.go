// SPDX-License-Identifier: Apache-2.0

package runner

// Hooks that the run serves itself.

import (
	"fmt"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/layout"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/openapi"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// openAPI is the hooks openapi and openapi-answers: the document that the step gives is taken apart, and asked what the step wants to know.
func (c caller) openAPI(step *suites.Step, do suites.Hook) *subjects.Observation {
	with, err := c.expand(map[string]any(do.With))
	if err != nil {
		return unfilled(err)
	}
	members, _ := with.(map[string]any)
	var answers *openapi.Record
	if do.Name == hooks.OpenAPIAnswers {
		answers = c.run.answers
	}
	o := subjects.New()
	question, err := openapi.Asked(members, answers)
	if err != nil {
		o.Blocked = err.Error()
		return o
	}
	if c.run.Config.InLaterLayout() {
		question.Operation = layout.Operation(question.Operation)
	}
	result, partly := openapi.Read(members["document"]).Digest(question)
	c.rec.Record("hook", c.actor(step).name, do.Name, "", nil)
	o.Value("result", result)
	if question.Operation != "" {
		o.SeenOn = "OpenAPI " + question.Operation
	}
	o.Partly = partly
	return o
}

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
