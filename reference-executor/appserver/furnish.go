// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"time"

	"github.com/google/uuid"
)

// furnish fills the server with what its users did before: conversations in several sandboxes, start tasks and events.
func (s *Server) furnish() {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	begin := time.Now().Add(-2 * time.Hour).Truncate(time.Second)
	first := s.users[0]
	var boxes []*sandbox
	for i, state := range []string{running, running, running, paused, running} {
		boxes = append(boxes, s.furnishSandbox(first, state, begin.Add(time.Duration(i)*time.Minute)))
	}
	for i, title := range []string{
		"Fix the flaky login test", "Port the build to a newer compiler", "Write release notes", "Investigate slow queries",
		"Tidy the settings page", "Answer the review of the parser",
	} {
		at := begin.Add(time.Duration(10+7*i) * time.Minute)
		box := boxes[i%4].id
		if i == 5 {
			box = "gone" + uuid.NewString()[:8] // its sandbox was deleted
		}
		v := s.furnishConversation(first, box, title, at)
		if i%2 == 0 {
			v.repo, v.branch, v.provider, v.trigger, v.pulls = "workshop/parser", "main", "github", "gui", []any{17 + i}
		}
		if i == 4 && !s.config.Older {
			for _, w := range s.store.conversations {
				if w.title == "Fix the flaky login test" {
					v.parent = w.id
				}
			}
		}
		s.furnishStart(v, at.Add(-30*time.Second))
		s.furnishEvents(v, 6)
	}
	old := &oldConversation{id: newID(), owner: first, n: s.store.next(), title: "Before V1", created: begin}
	s.store.v0[old.id] = old
	for _, u := range s.users {
		if u != first && u.settings != nil {
			box := s.furnishSandbox(u, running, begin.Add(90*time.Minute))
			v := s.furnishConversation(u, box.id, "Notes of "+u.id.(string), begin.Add(91*time.Minute))
			s.furnishStart(v, begin.Add(90*time.Minute))
			s.furnishEvents(v, 3)
		}
	}
}

// furnishSandbox makes a sandbox in a state that lasts.
func (s *Server) furnishSandbox(owner *user, state string, at time.Time) *sandbox {
	v := s.newSandbox(owner, specs[0].id)
	v.state, v.then, v.created = state, "", at
	return v
}

// furnishConversation makes a conversation in a sandbox.
func (s *Server) furnishConversation(owner *user, box, title string, at time.Time) *conversation {
	v := &conversation{
		id: newID(), owner: owner, n: s.store.next(), sandbox: box, title: title, model: model, created: at, updated: at.Add(3 * time.Minute),
		execution: "idle",
	}
	s.store.conversations[v.id] = v
	return v
}

// furnishStart makes the start task of a conversation, which has ended.
func (s *Server) furnishStart(v *conversation, at time.Time) {
	task := &startTask{
		id: newID(), owner: v.owner, n: s.store.next(), state: ready, conversation: v.id, sandbox: v.sandbox,
		agent: s.double.root() + "/" + v.sandbox, created: at, updated: at.Add(20 * time.Second), news: make(chan struct{}),
		request: object{
			"sandbox_id": nil, "initial_message": nil, "processors": []any{}, "llm_model": nil, "selected_repository": v.repo,
			"selected_branch": v.branch, "git_provider": v.provider, "title": v.title, "trigger": v.trigger, "pr_number": append([]any{}, v.pulls...),
		},
	}
	if !s.config.Older {
		task.request["parent_conversation_id"], task.request["agent_type"] = nil, "default"
		if v.parent != "" {
			task.request["parent_conversation_id"] = v.parent
		}
	}
	s.store.starts[task.id] = task
}

// furnishEvents makes events of a conversation.
func (s *Server) furnishEvents(v *conversation, n int) []string {
	forms := []struct{ kind, source string }{
		{"SystemPromptEvent", "agent"}, {"MessageEvent", "user"}, {"ActionEvent", "agent"}, {"ObservationEvent", "environment"},
	}
	var ids []string
	for i := range n {
		at, form := v.created.Add(time.Duration(i)*time.Second), forms[i%len(forms)]
		ids = append(ids, uuid.NewString())
		err := s.keep(&event{id: ids[i], conversation: v.id, kind: form.kind, at: at.UTC(), body: object{
			"kind": form.kind, "source": form.source, "timestamp": at.UTC().Format("2006-01-02T15:04:05.000000"),
		}})
		if err != nil {
			s.log.Error("an event is not kept", "error", err)
		}
	}
	return ids
}
