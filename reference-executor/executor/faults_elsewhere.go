// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"strings"
)

// elsewhereFaults show in one place only, where nobody would look who looks at the usual requests.
var elsewhereFaults = map[string]func(*behaviour){
	"wrong-methods-as-plain-text":     inPlainText("request.method_not_allowed"),
	"unsupported-media-as-plain-text": inPlainText("request.unsupported_media_type"),
	"conflicts-as-plain-text":         inPlainText("task.not_cancelable"),
	"bad-list-parameters-as-plain-text": inPlainTextWhere(func(c *call, p *problem) bool {
		return p.status == 400 && strings.Contains(c.r.URL.RawQuery, "limit=abc")
	}),
	"refused-reads-of-a-task-are-plain-text": inPlainTextWhere(func(c *call, p *problem) bool {
		return p.status == http.StatusUnauthorized && c.r.Method == http.MethodGet && c.vars["tid"] != ""
	}),
	"refused-admin-deletes-are-bare-objects": func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			a := real(c, p)
			if c.surface == surfaceAdmin && c.r.Method == http.MethodDelete {
				a.header.Set("Content-Type", "application/json")
				a.body = c.e.lawful.Encode(map[string]any{"error": "missing token"})
			}
			return a
		}
	},
	"refusals-with-status-400-inside":   documentOf("auth.unauthorized", func(d map[string]any) { d["status"] = 400 }),
	"no-challenge-on-the-admin-surface": unchallenged(func(c *call) bool { return c.surface == surfaceAdmin }),
	"no-challenge-to-unknown-tokens":    unchallenged(func(c *call) bool { return c.r.Header.Get("Authorization") != "" }),
}

// inPlainText writes the errors of one code as plain text.
func inPlainText(code string) func(*behaviour) {
	return inPlainTextWhere(func(_ *call, p *problem) bool { return p.code == code })
}

func inPlainTextWhere(is func(c *call, p *problem) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.errors.encode
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			if is(c, p) {
				return "text/plain", []byte(p.code)
			}
			return real(c, p, d)
		}
	}
}

// unchallenged leaves the challenge out of some refusals.
func unchallenged(is func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.auth.refusal
		b.auth.refusal = func(c *call, p *problem) answer {
			a := real(c, p)
			if is(c) {
				a.header.Del("WWW-Authenticate")
			}
			return a
		}
	}
}
