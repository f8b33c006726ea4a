// SPDX-License-Identifier: Apache-2.0

package appserver

// laterEvents is where the layout of 2026 has the events of a conversation.
const laterEvents = prefix + "/conversation/{conversation_id}/events"

// laterPaths are the paths that the layout of 2026 has elsewhere: events are below their conversation, and a sandbox that tells something is
// known by its key alone.
var laterPaths = map[string]string{
	prefix + "/events/search":                                  laterEvents + "/search",
	prefix + "/events/count":                                   laterEvents + "/count",
	prefix + "/events":                                         laterEvents,
	prefix + "/webhooks/{sandbox_id}/conversations":            prefix + "/webhooks/conversations",
	prefix + "/webhooks/{sandbox_id}/events/{conversation_id}": prefix + "/webhooks/events/{conversation_id}",
}

// laterConversation is a conversation as a thing that the layout of 2026 has operations on.
const laterConversation = prefix + "/app-conversations/{conversation_id}"

// laterRoutes are those that the layout of 2026 has besides.
var laterRoutes = []route{
	{"PATCH", laterConversation, login},
	{"POST", laterConversation + "/send-message", login},
}

// at is the path at which a route is served.
func (s *Server) at(r route) string {
	if path, moved := laterPaths[r.path]; moved && s.config.Later {
		return path
	}
	return r.path
}

// eventsOf is the conversation whose events are asked for: the one in the path, or else the one that the query filters by; empty: there is
// none.
func (c *call) eventsOf(q *query) string {
	text, inPath := c.bound["conversation_id"]
	if !inPath {
		return q.uuid("conversation_id__eq")
	}
	id, is := readUUID(text)
	if !is {
		q.problems = append(q.problems, problem{[]any{"path", "conversation_id"}, "Input should be a valid UUID", "uuid_parsing"})
	}
	return id
}

// sender is the sandbox that a webhook comes from: the one in the path, or else the one whose key comes with it; nil: there is none.
func (c *call) sender() *sandbox {
	if id, inPath := c.bound["sandbox_id"]; inPath {
		return c.s.sandboxNow(id)
	}
	return c.speaker()
}

// speaker is the running sandbox that a session key belongs to; nil: it is that of none.
func (c *call) speaker() *sandbox {
	c.s.store.mu.Lock()
	defer c.s.store.mu.Unlock()
	for _, v := range c.s.store.sandboxes {
		if same(c.r.Header.Get(sessionHeader), v.key) {
			found := *v
			return &found
		}
	}
	return nil
}

// renameConversation gives a conversation of the caller another title.
func renameConversation(c *call) answer {
	rd := &reader{}
	o := rd.object(c)
	title := rd.text(o, []any{"body"}, "title")
	if f := invalid(rd.problems); f != nil {
		return c.refuse(f)
	}
	v := c.ownConversation()
	if v == nil {
		return c.refuse(notFound)
	}
	c.s.store.mu.Lock()
	if text, is := title.(string); is {
		v.title = text
	}
	now := *v
	c.s.store.mu.Unlock()
	return c.ok(now.shown(c))
}

// sendMessage takes a message for the agent of a conversation.
func sendMessage(c *call) answer {
	if c.ownConversation() == nil {
		return c.refuse(notFound)
	}
	return c.success()
}

// ownConversation is the one in the path, if it is the caller's.
func (c *call) ownConversation() *conversation {
	id, _ := readUUID(c.bound["conversation_id"])
	c.s.store.mu.Lock()
	defer c.s.store.mu.Unlock()
	if v := c.s.store.conversations[id]; v != nil && c.s.b.privacy.fetched(c, conversations.name, v.owner) {
		return v
	}
	return nil
}
