// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"encoding/json"
	"net/http"
	"time"
)

// webhooksBehaviour is what sandboxes tell of themselves, and who is believed.
type webhooksBehaviour struct {
	speaks       func(c *call) (*sandbox, *failure)       // for which sandbox
	conversation func(c *call) (object, *failure)         // the body of an update
	events       func(c *call) ([]*event, *failure)       // the body with events
	into         func(c *call) (id string, f *failure)    // the conversation in the path
	first        func(c *call) *failure                   // before the key is looked at
	may          func(box *sandbox, v *conversation) bool // tell of events
	mayUpdate    func(box *sandbox, v *conversation) bool
	update       func(s *Server, v *conversation, told object, existed bool)
	done         func(c *call) answer
}

var conformantWebhooks = webhooksBehaviour{
	first: func(*call) *failure { return nil },
	speaks: func(c *call) (*sandbox, *failure) {
		box := c.sender()
		if box == nil || box.state != running || !same(c.r.Header.Get(sessionHeader), box.key) {
			return nil, unauthorized
		}
		return box, nil
	},
	conversation: func(c *call) (object, *failure) {
		rd, at := &reader{}, []any{"body"}
		o := rd.object(c)
		if o == nil {
			return nil, invalid(rd.problems)
		}
		told := object{"id": rd.uuid(o, at, "id"), "execution_status": rd.oneOf(o, at, "execution_status", executions), "metrics": metricsOf(o)}
		if told["id"] == nil && o["id"] == nil {
			rd.wrong([]any{"body", "id"}, "missing", "Field required")
		}
		agent := rd.required(o, "agent", "kind")
		llm, _ := agent["llm"].(object)
		if told["llm_model"] = llm["model"]; agent != nil && told["llm_model"] == nil {
			rd.wrong([]any{"body", "agent", "llm", "model"}, "missing", "Field required")
		}
		if _, is := told["llm_model"].(string); !is && told["llm_model"] != nil {
			rd.wrong([]any{"body", "agent", "llm", "model"}, "string_type", "Input should be a valid string")
		}
		rd.required(o, "workspace", "working_dir")
		return told, invalid(rd.problems)
	},
	events: func(c *call) ([]*event, *failure) {
		rd := &reader{}
		v, is := rd.body(c)
		if !is {
			return nil, invalid(rd.problems)
		}
		list, is := v.([]any)
		if !is {
			rd.wrong([]any{"body"}, "list_type", "Input should be a valid list")
		}
		var all []*event
		for i, one := range list {
			all = append(all, rd.event(one, []any{"body", i}))
		}
		return all, invalid(rd.problems)
	},
	into: func(c *call) (string, *failure) {
		id, is := readUUID(c.bound["conversation_id"])
		if !is {
			return "", invalid([]problem{{[]any{"path", "conversation_id"}, "Input should be a valid UUID", "uuid_parsing"}})
		}
		return id, nil
	},
	may:       func(box *sandbox, v *conversation) bool { return v.owner == box.owner },
	mayUpdate: func(box *sandbox, v *conversation) bool { return v.owner == box.owner },
	update: func(_ *Server, v *conversation, told object, _ bool) {
		v.model, v.updated = told["llm_model"], time.Now()
		if text, is := told["execution_status"].(string); is {
			v.execution = text
		}
		if told["metrics"] != nil {
			v.metrics = told["metrics"]
		}
	},
	done: func(c *call) answer { return c.success() },
}

// required is a member that is an object with a text in it.
func (rd *reader) required(o object, name, text string) object {
	v, is := o[name].(object)
	switch {
	case o[name] == nil:
		rd.wrong([]any{"body", name}, "missing", "Field required")
	case !is:
		rd.wrong([]any{"body", name}, "model_attributes_type", "Input should be a valid dictionary")
	default:
		if _, is := v[text].(string); !is {
			rd.wrong([]any{"body", name, text}, "missing", "Field required")
		}
	}
	return v
}

// event reads one that was posted.
func (rd *reader) event(v any, at []any) *event {
	o, is := v.(object)
	if !is {
		rd.wrong(at, "model_attributes_type", "Input should be a valid dictionary")
		return nil
	}
	for _, name := range []string{"kind", "id", "timestamp", "source"} {
		if o[name] == nil || o[name] == "" {
			rd.wrong(append(at, name), "missing", "Field required")
		}
	}
	e := &event{body: o, posted: true}
	e.id, _ = rd.text(o, at, "id").(string)
	e.kind, _ = rd.oneOf(o, at, "kind", kinds).(string)
	rd.oneOf(o, at, "source", sources)
	text, _ := rd.text(o, at, "timestamp").(string)
	if e.at, is = readTime(text); !is && text != "" {
		rd.wrong(append(at, "timestamp"), "datetime_parsing", "Input should be a valid datetime")
	}
	return e
}

// metricsOf are those that an agent server gives with a conversation, or null.
func metricsOf(o object) any {
	stats, _ := o["stats"].(object)
	m, is := stats["accumulated"].(object)
	if !is {
		return nil
	}
	cost, is := m["accumulated_cost"].(json.Number)
	if !is {
		cost = "0"
	}
	return object{"model_name": "default", "accumulated_cost": cost, "max_budget_per_task": nil, "accumulated_token_usage": nil}
}

// conversationUpdate takes what a sandbox tells of a conversation.
func conversationUpdate(c *call) answer {
	b, st := &c.s.b.webhooks, &c.s.store
	if f := b.first(c); f != nil {
		return c.refuse(f)
	}
	box, f := b.speaks(c)
	if f != nil {
		return c.refuse(f)
	}
	told, f := b.conversation(c)
	if f != nil {
		return c.refuse(f)
	}
	id, _ := told["id"].(string)
	st.mu.Lock()
	v, existed := st.conversations[id]
	if existed && !b.mayUpdate(box, v) {
		st.mu.Unlock()
		return c.refuse(unauthorized)
	}
	if !existed {
		v = &conversation{
			id: id, owner: box.owner, n: st.next(), sandbox: box.id, title: "Conversation " + id, created: time.Now(), execution: "idle",
		}
		st.conversations[id] = v
	}
	b.update(c.s, v, told, existed)
	st.mu.Unlock()
	return b.done(c)
}

// newEvents takes events that a sandbox tells of.
func newEvents(c *call) answer {
	b, st := &c.s.b.webhooks, &c.s.store
	if f := b.first(c); f != nil {
		return c.refuse(f)
	}
	box, f := b.speaks(c)
	if f != nil {
		return c.refuse(f)
	}
	into, f := b.into(c)
	if f != nil {
		return c.refuse(f)
	}
	all, f := b.events(c)
	if f != nil {
		return c.refuse(f)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if of := st.conversations[into]; of != nil && !b.may(box, of) {
		return c.refuse(unauthorized)
	}
	for _, e := range all {
		e.conversation = into
		if was := st.events[e.id]; was != nil && was.conversation != into {
			return c.refuse(fail(http.StatusConflict, "There is an event of another conversation with this id"))
		}
		if err := c.s.keep(e); err != nil {
			c.s.log.Error("an event is not kept", "error", err)
		}
	}
	return b.done(c)
}
