// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
)

// The values of enums.
var (
	providers  = []string{"github", "gitlab", "bitbucket", "enterprise_sso"}
	triggers   = []string{"resolver", "gui", "suggested_task", "openhands_api", "slack", "microagent_management", "jira", "jira_dc", "linear", "bitbucket"}
	agentTypes = []string{"default", "plan"}
	roles      = []string{"user", "system", "assistant", "tool"}
	executions = []string{"idle", "running", "paused", "waiting_for_confirmation", "finished", "error", "stuck"}
)

// A reader reads the members of a JSON body, and gathers what is wrong with it.
type reader struct {
	problems []problem
}

func (rd *reader) wrong(loc []any, kind, msg string) {
	rd.problems = append(rd.problems, problem{loc, msg, kind})
}

// body is the JSON value of a request. It is false when there is none, of which a problem tells.
func (rd *reader) body(c *call) (v any, is bool) {
	if len(bytes.TrimSpace(c.body)) == 0 {
		rd.wrong([]any{"body"}, "missing", "Field required")
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(c.body))
	d.UseNumber()
	err := d.Decode(&v)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errMore
		}
	}
	if err != nil {
		rd.wrong([]any{"body", int(d.InputOffset())}, "json_invalid", "JSON decode error")
		return nil, false
	}
	return v, true
}

var errMore = json.Unmarshal([]byte("0 0"), new(any))

// object is the JSON object of a request.
func (rd *reader) object(c *call) object {
	v, is := rd.body(c)
	if !is {
		return nil
	}
	o, is := v.(object)
	if !is {
		rd.wrong([]any{"body"}, "model_attributes_type", "Input should be a valid dictionary or object to extract fields from")
	}
	return o
}

// text is a member that is a text or null.
func (rd *reader) text(o object, loc []any, name string) any {
	switch v := o[name].(type) {
	case nil, string:
		return v
	default:
		rd.wrong(append(slices.Clone(loc), name), "string_type", "Input should be a valid string")
		return nil
	}
}

// oneOf is a member that has one of some values, or null.
func (rd *reader) oneOf(o object, loc []any, name string, values []string) any {
	v := o[name]
	if text, is := v.(string); v == nil || is && slices.Contains(values, text) {
		return v
	}
	rd.wrong(append(slices.Clone(loc), name), "enum", "Input should be one of "+strings.Join(values, ", "))
	return nil
}

// list is a member that is an array; nil where it is not there.
func (rd *reader) list(o object, loc []any, name string) []any {
	v, given := o[name]
	if !given {
		return nil
	}
	all, is := v.([]any)
	if !is {
		rd.wrong(append(slices.Clone(loc), name), "list_type", "Input should be a valid list")
	}
	return all
}

// uuid is a member that is a UUID or null, as 32 hex digits.
func (rd *reader) uuid(o object, loc []any, name string) any {
	v := o[name]
	if v == nil {
		return nil
	}
	text, _ := v.(string)
	id, is := readUUID(text)
	if !is {
		rd.wrong(append(slices.Clone(loc), name), "uuid_parsing", "Input should be a valid UUID")
		return nil
	}
	return id
}

// startBehaviour is how a start request is read.
type requestBehaviour struct {
	oneOf func(rd *reader, o object, name string, values []string) any
	pulls func(rd *reader, o object) []any // pr_number
}

var conformantRequest = requestBehaviour{
	oneOf: func(rd *reader, o object, name string, values []string) any {
		return rd.oneOf(o, []any{"body"}, name, values)
	},
	pulls: func(rd *reader, o object) []any {
		all := rd.list(o, []any{"body"}, "pr_number")
		for i, v := range all {
			n, is := v.(json.Number)
			if _, err := strconv.Atoi(string(n)); !is || err != nil {
				rd.wrong([]any{"body", "pr_number", i}, "int_type", "Input should be a valid integer")
			}
		}
		if all == nil {
			return []any{}
		}
		return all
	},
}

// startRequest reads the request of a start, with defaults filled in. Unknown members are ignored.
func (c *call) startRequest() (request object, f *failure) {
	rd, at := &reader{}, []any{"body"}
	o := rd.object(c)
	if o == nil {
		return nil, invalid(rd.problems)
	}
	b := &c.s.b.request
	request = object{
		"git_provider": b.oneOf(rd, o, "git_provider", providers),
		"trigger":      b.oneOf(rd, o, "trigger", triggers),
		"pr_number":    b.pulls(rd, o),
		"processors":   append([]any{}, rd.list(o, at, "processors")...),
	}
	for _, name := range []string{"sandbox_id", "llm_model", "selected_repository", "selected_branch", "title"} {
		request[name] = rd.text(o, at, name)
	}
	request["initial_message"] = rd.message(o)
	if !c.s.config.Older {
		request["parent_conversation_id"] = rd.uuid(o, at, "parent_conversation_id")
		if request["agent_type"] = b.oneOf(rd, o, "agent_type", agentTypes); request["agent_type"] == nil {
			request["agent_type"] = "default"
		}
	}
	return request, invalid(rd.problems)
}

// message is the first message of a conversation, or null.
func (rd *reader) message(o object) any {
	v, at := o["initial_message"], []any{"body", "initial_message"}
	if v == nil {
		return nil
	}
	m, is := v.(object)
	if !is {
		rd.wrong(at, "model_attributes_type", "Input should be a valid dictionary")
		return nil
	}
	role := rd.oneOf(m, at, "role", roles)
	if role == nil {
		role = "user"
	}
	run, is := m["run"].(bool)
	if _, given := m["run"]; given && !is {
		rd.wrong(append(at, "run"), "bool_type", "Input should be a valid boolean")
	}
	content := append([]any{}, rd.list(m, at, "content")...)
	for i, part := range content {
		p, _ := part.(object)
		_, text := p["text"].(string)
		_, images := p["image_urls"].([]any)
		if !(p["type"] == "text" && text || p["type"] == "image" && images) {
			rd.wrong(append(at, "content", i), "union_tag_invalid", "Input should be a text or an image")
		}
	}
	return object{"role": role, "content": content, "run": run}
}
