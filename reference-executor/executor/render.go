// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"fmt"
	"time"

	"github.com/google/uuid"
)

// render is the task as A2A JSON, with at most historyLength messages of its history; a negative number means all.
func (t task) render(historyLength int) map[string]any {
	b := t.in.e.b
	out := map[string]any{
		"id":        t.ID,
		"contextId": t.ContextID,
		"status":    t.status(),
		"kind":      "task",
	}
	history := t.Messages
	if historyLength >= 0 && len(history) > historyLength {
		history = history[len(history)-historyLength:]
	}
	if len(history) > 0 {
		out["history"] = history
	}
	if len(t.Artifacts) > 0 {
		list := make([]any, len(t.Artifacts))
		for i, a := range t.Artifacts {
			list[i] = a.render()
		}
		out["artifacts"] = list
	}
	if metadata := t.metadata(); len(metadata) > 0 {
		out["metadata"] = metadata
	}
	b.hitl.place(t, out)
	b.tasks.rendered(t, out)
	return out
}

func (t task) status() map[string]any {
	b := t.in.e.b
	status := map[string]any{
		"state":     b.tasks.spells(t, t.State),
		"timestamp": b.tasks.timestamp(t, t.Changed),
	}
	if !t.Ended.IsZero() {
		if at := b.tasks.endedAt(t); at != nil {
			status["terminal_at"] = at
		}
	}
	if t.FailKind != "" {
		status["fail_kind"] = t.FailKind
	}
	if m := t.agentMessage(); m != nil {
		status["message"] = m
	}
	b.tasks.standing(t, status)
	return status
}

// agentMessage is what the agent says with the state, with the open prompt for those who activated hitl-prompt/v1.
func (t task) agentMessage() map[string]any {
	if t.Says == "" {
		return nil
	}
	m := map[string]any{
		"kind":      "message",
		"role":      "agent",
		"messageId": stableID(t.ID, t.Changed),
		"taskId":    t.ID,
		"contextId": t.ContextID,
		"parts":     []any{map[string]any{"kind": "text", "text": t.Says}},
	}
	if t.Prompt != nil && t.in.e.b.hitl.shows(t) {
		m["metadata"] = map[string]any{uriHITL: t.in.e.b.hitl.envelope(t)}
	}
	return m
}

func (t task) metadata() map[string]any {
	b := t.in.e.b
	metadata := map[string]any{}
	b.extensions.runtime(t, metadata, t.in)
	if tenant := b.extensions.tenant(t); tenant != "" {
		metadata["tenant_id"] = tenant
	}
	return metadata
}

// render is the artifact inside a task or an update.
func (a artifact) render() map[string]any {
	return map[string]any{
		"artifactId": a.ID,
		"name":       a.Stream,
		"parts":      []any{map[string]any{"kind": "text", "text": a.Text}},
	}
}

// stamp writes a time as the contract's examples do: UTC, with Z.
func stamp(t time.Time) any { return t.UTC().Format("2006-01-02T15:04:05.000000Z07:00") }

// stableID is an id that is the same whenever the same thing is shown.
func stableID(id string, at time.Time) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, fmt.Appendf(nil, "%s#%d", id, at.UnixNano())).String()
}
