// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
)

// elsewhereV1Faults show on one route of v1 only, or in one frame of the output.
var elsewhereV1Faults = map[string]func(*behaviour){
	"v1-streams-without-sunset": v1Header(func(c *call, _ int, h http.Header) { dropOnChats(c, h, "Sunset") }),
	"v1-sunset-of-errors-on-another-weekday": v1Header(func(_ *call, status int, h http.Header) {
		if status >= 400 {
			h.Set("Sunset", "Mon, 09 May 2027 00:00:00 GMT")
		}
	}),
	"v1-sunset-of-errors-on-another-day": v1Header(func(_ *call, status int, h http.Header) {
		if status >= 400 {
			h.Set("Sunset", "Mon, 10 May 2027 00:00:00 GMT")
		}
	}),
	"v1-headers-not-on-chats-of-no-command": v1Header(func(c *call, status int, h http.Header) {
		if status == http.StatusBadRequest && strings.HasSuffix(c.r.URL.Path, "/agent-output/chat") {
			dropV1(h)
		}
	}),
	"v1-headers-not-on-401-of-images": v1Header(func(c *call, status int, h http.Header) {
		if status == http.StatusUnauthorized && strings.HasSuffix(c.r.URL.Path, "/container-images") {
			dropV1(h)
		}
	}),
	"v1-streams-without-deprecated": v1Header(func(c *call, _ int, h http.Header) { dropOnChats(c, h, "Deprecated") }),
	"v1-streams-without-link":       v1Header(func(c *call, _ int, h http.Header) { dropOnChats(c, h, "Link") }),
	"v1-headers-on-reads-of-a-task": v1Covers(func(c *call) bool {
		return c.surface == surfaceA2A && c.r.Method == http.MethodGet && c.vars["tid"] != ""
	}),
	"v1-headers-on-admin-logs": v1Covers(func(c *call) bool { return strings.HasSuffix(c.r.URL.Path, "/admin/logs") }),
	"output-resumes-with-another-end": func(b *behaviour) {
		b.output.resumed = func(f *outputFrame) {
			if f.name == "tool_result" {
				f.data["content"] = "[replayed]"
			}
		}
	},
	"v1-images-without-labels-when-asked-for-all": func(b *behaviour) {
		real := b.v1.images
		b.v1.images = func(c *call) answer {
			if c.r.URL.Query().Has("all") {
				return c.json(http.StatusOK, map[string]any{"images": []any{map[string]any{"ref": catalogue[0].reference}}})
			}
			return real(c)
		}
	},
	"output-sessions-are-empty": outputFrames(func(_ string, data map[string]any) { data["session_id"] = "" }),
	"output-of-another-command": outputFrames(func(_ string, data map[string]any) {
		if ref, is := data["raw_ref"].(map[string]any); is {
			ref["command_id"] = "another"
		}
	}),
}

func dropOnChats(c *call, h http.Header, name string) {
	if strings.HasSuffix(c.r.URL.Path, "/agent-output/chat") {
		h.Del(name)
	}
}
