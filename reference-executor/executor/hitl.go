// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	textmessage "golang.org/x/text/message"
)

// hitlBehaviour is hitl-prompt/v1: how the agent asks and how answers are taken.
type hitlBehaviour struct {
	envelope func(t task) any
	shows    func(t task) bool                                     // whether a view of the task carries the envelope
	taskless func(in *instance, m message, o sendOptions) *problem // an answer without taskId
	open     func(t task, promptID string) bool
	check    func(pr *prompt, payload map[string]any) *problem
	invalid  func(in *instance, t task) // an answer was refused
	refused  func(pr *problem) *problem // how an answer is refused
	answered func(in *instance, t task, opts sendOptions) (task, *problem)
	place    func(t task, v map[string]any) // puts the envelope elsewhere in the task
}

var conformantHITL = hitlBehaviour{
	envelope: func(t task) any { return t.Prompt.envelope() },
	shows:    func(t task) bool { return t.Active.has(uriHITL) },
	taskless: func(*instance, message, sendOptions) *problem {
		return refuse(http.StatusBadRequest, "hitl_response.missing_task_id", "the answer to a prompt names its task in taskId")
	},
	open: func(t task, promptID string) bool {
		return t.State == inputRequired && t.Prompt != nil && t.Prompt.ID == promptID
	},
	check:    checkPayload,
	invalid:  func(*instance, task) {},
	refused:  func(pr *problem) *problem { return pr },
	answered: func(in *instance, t task, opts sendOptions) (task, *problem) { return in.resume(t, opts) },
	place:    func(task, map[string]any) {},
}

// A prompt is a question of the agent to a human (hitl-prompt/v1).
type prompt struct {
	ID       string
	Text     string
	Schema   map[string]any
	Deadline time.Time
}

// ask opens a prompt on a task.
func ask(t *task) {
	t.Says = "waiting for an answer"
	t.Prompt = &prompt{
		ID:   uuid.NewString(),
		Text: "Deploy the build to production?",
		Schema: map[string]any{
			"type":     "object",
			"required": []any{"decision"},
			"properties": map[string]any{
				"decision": map[string]any{"type": "string", "enum": []any{"approve", "reject"}},
				"comment":  map[string]any{"type": "string", "maxLength": 200},
				"ticket":   map[string]any{"type": "string", "pattern": "^[A-Z]{2,6}-[0-9]+$"},
				"replicas": map[string]any{"type": "integer", "minimum": 1, "maximum": 64},
			},
			"additionalProperties": false,
		},
		Deadline: t.Changed.Add(time.Hour).Truncate(time.Millisecond),
	}
}

// envelope is the prompt as the extension wants it.
func (p *prompt) envelope() map[string]any {
	return map[string]any{
		"prompt_id":          p.ID,
		"prompt":             p.Text,
		"response_schema":    p.Schema,
		"deadline":           p.Deadline.UTC().Format(time.RFC3339Nano),
		"allowed_responders": []any{"specific:release-manager", "consensus:2"},
	}
}

// answerPrompt lets a client answer the prompt of a task; e.work is held.
func (in *instance) answerPrompt(t task, m message, opts sendOptions) (task, *problem) {
	b := in.e.b
	if !b.hitl.open(t, m.Answer.PromptID) {
		return task{}, b.hitl.refused(refuse(http.StatusConflict, "hitl_already_answered_or_unknown",
			"the task has no open prompt of that id"))
	}
	if p := b.hitl.check(t.Prompt, m.Answer.Payload); p != nil {
		b.hitl.invalid(in, t)
		return task{}, b.hitl.refused(p)
	}
	if m.ContextID != "" && m.ContextID != t.ContextID {
		if p := b.tasks.otherContext(&t, m); p != nil {
			return task{}, p
		}
	}
	t.Answered = append(slices.Clip(t.Answered), m.Answer.PromptID)
	t.Messages = append(slices.Clip(t.Messages), m.Raw)
	return b.hitl.answered(in, t, opts)
}

// checkPayload judges an answer by the schema of its prompt.
func checkPayload(pr *prompt, payload map[string]any) *problem {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	const name = "mem:///response_schema"
	err := c.AddResource(name, any(pr.Schema))
	if err != nil {
		return refuse(http.StatusInternalServerError, "internal.error", "")
	}
	schema, err := c.Compile(name)
	if err != nil {
		return refuse(http.StatusInternalServerError, "internal.error", "")
	}
	var broken *jsonschema.ValidationError
	if err := schema.Validate(any(payload)); !errors.As(err, &broken) {
		return nil
	}
	return refuse(http.StatusUnprocessableEntity, "hitl_response_invalid", "the payload does not keep the response_schema").
		with("validation_errors", violations(broken))
}

// violations lists the innermost errors, each with a JSON pointer into the payload.
func violations(err *jsonschema.ValidationError) []any {
	if len(err.Causes) > 0 {
		var list []any
		for _, cause := range err.Causes {
			list = append(list, violations(cause)...)
		}
		return list
	}
	at := pointer(err.InstanceLocation)
	keyword := strings.Join(err.ErrorKind.KeywordPath(), "/")
	says := err.ErrorKind.LocalizedString(textmessage.NewPrinter(language.English))
	one := func(path string) any { return map[string]any{"path": path, "keyword": keyword, "message": says} }
	var names []string
	switch k := err.ErrorKind.(type) {
	case *kind.Required:
		names = k.Missing
	case *kind.AdditionalProperties:
		names = k.Properties
	default:
		return []any{one(at)}
	}
	var list []any
	for _, name := range names {
		list = append(list, one(at+pointer([]string{name})))
	}
	return list
}

func pointer(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(t))
	}
	return b.String()
}

// parseAnswer reads metadata.hitl_response_for.
func parseAnswer(v any) (*promptAnswer, *problem) {
	object, ok := v.(map[string]any)
	id, isText := object["prompt_id"].(string)
	payload, isObject := object["payload"].(map[string]any)
	if !ok || !isText || id == "" || !isObject || len(object) != 2 {
		return nil, refuse(http.StatusBadRequest, "hitl_response.invalid_envelope",
			"metadata.hitl_response_for has exactly the members prompt_id, a string, and payload, an object")
	}
	return &promptAnswer{id, payload}, nil
}
