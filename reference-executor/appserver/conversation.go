// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"slices"
	"strings"
	"time"
)

// model is the language model that conversations have where nobody says another one.
const model = "anthropic/claude-sonnet-4-5-20250929"

// A conversation is the record of one, which outlives its sandbox.
type conversation struct {
	id        string // 32 hex digits
	owner     *user
	n         int
	sandbox   string
	title     any
	repo      any
	branch    any
	provider  any
	trigger   any
	pulls     []any
	model     any
	metrics   any
	parent    string // empty: it is no part of another one
	created   time.Time
	updated   time.Time
	execution string // as it was told last
	begun     bool   // by a start: the agent server knows it
}

func (v *conversation) of() *user { return v.owner }

// conversationsBehaviour is what conversations are found by, and what is told of them.
type conversationsBehaviour struct {
	shown     func(c *call, v *conversation, o object) object
	live      func(c *call, v *conversation, b *sandbox, o object) // the members that a running sandbox has
	status    func(b *sandbox) any                                 // of the sandbox; nil: it is gone
	pulls     func(v *conversation) any
	titled    func(title, part string) bool
	from      func(v *conversation, updated bool, t time.Time) bool // not before
	before    func(v *conversation, updated bool, t time.Time) bool
	order     func(found []conversation)   // of a search
	withParts func(c *call, q *query) bool // conversations that are part of others are listed too
}

var conformantConversations = conversationsBehaviour{
	shown: func(_ *call, _ *conversation, o object) object { return o },
	live: func(c *call, v *conversation, b *sandbox, o object) {
		if b == nil || b.state != running {
			return
		}
		o["session_api_key"] = b.key
		o["conversation_url"] = c.s.b.sandboxes.agent(c, b) + "/api/conversations/" + v.id
		o["execution_status"] = v.execution
		if live, is := c.live[v.id]; is {
			o["execution_status"] = live
		}
	},
	status: func(b *sandbox) any {
		if b == nil {
			return missing
		}
		return b.state
	},
	pulls:  func(v *conversation) any { return append([]any{}, v.pulls...) },
	titled: func(title, part string) bool { return strings.Contains(strings.ToLower(title), strings.ToLower(part)) },
	from:   func(v *conversation, updated bool, t time.Time) bool { return !v.when(updated).Before(t) },
	before: func(v *conversation, updated bool, t time.Time) bool { return v.when(updated).Before(t) },
	order:  func(found []conversation) { slices.Reverse(found) },
	withParts: func(c *call, q *query) bool {
		return c.s.config.Older || strings.HasSuffix(c.route.path, "/count") || q.boolean("include_sub_conversations")
	},
}

func (v *conversation) when(updated bool) time.Time {
	if updated {
		return v.updated
	}
	return v.created
}

// shown is what is told of a conversation.
func (v *conversation) shown(c *call) any {
	b, at := &c.s.b.conversations, c.s.b.times.conversation
	box := c.s.sandboxNow(v.sandbox)
	o := object{
		"id": v.id, "created_by_user_id": v.owner.id, "sandbox_id": v.sandbox, "selected_repository": v.repo, "selected_branch": v.branch,
		"git_provider": v.provider, "title": v.title, "trigger": v.trigger, "pr_number": b.pulls(v), "llm_model": v.model, "metrics": v.metrics,
		"created_at": at(c, v.created), "updated_at": at(c, v.updated), "sandbox_status": b.status(box),
		"execution_status": nil, "conversation_url": nil, "session_api_key": nil,
	}
	if !c.s.config.Older {
		o["parent_conversation_id"] = nil
		if v.parent != "" {
			o["parent_conversation_id"] = v.parent
		}
		o["sub_conversation_ids"] = c.s.partsOf(v.id)
	}
	b.live(c, v, box, o)
	return b.shown(c, v, o)
}

// partsOf are the ids of the conversations that are part of another one, the oldest first.
func (s *Server) partsOf(id string) []any {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	ids := []any{}
	for _, v := range some(s.store.conversations, func(v *conversation) bool { return v.parent == id }, madeAt) {
		ids = append(ids, v.id)
	}
	return ids
}

func madeAt(v *conversation) (time.Time, int) { return v.created, v.n }

func findConversations(c *call, q *query, mine func(*user) bool) []record {
	b := &c.s.b.conversations
	part, titled := q.text("title__contains")
	createdFrom, createdBefore := q.time("created_at__gte"), q.time("created_at__lt")
	updatedFrom, updatedBefore := q.time("updated_at__gte"), q.time("updated_at__lt")
	parts := b.withParts(c, q)
	st := &c.s.store
	st.mu.Lock()
	defer st.mu.Unlock()
	found := some(st.conversations, func(v *conversation) bool {
		title, _ := v.title.(string)
		return mine(v.owner) && (parts || v.parent == "") && (!titled || b.titled(title, part)) &&
			(createdFrom.IsZero() || b.from(v, false, createdFrom)) && (createdBefore.IsZero() || b.before(v, false, createdBefore)) &&
			(updatedFrom.IsZero() || b.from(v, true, updatedFrom)) && (updatedBefore.IsZero() || b.before(v, true, updatedBefore))
	}, madeAt)
	b.order(found)
	return records[conversation](found)
}

func getConversation(c *call, id string) record {
	if v := c.s.conversationNow(id); v != nil {
		return v
	}
	return nil
}

// conversationNow is a copy of a conversation; nil: there is none.
func (s *Server) conversationNow(id string) *conversation {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	v := s.store.conversations[id]
	if v == nil {
		return nil
	}
	now := *v
	return &now
}
