// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// errorCornerFaults keep the contract in the usual refusal, and break it in another.
var errorCornerFaults = map[string]func(*behaviour){
	"wrong-methods-as-plain-text":     inPlainText("request.method_not_allowed"),
	"unsupported-media-as-plain-text": inPlainText("request.unsupported_media_type"),
	"conflicts-as-plain-text":         inPlainText("task.not_cancelable"),
	"bad-list-parameters-as-plain-text": inPlainTextWhere(func(c *call, p *problem) bool {
		return p.status == 400 && strings.Contains(c.r.URL.RawQuery, "limit=abc")
	}),
	"unknown-configs-to-delete-are-a-page": asPage(func(c *call, p *problem) bool {
		return p.code == "push.config_not_found" && c.r.Method == http.MethodDelete
	}),
	"unknown-objects-are-a-page": asPage(func(_ *call, p *problem) bool { return p.code == "object.not_found" }),
	"configs-of-unknown-tasks-are-a-page": asPage(func(c *call, p *problem) bool {
		return p.code == "task.not_found" && c.r.Method == http.MethodPost && strings.HasSuffix(c.r.URL.Path, "/pushNotificationConfigs")
	}),
	"writes-to-global-are-refused-as-plain-text": inPlainTextWhere(func(c *call, p *problem) bool {
		return p.status == http.StatusForbidden && strings.Contains(c.r.URL.Path, "/storage/global/")
	}),
	"refusals-with-status-400-inside":       documentOf("auth.unauthorized", func(d map[string]any) { d["status"] = 400 }),
	"wrong-methods-with-a-short-trace":      documentOf("request.method_not_allowed", func(d map[string]any) { d["trace_id"] = "abc" }),
	"wrong-methods-name-no-uri-as-instance": documentOf("request.method_not_allowed", func(d map[string]any) { d["instance"] = "http://[the instance" }),
	"unknown-configs-as-plain-json": func(b *behaviour) {
		real := b.errors.encode
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			media, body := real(c, p, d)
			if p.code == "push.config_not_found" {
				media = "application/json"
			}
			return media, body
		}
	},
	"unknown-configs-without-code": documentOf("push.config_not_found", func(d map[string]any) { delete(d, "code") }),
	"push-configs-with-more-behind-them-accepted": func(b *behaviour) {
		real := b.errors.parse
		b.errors.parse = func(body []byte) (any, *problem) {
			v, p := real(body)
			if p == nil {
				return v, p
			}
			var first map[string]any
			d := json.NewDecoder(bytes.NewReader(body))
			d.UseNumber()
			if err := d.Decode(&first); err == nil && first["url"] != nil {
				return first, nil
			}
			return v, p
		}
	},
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

// asPage answers some errors with the page that a proxy shows in their place.
func asPage(is func(c *call, p *problem) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.errors.encode
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			if is(c, p) {
				return "text/html", []byte("<!doctype html><title>Not Found</title><p>Not Found\n")
			}
			return real(c, p, d)
		}
	}
}
