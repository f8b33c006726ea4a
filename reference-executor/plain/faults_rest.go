// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
)

var restFaults = map[string]func(*behaviour){
	"send-answers-a-bare-task": func(b *behaviour) {
		b.output.wrapper = func(_ *call, what string, v object) object {
			if t, ok := v["task"].(object); ok && what == "SendMessageResponse" {
				return t
			}
			return v
		}
	},
	"rest-answers-as-plain-text": func(b *behaviour) { b.rest.media = func(*call) string { return "text/plain; charset=utf-8" } },
	"unknown-path-is-ok": func(b *behaviour) {
		b.rest.unknown = func(c *call) answer { return c.s.json(http.StatusOK, mediaJSON, object{}) }
	},
}
