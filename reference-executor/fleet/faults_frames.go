// SPDX-License-Identifier: Apache-2.0

package fleet

import "strconv"

var frameFaults = map[string]func(*behaviour){
	"frames-are-notifications": func(b *behaviour) {
		b.inbox.data = func(_ *reader, e *event) any {
			return object{"jsonrpc": "2.0", "method": "notifications/claude/channel", "params": e.v}
		}
	},
	"frames-name-the-channel": onEvents(func(v object) { v["extra"] = object{"method": "notifications/claude/channel"} }),
	"ts-as-text": onEvents(func(v object) {
		v["ts"] = strconv.FormatFloat(v["ts"].(float64), 'f', 6, 64)
	}),
	"no-msg-id":                 onEvents(func(v object) { delete(v, "msg_id") }),
	"to-agent-is-the-fleet":     onEvents(func(v object) { v["to_agent"] = fleetName }),
	"reply-wanted-as-text":      onEvents(func(v object) { v["requires_reply"] = "false" }),
	"event-named-inbox":         func(b *behaviour) { b.inbox.name = func(*reader, *event) string { return "inbox" } },
	"priority-high-by-default":  byDefault("priority", "high"),
	"sender-is-null-by-default": byDefault("from_agent", ""),
	"reply-wanted-by-default":   byDefault("requires_reply", true),
	"conversation-by-default":   byDefault("conversation_id", "none"),
	"conversation-is-dropped": func(b *behaviour) {
		b.inbox.fill = func(sent *sending, name string) any {
			if name == "conversation_id" {
				return nil
			}
			return filled(sent, name)
		}
	},
	"metadata-is-dropped": func(b *behaviour) {
		b.inbox.fill = func(_ *sending, name string) any { return filled(&sending{message: object{}}, name) }
	},
	"first-part-only": func(b *behaviour) {
		b.input.content = func(parts []any) string { return conformantInput.content(parts[:1]) }
	},
	"parts-joined-by-lines": func(b *behaviour) {
		b.input.content = func(parts []any) string {
			all := ""
			for i, part := range parts {
				if i > 0 {
					all += "\n"
				}
				all += conformantInput.content([]any{part})
			}
			return all
		}
	},
	"own-msg-id-per-stream": func(b *behaviour) {
		b.inbox.data = func(_ *reader, e *event) any {
			own := object{}
			for name, v := range e.v {
				own[name] = v
			}
			own["msg_id"] = messageID()
			return own
		}
	},
	"id-field-for-one": func(b *behaviour) {
		b.inbox.id = func(rd *reader, e *event) string {
			in := rd.c.agent.inbox
			in.mu.Lock()
			defer in.mu.Unlock()
			if len(in.readers) > 1 && in.readers[0] != rd {
				return ""
			}
			return rd.idOf(e)
		}
	},
}

// onEvents changes what an inbox tells of a message.
func onEvents(change func(v object)) func(*behaviour) {
	return func(b *behaviour) {
		b.inbox.event = func(_ *call, _ *sending, v object) object {
			change(v)
			return v
		}
	}
}

// byDefault says something else where the sender says nothing.
func byDefault(member string, v any) func(*behaviour) {
	return func(b *behaviour) {
		b.inbox.fill = func(sent *sending, name string) any {
			if name == member && sent.says(name) == nil {
				return v
			}
			return filled(sent, name)
		}
	}
}
