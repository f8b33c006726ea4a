// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"html"
	"net/url"
	"strings"
)

// taskContextFaults are about the contexts of tasks.
var taskContextFaults = map[string]func(*behaviour){
	"contexts-with-nul-break": func(b *behaviour) {
		real := b.tasks.admits
		b.tasks.admits = func(m message, opts sendOptions) *problem {
			if strings.Contains(m.ContextID, "\x00") {
				return brokenDown()
			}
			return real(m, opts)
		}
	},
	"context-of-streamed-messages-in-capitals": ofStreamedRequests("keep this context", func(message map[string]any) {
		id, _ := message["contextId"].(string)
		message["contextId"] = strings.ToUpper(id)
	}),
	"context-replaced": func(b *behaviour) {
		real := b.tasks.contextID
		b.tasks.contextID = func(m message) string {
			if strings.Contains(m.Text, "keep the context") {
				return newID()
			}
			return real(m)
		}
	},
	"context-lost-on-reading": membersOf("get", "keep the context", func(v map[string]any) { delete(v, "contextId") }),

	"contexts-are-in-ascii": contexts(func(id string) string {
		return strings.Map(func(r rune) rune {
			if r >= 0x80 {
				return '?'
			}
			return r
		}, id)
	}),
	"contexts-are-escaped-for-html": contexts(html.EscapeString),
	"contexts-are-unescaped": contexts(func(id string) string {
		plain, err := url.PathUnescape(id)
		if err != nil {
			return id
		}
		return plain
	}),
	"cancels-name-another-context": inTasks("cancel", func(task map[string]any) { task["contextId"] = "another" }),
	"large-messages-begin-another-context": func(b *behaviour) {
		b.tasks.contextID = func(m message) string {
			if len(m.Text) == 3<<10 {
				return newID()
			}
			return conformantTasks.contextID(m)
		}
	},
	"long-contexts-are-cut": func(b *behaviour) {
		b.tasks.contextID = func(m message) string {
			id := conformantTasks.contextID(m)
			return id[:min(len(id), 80)]
		}
	},
}

// contexts keeps the context that a client gives in another spelling.
func contexts(as func(id string) string) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.contextID = func(m message) string { return as(conformantTasks.contextID(m)) }
	}
}
