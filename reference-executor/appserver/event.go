// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// kinds are those of events, in the order of the document.
var kinds = []string{
	"ActionEvent", "AgentErrorEvent", "Condensation", "CondensationRequest", "CondensationSummaryEvent", "ConversationErrorEvent",
	"ConversationStateUpdateEvent", "MessageEvent", "ObservationEvent", "PauseEvent", "SystemPromptEvent", "TokenEvent",
}

var sources = []string{"agent", "user", "environment"}

var eventSorts = []string{"TIMESTAMP", "TIMESTAMP_DESC"}

// An event is one of a conversation, as it was posted.
type event struct {
	id           string
	conversation string
	owner        *user
	n            int
	kind         string
	at           time.Time
	body         object
	posted       bool // by a sandbox
}

func (v *event) of() *user { return v.owner }

// eventsBehaviour is what events are found by, and what is told of them.
type eventsBehaviour struct {
	shown  func(c *call, v *event, o object) object
	keeps  func(s *Server, v *event) bool
	get    func(c *call, id string) *event // the store is locked
	of     func(v *event, conversation string) bool
	kind   func(v *event, kind string) bool
	from   func(v *event, t time.Time) bool
	before func(v *event, t time.Time) bool
	time   func(q *query, name string) time.Time
	order  func(found []event, sort string)
	sort   func(q *query) string
}

var conformantEvents = eventsBehaviour{
	shown:  func(_ *call, _ *event, o object) object { return o },
	keeps:  func(*Server, *event) bool { return true },
	get:    func(c *call, id string) *event { return c.s.store.events[id] },
	of:     func(v *event, conversation string) bool { return v.conversation == conversation },
	kind:   func(v *event, kind string) bool { return v.kind == kind },
	from:   func(v *event, t time.Time) bool { return !v.at.Before(t) },
	before: func(v *event, t time.Time) bool { return v.at.Before(t) },
	time:   func(q *query, name string) time.Time { return q.time(name) },
	order: func(found []event, sort string) {
		if sort == "TIMESTAMP_DESC" {
			slices.Reverse(found)
		}
	},
	sort: func(q *query) string {
		if sort := q.oneOf("sort_order", eventSorts); sort != "" {
			return sort
		}
		return "TIMESTAMP"
	},
}

// shown is what is told of an event.
func (v *event) shown(c *call) any {
	return c.s.b.events.shown(c, v, maps.Clone(v.body))
}

// keep stores an event of a conversation. The store is locked.
func (s *Server) keep(v *event) error {
	if !s.b.events.keeps(s, v) {
		return nil
	}
	of := s.store.conversations[v.conversation]
	if of == nil {
		return nil
	}
	v.owner, v.n = of.owner, s.store.next()
	v.body["id"] = v.id
	s.store.events[v.id] = v
	text, err := json.Marshal(v.body)
	if err == nil {
		err = s.store.write(s.b.storage.path(v), text)
	}
	if err != nil {
		return fmt.Errorf("store an event: %w", err)
	}
	return nil
}

func findEvents(c *call, q *query, mine func(*user) bool) []record {
	b := &c.s.b.events
	of, kind := c.eventsOf(q), q.oneOf("kind__eq", kinds)
	from, before := b.time(q, "timestamp__gte"), b.time(q, "timestamp__lt")
	sort := b.sort(q)
	st := &c.s.store
	st.mu.Lock()
	defer st.mu.Unlock()
	found := some(st.events, func(v *event) bool {
		return mine(v.owner) && (of == "" || b.of(v, of)) && (kind == "" || b.kind(v, kind)) &&
			(from.IsZero() || b.from(v, from)) && (before.IsZero() || b.before(v, before))
	}, func(v *event) (time.Time, int) { return v.at, v.n })
	b.order(found, sort)
	return records[event](found)
}

func getEvent(c *call, id string) record {
	c.s.store.mu.Lock()
	defer c.s.store.mu.Unlock()
	v := c.s.b.events.get(c, id)
	if v == nil {
		return nil
	}
	if of, _ := readUUID(c.bound["conversation_id"]); of != "" && v.conversation != of {
		return nil
	}
	now := *v
	return &now
}
