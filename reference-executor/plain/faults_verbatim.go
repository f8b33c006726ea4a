// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// verbatimFaults keep what clients send, or has come about, but not to the letter.
var verbatimFaults = map[string]func(*behaviour){
	"texts-are-trimmed":  keptTexts(strings.TrimSpace),
	"texts-are-composed": keptTexts(norm.NFC.String),
	"texts-are-escaped":  keptTexts(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace),
	"long-texts-are-cut": keptTexts(func(text string) string {
		return strings.ToValidUTF8(text[:min(len(text), 64<<10)], "")
	}),
	"data-that-are-false-are-lost": keptParts(func(part object) {
		if v, given := part["data"]; given && slices.Contains([]any{false, "", json.Number("0")}, v) {
			delete(part, "data")
		}
	}),
	"contexts-are-lowered": func(b *behaviour) {
		b.tasks.context = func(c *call, message object) string {
			return strings.ToLower(conformantTasks.context(c, message))
		}
	},
	"rpc-ids-are-cut-to-32-bits": func(b *behaviour) {
		b.rpc.id = func(raw json.RawMessage) any {
			var n int64
			if raw != nil && json.Unmarshal(raw, &n) == nil {
				return int32(n)
			}
			return conformantRPC.id(raw)
		}
	},
	"cancels-keep-the-time": func(b *behaviour) {
		var canceling *task // with the lock held
		b.tasks.cancel = func(c *call, t *task) {
			canceling = t
			conformantTasks.cancel(c, t)
			canceling = nil
		}
		b.tasks.clock = func(t *task) time.Time {
			if t == canceling {
				return t.changed
			}
			return conformantTasks.clock(t)
		}
	},
	"times-in-subscriptions-go-back": func(b *behaviour) {
		b.stream.item = func(st *eventStream, ev event) object {
			if isOp(st.c, "SubscribeToTask") && ev.kind == "statusUpdate" && st.sent%2 == 0 {
				ev.task.changed = ev.task.changed.Add(-10 * time.Second)
			}
			return conformantStream.item(st, ev)
		}
	},
	"list-looks-at-whole-seconds": func(b *behaviour) {
		b.list.after = func(q query, t *task) bool {
			q.after = q.after.Truncate(time.Second)
			return conformantList.after(q, t)
		}
	},
	"later-pages-show-the-whole-history": func(b *behaviour) {
		b.list.reads = func(c *call) (query, *failure) {
			q, f := conformantList.reads(c)
			if q.pageToken != "" {
				q.limit = -1
			}
			return q, f
		}
	},
	"answers-are-not-waited-for": func(b *behaviour) {
		b.tasks.blocks = func(c *call, immediately bool) bool {
			message, _ := c.params["message"].(object)
			return message["taskId"] == nil && conformantTasks.blocks(c, immediately)
		}
	},
	"streamed-answers-open-another-task": func(b *behaviour) {
		b.tasks.joins = func(c *call, t *task, message object) bool {
			return !isOp(c, "SendStreamingMessage") && conformantTasks.joins(c, t, message)
		}
	},
}

// keptParts changes the parts of what clients send before they are kept.
func keptParts(change func(part object)) func(*behaviour) {
	return func(b *behaviour) {
		b.input.keeps = func(message, kept object) object {
			parts, _ := kept["parts"].([]any)
			for _, part := range parts {
				if part, ok := part.(object); ok {
					change(part)
				}
			}
			return conformantInput.keeps(message, kept)
		}
	}
}

// keptTexts does it to the texts alone.
func keptTexts(change func(text string) string) func(*behaviour) {
	return keptParts(func(part object) {
		if text, is := part["text"].(string); is {
			part["text"] = change(text)
		}
	})
}
