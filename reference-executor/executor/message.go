// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/json"
	"regexp"
	"slices"
)

// A message is what a client says to the agent.
type message struct {
	ID        string
	Role      string
	ContextID string
	TaskID    string
	Text      string // of all text parts, a line each
	Tenant    string // "" when the client names none
	Answer    *promptAnswer
	Adapter   *adapterCommand
	Metadata  map[string]any
	Raw       map[string]any // as the client sent it
	badTenant *problem       // a tenant_id that a fault looks at later
}

// A promptAnswer answers a prompt of hitl-prompt/v1.
type promptAnswer struct {
	PromptID string
	Payload  map[string]any
}

var tenantPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// messageRules are the parts of reading a message that an executor can get wrong.
type messageRules struct {
	parts   func(v any) *problem
	tenant  func(v any) (string, *problem)
	answer  func(v any) (*promptAnswer, *problem)
	adapter func(v any) (*adapterCommand, *problem)
}

var conformantRules = messageRules{parts: checkParts, tenant: parseTenant, answer: parseAnswer, adapter: parseAdapter}

// parseMessage reads a Message object. It refuses what A2A does not let a message be.
func parseMessage(v map[string]any) (message, *problem) { return conformantRules.parse(v) }

func (rules messageRules) parse(v map[string]any) (message, *problem) {
	m := message{Raw: v}
	if kind, given := v["kind"]; given && kind != "message" {
		return m, invalid("message.kind", `is not "message"`)
	}
	for _, member := range []struct {
		name   string
		value  *string
		needed bool
	}{
		{"messageId", &m.ID, true}, {"role", &m.Role, true}, {"contextId", &m.ContextID, false}, {"taskId", &m.TaskID, false},
	} {
		if p := text(v, member.name, member.value, member.needed); p != nil {
			return m, p
		}
	}
	if !slices.Contains([]string{"user", "agent", "ROLE_USER", "ROLE_AGENT"}, m.Role) {
		return m, invalid("message.role", "is not user or agent")
	}
	if p := rules.parts(v["parts"]); p != nil {
		return m, p
	}
	m.Text = textOf(v)
	for _, name := range []string{"referenceTaskIds", "extensions"} {
		if !isTexts(v[name]) {
			return m, invalid("message."+name, "is not a list of strings")
		}
	}
	return m, rules.metadata(&m, v)
}

// text reads a string member that is not empty.
func text(v map[string]any, name string, into *string, needed bool) *problem {
	value, given := v[name]
	if !given && !needed {
		return nil
	}
	s, ok := value.(string)
	if !ok || s == "" {
		return invalid("message."+name, "is not a string with content")
	}
	*into = s
	return nil
}

func isTexts(v any) bool {
	if v == nil {
		return true
	}
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(item any) bool { _, ok := item.(string); return !ok })
}

func checkParts(v any) *problem {
	parts, ok := v.([]any)
	if !ok || len(parts) == 0 {
		return invalid("message.parts", "is not a list with at least one part")
	}
	for _, item := range parts {
		if part, ok := item.(map[string]any); !ok || !isPart(part) {
			return invalid("message.parts", "holds something that is no text, file or data part")
		}
	}
	return nil
}

// isPart knows both spellings: A2A 0.3 with kind, and 1.0 without.
func isPart(part map[string]any) bool {
	is := func(name string) bool { _, ok := part[name].(string); return ok }
	_, file := part["file"].(map[string]any)
	_, data := part["data"]
	switch part["kind"] {
	case "text":
		return is("text")
	case "file":
		return file
	case "data":
		return data
	case nil:
		return is("text") || is("raw") || is("url") || data || file
	}
	return false
}

func (rules messageRules) metadata(m *message, v map[string]any) *problem {
	value, given := v["metadata"]
	if !given {
		return nil
	}
	metadata, ok := value.(map[string]any)
	if !ok {
		return invalid("message.metadata", "is not an object")
	}
	m.Metadata = metadata
	var p *problem
	if tenant, given := metadata["tenant_id"]; given {
		if m.Tenant, p = rules.tenant(tenant); p != nil {
			return p
		}
	}
	if response, given := metadata["hitl_response_for"]; given {
		if m.Answer, p = rules.answer(response); p != nil {
			return p
		}
	}
	if envelope, given := metadata[uriAdapter]; given {
		m.Adapter, p = rules.adapter(envelope)
	}
	return p
}

// parseTenant takes a tenant_id as multi-tenant/v1 defines it.
func parseTenant(v any) (string, *problem) {
	s, ok := v.(string)
	if !ok || !tenantPattern.MatchString(s) {
		return "", invalid("metadata.tenant_id", "does not match "+tenantPattern.String())
	}
	return s, nil
}

// number reads an integer that JSON may have written as 5, 5.0 or 5e0.
func number(v any) (int, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	if err != nil || f != float64(int(f)) {
		return 0, false
	}
	return int(f), true
}
