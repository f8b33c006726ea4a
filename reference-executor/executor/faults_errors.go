// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

var errorFaults = map[string]func(*behaviour){
	"problem-instance-is-the-decoded-path": func(b *behaviour) {
		b.errors.document = func(c *call, _ *problem, d map[string]any) { d["instance"] = c.r.URL.Path }
	},
	"errors-as-plain-text": func(b *behaviour) {
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			if p.code != "operation.not_found" {
				return conformantErrors.encode(c, p, d)
			}
			return "text/plain", []byte(p.code)
		}
	},
	"errors-for-whoever-takes-anything-are-text": func(b *behaviour) {
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			if p.code != "task.not_found" || c.r.Header.Get("Accept") != "*/*" {
				return conformantErrors.encode(c, p, d)
			}
			return "text/plain", []byte(p.detail)
		}
	},
	"errors-as-json-rpc": func(b *behaviour) {
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			if c.surface != surfaceA2A {
				return "application/problem+json", c.e.lawful.Encode(d)
			}
			return "application/json", c.e.lawful.Encode(rpcError(p, rpcCode(p)))
		}
	},
	"errors-as-json-rpc-with-text-codes": func(b *behaviour) {
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			if c.surface != surfaceA2A {
				return "application/problem+json", c.e.lawful.Encode(d)
			}
			return "application/json", c.e.lawful.Encode(rpcError(p, p.code))
		}
	},
	"problems-as-plain-json": func(b *behaviour) {
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			media, body := conformantErrors.encode(c, p, d)
			if p.code == "task.not_found" {
				media = "application/json"
			}
			return media, body
		}
	},
	"problems-without-code":         documentOf("task.not_found", func(d map[string]any) { delete(d, "code") }),
	"no-problem-has-a-code":         everyDocument(func(d map[string]any) { delete(d, "code") }),
	"no-problem-has-a-title":        everyDocument(func(d map[string]any) { delete(d, "title") }),
	"unknown-instance-without-type": documentOf("instance.not_found", func(d map[string]any) { delete(d, "type") }),
	"problems-without-type":         documentOf("task.not_found", func(d map[string]any) { delete(d, "type") }),
	"problems-without-title":        documentOf("task.not_found", func(d map[string]any) { delete(d, "title") }),
	"admin-problems-without-code":   documentOf("operation.not_found", func(d map[string]any) { delete(d, "code") }),
	"conflicts-without-code": documentOf("task.not_cancelable", func(d map[string]any) {
		delete(d, "code")
	}),
	"conflicts-without-title": documentOf("task.not_cancelable", func(d map[string]any) {
		delete(d, "title")
	}),
	"wrong-methods-with-a-type-that-is-no-text": documentOf("request.method_not_allowed", func(d map[string]any) {
		d["type"] = 7
	}),
	"bad-list-parameters-list-nulls": func(b *behaviour) {
		b.errors.document = func(c *call, p *problem, d map[string]any) {
			if p.status == http.StatusBadRequest && strings.HasSuffix(c.r.URL.Path, "/v1/tasks") {
				d["errors"] = []any{nil}
			}
		}
	},
	"problem-status-is-a-string": documentOf("task.not_found", func(d map[string]any) { d["status"] = "four hundred" }),
	"problem-codes-hold-ids": documentOf("task.not_found", func(d map[string]any) {
		d["code"] = "task.not_found." + strings.ReplaceAll(newID(), "-", "_")
	}),
	"problem-codes-in-words": documentOf("operation.not_found", func(d map[string]any) { d["code"] = d["title"] }),
	"conflicts-have-titles-of-their-own": documentOf("task.not_cancelable", func(d map[string]any) {
		d["title"] = "Task " + newID() + " has ended"
	}),
	"bad-lists-have-their-code-in-words": func(b *behaviour) {
		b.errors.document = func(c *call, p *problem, d map[string]any) {
			if p.status == http.StatusBadRequest && strings.HasSuffix(c.r.URL.Path, "/v1/tasks") {
				d["code"] = "Bad limit"
			}
		}
	},
	"unknown-admin-instances-have-a-number-as-code": func(b *behaviour) {
		b.errors.document = func(c *call, p *problem, d map[string]any) {
			if p.code == "instance.not_found" && c.surface == surfaceAdmin {
				d["code"] = 7
			}
		}
	},
	"problem-titles-hold-ids":    documentOf("task.not_found", func(d map[string]any) { d["title"] = "Task " + newID() + " not found" }),
	"trace-id-is-short":          problemMember("trace_id", "abc"),
	"trace-id-is-empty":          problemMember("trace_id", ""),
	"admin-trace-id-is-short":    documentOf("operation.not_found", func(d map[string]any) { d["trace_id"] = "abc" }),
	"trace-id-is-zeros":          problemMember("trace_id", strings.Repeat("0", 32)),
	"problem-instance-is-no-uri": problemMember("instance", "http://[the instance"),
	"unknown-instance-without-code": func(b *behaviour) {
		b.errors.document = func(c *call, p *problem, d map[string]any) {
			if p.code == "instance.not_found" && c.surface == surfaceA2A {
				delete(d, "code")
			}
		}
	},
	"unknown-instance-under-another-code": documentOf("instance.not_found", func(d map[string]any) { d["code"] = "route.not_found" }),
	"unknown-instance-as-plain-text": func(b *behaviour) {
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			if p.code == "instance.not_found" && c.surface == surfaceA2A {
				return "text/plain", []byte("no such agent")
			}
			return conformantErrors.encode(c, p, d)
		}
	},
	"unknown-instance-is-empty": func(b *behaviour) {
		b.errors.answer = func(c *call, p *problem, a *answer) {
			if p.code == "instance.not_found" && strings.HasSuffix(c.r.URL.Path, "/v1/tasks") {
				*a = c.json(http.StatusOK, map[string]any{"tasks": []any{}})
			}
		}
	},
	"malformed-json-as-plain-text": func(b *behaviour) {
		real := b.errors.encode
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			if p.code == "request.invalid_json" && strings.HasSuffix(c.r.URL.Path, "/messages:stream") {
				return "text/plain", []byte("bad request")
			}
			return real(c, p, d)
		}
	},
	"malformed-admin-json-as-plain-text": func(b *behaviour) {
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			if p.status == http.StatusBadRequest && c.surface == surfaceAdmin {
				return "text/plain", []byte("bad request")
			}
			return conformantErrors.encode(c, p, d)
		}
	},
	"malformed-json-is-a-server-error": func(b *behaviour) {
		b.errors.answer = func(c *call, p *problem, a *answer) {
			if p.code == "request.invalid_json" && strings.HasSuffix(c.r.URL.Path, "/pushNotificationConfigs") {
				a.status = http.StatusInternalServerError
			}
		}
	},
	"malformed-loadouts-are-server-errors": func(b *behaviour) {
		b.errors.answer = func(c *call, p *problem, a *answer) {
			if p.status == http.StatusBadRequest && strings.HasSuffix(c.r.URL.Path, "/loadouts") {
				a.status = http.StatusInternalServerError
			}
		}
	},
	"errors-show-the-credentials": func(b *behaviour) {
		b.errors.document = func(c *call, p *problem, d map[string]any) {
			if p.code == "request.invalid_json" {
				_, token, _ := strings.Cut(c.r.Header.Get("Authorization"), " ")
				d["detail"] = "the body is not JSON (request of " + token + ")"
			}
		}
	},
	"large-bodies-stop-at-a-proxy": func(b *behaviour) {
		real := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			if c.r.ContentLength <= maxBody {
				return real(c, next)
			}
			_, _ = io.Copy(io.Discard, io.LimitReader(c.r.Body, 4*maxBody))
			if strings.HasSuffix(c.r.URL.Path, "/messages:send") {
				return answer{status: http.StatusRequestEntityTooLarge, header: http.Header{"Content-Type": {"text/html"}}, body: []byte("<h1>413 Request Entity Too Large</h1>")}
			}
			return c.refuse(refuse(http.StatusBadGateway, "internal.unavailable", ""))
		}
	},
	"errors-as-json-rpc-with-an-id": rpcErrorOf("task.not_found", func(d map[string]any) { d["id"] = 7 }),
	"errors-as-json-rpc-with-other-codes": rpcErrorOf("task.not_found", func(d map[string]any) {
		d["error"].(map[string]any)["code"] = rpcInvalidParams
	}),
	"errors-as-json-rpc-without-message": rpcErrorOf("task.not_found", func(d map[string]any) {
		delete(d["error"].(map[string]any), "message")
	}),
	"conflicts-as-json-rpc-of-another-code": rpcErrorOf("task.not_cancelable", func(d map[string]any) {
		d["error"].(map[string]any)["code"] = rpcNoTask
	}),
	"conflicts-as-json-rpc-without-message": rpcErrorOf("task.not_cancelable", func(d map[string]any) {
		delete(d["error"].(map[string]any), "message")
	}),
	"json-rpc-error-codes-are-texts": func(b *behaviour) {
		b.errors.rpc = func(d map[string]any) { d["error"].(map[string]any)["code"] = "not_found" }
	},
	"json-rpc-errors-without-version": func(b *behaviour) { b.errors.rpc = func(d map[string]any) { delete(d, "jsonrpc") } },
	"json-rpc-is-a-page":              pageForRPC(func([]byte) bool { return true }),
	"json-rpc-cancels-are-a-page":     pageForRPC(func(body []byte) bool { return bytes.Contains(body, []byte(`"tasks/cancel"`)) }),
	"json-rpc-errors-without-id":      func(b *behaviour) { b.errors.rpc = func(d map[string]any) { d["id"] = nil } },
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
	"sends-to-unknown-instances-without-code": func(b *behaviour) {
		b.errors.document = func(c *call, p *problem, d map[string]any) {
			if p.code == "instance.not_found" && c.surface == surfaceA2A && c.r.Method == http.MethodPost {
				delete(d, "code")
			}
		}
	},
	"bad-list-parameters-are-cut": refusals(func(c *call, p *problem, a *answer) {
		if p.status == http.StatusBadRequest && strings.Contains(c.r.URL.RawQuery, "limit=abc") {
			cutShort(a)
		}
	}),
	"refused-streams-are-cut": refusals(func(c *call, p *problem, a *answer) {
		ofNumber := c.r.ContentLength < 20 && p.code != "request.invalid_json" // the message is one
		if p.status == http.StatusBadRequest && strings.HasSuffix(c.r.URL.Path, "/messages:stream") && ofNumber {
			cutShort(a)
		}
	}),
	"unknown-configs-without-a-media-type": refusals(func(c *call, p *problem, a *answer) {
		if p.code == "push.config_not_found" && c.r.Method == http.MethodGet {
			a.header["Content-Type"] = nil
		}
	}),
	"lists-of-unknown-instances-under-html": refusals(func(c *call, p *problem, a *answer) {
		if p.code == "instance.not_found" && c.surface == surfaceA2A && c.r.URL.Query().Has("limit") {
			a.header.Set("Content-Type", "text/html")
		}
	}),
	"gone-objects-are-told-by-a-page": refusals(func(c *call, p *problem, a *answer) {
		if p.code == "object.not_found" && c.r.Method == http.MethodDelete {
			a.header.Set("Content-Type", "text/html")
			a.body = []byte("<!doctype html><title>Gone</title>")
		}
	}),
	"unknown-instances-to-delete-as-plain-json": refusals(func(c *call, p *problem, a *answer) {
		if c.r.Method == http.MethodDelete && p.code == "instance.not_found" {
			a.header.Set("Content-Type", "application/json")
		}
	}),
	"unknown-configs-under-text": refusals(func(c *call, p *problem, a *answer) {
		if p.code == "push.config_not_found" && c.r.Method == http.MethodGet {
			a.header.Set("Content-Type", "text/plain")
		}
	}),
	"sends-to-unknown-tasks-as-plain-text": refusals(func(c *call, p *problem, a *answer) {
		if p.code == "task.not_found" && strings.HasSuffix(c.r.URL.Path, "/messages:send") {
			a.header.Set("Content-Type", "text/plain")
			a.body = []byte("no such task")
		}
	}),
	"sends-to-unknown-tasks-without-code": func(b *behaviour) {
		b.errors.document = func(c *call, p *problem, d map[string]any) {
			if p.code == "task.not_found" && strings.HasSuffix(c.r.URL.Path, "/messages:send") {
				delete(d, "code")
			}
		}
	},
	"unknown-instances-to-delete-are-told-twice": refusals(func(c *call, p *problem, a *answer) {
		if c.r.Method == http.MethodDelete && p.code == "instance.not_found" {
			a.body = bytes.Repeat(a.body, 2)
		}
	}),
}

// documentOf changes the problem documents of one code.
func documentOf(code string, change func(d map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.document = func(_ *call, p *problem, d map[string]any) {
			if p.code == code {
				change(d)
			}
		}
	}
}

// everyDocument changes every problem document, of both surfaces.
func everyDocument(change func(d map[string]any)) func(*behaviour) {
	return func(b *behaviour) { b.errors.document = func(_ *call, _ *problem, d map[string]any) { change(d) } }
}

// rpcErrorOf writes the errors of one code in the shape of JSON-RPC, changed.
func rpcErrorOf(code string, change func(d map[string]any)) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.encode = func(c *call, p *problem, d map[string]any) (string, []byte) {
			if c.surface != surfaceA2A || p.code != code {
				return conformantErrors.encode(c, p, d)
			}
			failure := rpcError(p, rpcCode(p))
			change(failure)
			return "application/json", c.e.lawful.Encode(failure)
		}
	}
}

// problemMember sets a member of every problem document, or leaves it out.
func problemMember(name string, value any) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.document = func(_ *call, _ *problem, d map[string]any) {
			if d[name] = value; value == nil {
				delete(d, name)
			}
		}
	}
}

// rpcError is the refusal in the shape of JSON-RPC.
func rpcError(p *problem, code any) map[string]any {
	data := map[string]any{"code": p.code}
	for name, v := range p.more {
		data[name] = v
	}
	return map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": p.detail, "data": data}}
}

func rpcCode(p *problem) int {
	switch p.code {
	case "task.not_found":
		return -32001
	case "task.not_cancelable":
		return -32002
	case "request.invalid_json":
		return -32700
	case "IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_PAYLOAD":
		return -32422
	case "hitl_already_answered_or_unknown":
		return -32010
	case "hitl_response_invalid":
		return -32011
	}
	if p.status == http.StatusBadRequest {
		return -32602
	}
	return -32603
}

// pageForRPC serves a page to some of what is posted to the JSON-RPC interface.
func pageForRPC(which func(body []byte) bool) func(*behaviour) {
	return func(b *behaviour) {
		real := b.auth.guard
		b.auth.guard = func(c *call, next handler) answer {
			if c.r.Method != http.MethodPost || !strings.HasSuffix(c.r.URL.Path, "/rpc") {
				return real(c, next)
			}
			body, _ := io.ReadAll(c.r.Body)
			c.r.Body = io.NopCloser(bytes.NewReader(body))
			if which(body) {
				return answer{status: http.StatusOK, header: http.Header{"Content-Type": {"text/html"}}, body: []byte("<!doctype html><title>Dashboard</title>")}
			}
			return real(c, next)
		}
	}
}

// inPlainText writes the errors of one code as plain text.
func inPlainText(code string) func(*behaviour) {
	return inPlainTextWhere(func(_ *call, p *problem) bool { return p.code == code })
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

// mediaRefused refuses some media types that are lawful.
func mediaRefused(which func(header string) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.media = func(header string) *problem {
			if which(header) {
				return acceptMedia("text/plain")
			}
			return acceptMedia(header)
		}
	}
}
