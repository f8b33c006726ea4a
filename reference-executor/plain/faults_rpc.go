// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

var rpcFaults = map[string]func(*behaviour){
	"rpc-without-jsonrpc": func(b *behaviour) {
		b.rpc.response = func(_ *call, v object) any { delete(v, "jsonrpc"); return v }
	},
	"rpc-errors-with-an-empty-body": func(b *behaviour) {
		b.errors.answer = func(c *call, _ *failure, a answer) answer {
			if readsConfig(c) {
				a.body = nil
			}
			return a
		}
	},
	"rpc-result-with-null-error": func(b *behaviour) {
		b.rpc.response = func(_ *call, v object) any {
			if _, failed := v["error"]; !failed {
				v["error"] = nil
			}
			return v
		}
	},
	"rpc-errors-in-another-member": func(b *behaviour) {
		b.rpc.response = func(c *call, v object) any {
			if e, failed := v["error"]; failed && readsConfig(c) {
				delete(v, "error")
				v["failure"] = e
			}
			return v
		}
	},
	"rpc-ids-become-texts": func(b *behaviour) {
		b.rpc.id = func(raw json.RawMessage) any {
			if raw == nil {
				return nil
			}
			return strings.Trim(string(raw), `"`)
		}
	},
	"rpc-results-have-texts-for-ids": func(b *behaviour) {
		b.rpc.response = func(_ *call, v object) any {
			if id, raw := v["id"].(json.RawMessage); raw && v["error"] == nil {
				v["id"] = strings.Trim(string(id), `"`)
			}
			return v
		}
	},
	"rpc-streams-have-texts-for-ids": func(b *behaviour) {
		b.stream.envelope = func(st *eventStream, item object) any {
			v := conformantStream.envelope(st, item)
			if response, is := v.(object); is && st.c.binding == BindingRPC {
				if id, raw := response["id"].(json.RawMessage); raw {
					response["id"] = strings.Trim(string(id), `"`)
				}
			}
			return v
		}
	},
	"rpc-stream-ends-with-a-null-error": func(b *behaviour) {
		b.stream.envelope = func(st *eventStream, item object) any {
			v := conformantStream.envelope(st, item)
			if response, is := v.(object); is && st.c.binding == BindingRPC && st.sent > 0 {
				response["error"] = nil
			}
			return v
		}
	},
	"rpc-task-with-a-history-is-wrapped": func(b *behaviour) {
		b.rpc.result = func(c *call, result any) any {
			if _, limited := c.params["historyLength"]; limited && isOp(c, "GetTask") {
				return object{"task": result}
			}
			return result
		}
	},
	"rpc-ids-become-numbers": func(b *behaviour) {
		b.rpc.id = func(raw json.RawMessage) any {
			if n, err := strconv.Atoi(strings.Trim(string(raw), `"`)); err == nil {
				return n
			}
			return conformantRPC.id(raw)
		}
	},
	"rpc-ids-that-are-0-or-empty-are-null": func(b *behaviour) {
		b.rpc.id = func(raw json.RawMessage) any {
			if text := string(raw); text == "0" || text == `""` {
				return nil
			}
			return conformantRPC.id(raw)
		}
	},
	"rpc-methods-have-their-old-names": func(b *behaviour) {
		b.rpc.method = func(c *call, name string) *operation {
			if name == "GetTask" {
				return nil
			}
			if name == "tasks/get" {
				name = "GetTask"
			}
			return conformantRPC.method(c, name)
		}
	},
	"rpc-task-is-wrapped":          wrapping("GetTask"),
	"rpc-canceled-task-is-wrapped": wrapping("CancelTask"),
	"rpc-unknown-method-is-invalid": func(b *behaviour) {
		b.rpc.code = codeOf(unknownMethod, -32600)
	},
	"rpc-missing-params-are-internal":  func(b *behaviour) { b.rpc.code = codeOf(invalidParams, -32603) },
	"rpc-no-request-is-invalid-params": func(b *behaviour) { b.rpc.code = codeOf(invalidRequest, -32602) },
	"rpc-params-may-be-a-list": func(b *behaviour) {
		b.rpc.params = func(c *call, v any) (object, *failure) {
			if _, list := v.([]any); list {
				return nil, fail(invalidRequest, "params is a list")
			}
			return readParams(v)
		}
	},
	"rpc-params-must-be-there": func(b *behaviour) {
		b.rpc.params = func(c *call, v any) (object, *failure) {
			if v == nil {
				return nil, violation("params", "is missing")
			}
			return readParams(v)
		}
	},
	"rpc-malformed-json-is-a-page": func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if c.binding == BindingRPC && f.kind == malformed {
				return answer{status: http.StatusBadRequest, header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
					body: []byte("<html><body><h1>Bad Request</h1></body></html>")}
			}
			return a
		}
	},
	"what-is-no-request-is-answered-in-plain-text": func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if c.binding == BindingRPC && (f.kind == malformed || f.kind == invalidRequest) {
				a.header.Set("Content-Type", "text/plain; charset=utf-8")
			}
			return a
		}
	},
	"rpc-parse-error-without-id": func(b *behaviour) {
		b.rpc.response = func(_ *call, v object) any {
			if v["id"] == nil {
				delete(v, "id")
			}
			return v
		}
	},
	"rpc-notifications-are-a-server-error": func(b *behaviour) {
		b.rpc.notified = func(c *call) answer {
			return answer{status: http.StatusInternalServerError, header: http.Header{"Content-Type": {"text/plain"}}, body: []byte("Internal Server Error")}
		}
	},
	"rpc-notifications-are-answered": func(b *behaviour) {
		b.rpc.notified = func(c *call) answer { return c.refuse(fail(invalidRequest, "the request has no id")) }
	},
	"rpc-takes-every-version": func(b *behaviour) { b.rpc.jsonrpc = func(any) bool { return true } },
	"rpc-errors-of-one-code": func(b *behaviour) {
		b.rpc.code = oneCode
		b.rpc.data = func(*call, *failure, []any) any { return nil }
	},
	"rpc-unknown-configs-have-another-code": func(b *behaviour) {
		b.rpc.code = func(c *call, f *failure) any {
			if readsConfig(c) {
				return oneCode(c, f)
			}
			return conformantRPC.code(c, f)
		}
	},
	"rpc-code-is-a-text": func(b *behaviour) {
		b.rpc.code = func(c *call, f *failure) any {
			code := c.s.b.errors.kind(c, f).rpc
			if readsConfig(c) {
				return strconv.Itoa(code)
			}
			return code
		}
	},
	"rpc-error-data-is-a-text": func(b *behaviour) {
		b.rpc.data = func(_ *call, f *failure, _ []any) any { return f.message }
	},
	"rpc-errors-without-data":    func(b *behaviour) { b.rpc.data = func(*call, *failure, []any) any { return nil } },
	"rpc-as-plain-text":          func(b *behaviour) { b.rpc.media = func(*call) string { return "text/plain; charset=utf-8" } },
	"rpc-as-a2a-json":            func(b *behaviour) { b.rpc.media = func(*call) string { return mediaA2A } },
	"rpc-errors-have-status-500": func(b *behaviour) { b.rpc.status = func(*call, *failure) int { return http.StatusInternalServerError } },
	"rpc-stream-of-bare-items": func(b *behaviour) {
		b.stream.envelope = func(_ *eventStream, item object) any { return item }
	},
	"rpc-stream-with-another-id": func(b *behaviour) {
		b.stream.envelope = func(st *eventStream, item object) any {
			v := st.c.enclose(item)
			if response, ok := v.(object); ok && st.c.binding == BindingRPC {
				response["id"] = st.sent
			}
			return v
		}
	},
	"rpc-refused-subscription-is-an-empty-404": refusedSubscription(func(_ *call, _ *failure, _ answer) answer {
		return answer{status: http.StatusNotFound}
	}),
	"rpc-refused-subscription-without-id": refusedSubscription(func(c *call, f *failure, _ answer) answer {
		c.id = nil
		return c.refuse(f)
	}),
	"rpc-config-ids-have-a-longer-name": func(b *behaviour) {
		b.rpc.params = func(c *call, v any) (object, *failure) {
			params, f := readParams(v)
			if c.op.name == "GetTaskPushNotificationConfig" || c.op.name == "DeleteTaskPushNotificationConfig" {
				params = clone(params).(object)
				params["id"] = params["pushNotificationConfigId"]
			}
			return params, f
		}
	},
	"rpc-deletion-answers-the-config": func(b *behaviour) {
		b.push.deleted = func(c *call, found bool) (outcome, *failure) {
			if c.binding == BindingRPC {
				return outcome{result: object{"id": c.params["id"]}}, nil
			}
			return conformantPush.deleted(c, found)
		}
	},
	"seven-messages-of-a-task-are-nothing": nothingFor("GetTask", func(c *call) bool { return fmt.Sprint(c.params["historyLength"]) == "7" }),
	"rpc-broken-requests-are-answered-by-their-id": func(b *behaviour) {
		var ids sync.Map // of what is no JSON, by request
		read := regexp.MustCompile(`^\{"jsonrpc":"2.0","id":(\d+),`)
		b.http.before = func(s *Server, r *http.Request) (answer, bool) {
			if !conformantRPC.at(r.URL.Path) || r.Body == nil {
				return answer{}, false
			}
			text, err := io.ReadAll(io.LimitReader(r.Body, 1<<10))
			if found := read.FindSubmatch(text); err == nil && found != nil && strings.Count(string(text), "{") > strings.Count(string(text), "}") {
				ids.Store(r, json.RawMessage(found[1]))
			}
			r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(text), r.Body))
			return answer{}, false
		}
		b.rpc.response = func(c *call, v object) any {
			if id, found := ids.LoadAndDelete(c.r); found {
				if e, failed := v["error"].(object); failed && e["code"] == malformed.rpc {
					v["id"] = id
				}
			}
			return v
		}
	},
	"rpc-cancels-of-nothing-are-internal": func(b *behaviour) {
		b.rpc.code = func(c *call, f *failure) any {
			if f.kind == invalidParams && isOp(c, "CancelTask") {
				return internal.rpc
			}
			return conformantRPC.code(c, f)
		}
	},
	"rpc-refused-deletions-have-a-null-result": func(b *behaviour) {
		b.rpc.response = func(c *call, v object) any {
			if _, refused := v["error"]; refused && isOp(c, "DeleteTaskPushNotificationConfig") {
				v["result"] = nil
			}
			return v
		}
	},
	"rpc-extended-card-without-params-is-unknown": func(b *behaviour) {
		b.rpc.params = func(c *call, v any) (object, *failure) {
			if v == nil && isOp(c, "GetExtendedAgentCard") {
				return nil, fail(unknownMethod, "there is no such method")
			}
			return readParams(v)
		}
	},
	"refusals-over-rpc-are-plain-text": func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if c.binding != BindingRPC || f.kind == unauthenticated || f.kind == forbidden || f.kind == notification {
				return a
			}
			return answer{status: http.StatusInternalServerError, header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}},
				body: []byte("Internal Server Error")}
		}
	},
	"rpc-answers-of-any-media-type-are-plain-text": func(b *behaviour) {
		b.rpc.media = func(c *call) string { return plainForAnything(c, conformantRPC.media(c)) }
	},
	"rpc-version-may-be-left-out": func(b *behaviour) {
		b.rpc.jsonrpc = func(v any) bool { return v == nil || conformantRPC.jsonrpc(v) }
	},
	"rpc-version-may-be-a-number": func(b *behaviour) {
		b.rpc.jsonrpc = func(v any) bool {
			_, number := v.(json.Number)
			return number || conformantRPC.jsonrpc(v)
		}
	},
	"rpc-method-that-is-a-number-is-an-internal-error": func(b *behaviour) {
		b.rpc.envelope = func(c *call, v any) (rpcRequest, *failure) {
			if o, is := v.(object); is {
				if _, number := o["method"].(json.Number); number {
					return rpcRequest{}, fail(internal, panicked)
				}
			}
			return conformantRPC.envelope(c, v)
		}
	},
	"rpc-refused-versions-without-id": func(b *behaviour) {
		b.rpc.response = func(_ *call, v object) any {
			if e, is := v["error"].(object); is && e["code"] == versionNotSupported.rpc {
				v["id"] = nil
			}
			return v
		}
	},
	"rpc-uncancelable-tasks-without-an-info": func(b *behaviour) {
		b.rpc.data = func(c *call, f *failure, details []any) any {
			if f.kind == taskNotCancelable {
				return nil
			}
			return conformantRPC.data(c, f, details)
		}
	},
	"rpc-infos-name-the-code": func(b *behaviour) {
		b.errors.info = func(c *call, f *failure) object {
			info := conformantErrors.info(c, f)
			if info != nil && c.binding == BindingRPC && f.kind == versionNotSupported {
				info["reason"] = "ERROR_32009"
			}
			return info
		}
	},
	"rpc-subscriptions-with-another-id": func(b *behaviour) {
		b.stream.envelope = func(st *eventStream, item object) any {
			v := conformantStream.envelope(st, item)
			if response, is := v.(object); is && st.c.binding == BindingRPC && isOp(st.c, "SubscribeToTask") {
				response["id"] = "subscription"
			}
			return v
		}
	},
	"rpc-unknown-method-without-params-is-invalid-params": func(b *behaviour) {
		b.rpc.code = func(c *call, f *failure) any {
			if f.kind == unknownMethod && c.params == nil {
				return invalidParams.rpc
			}
			return conformantRPC.code(c, f)
		}
	},
	"rpc-refused-streams-of-messages-without-id": func(b *behaviour) {
		b.stream.refused = func(c *call, f *failure) answer {
			if c.binding == BindingRPC && f.kind == taskNotFound && isOp(c, "SendStreamingMessage") {
				c.id = nil
			}
			return c.refuse(f)
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
	"rpc-requests-of-nothing-are-a-fault": func(b *behaviour) {
		b.rpc.envelope = func(c *call, v any) (rpcRequest, *failure) {
			if v == nil {
				return rpcRequest{}, fail(internal, panicked)
			}
			return c.readEnvelope(v)
		}
	},
}

// readsConfig says whether a push configuration is asked for over JSON-RPC: what is broken there breaks little else.
func readsConfig(c *call) bool {
	return c.binding == BindingRPC && c.op != nil && c.op.name == "GetTaskPushNotificationConfig"
}

// wrapping puts the task that an operation answers into a member of its result.
func wrapping(name string) func(*behaviour) {
	return func(b *behaviour) {
		b.rpc.result = func(c *call, result any) any {
			if c.op.name == name && c.version != version03 {
				return object{"task": result}
			}
			return result
		}
	}
}

// codeOf gives an error another code.
func codeOf(kind *errorKind, code int) func(*call, *failure) any {
	return func(c *call, f *failure) any {
		if f.kind == kind {
			return code
		}
		return conformantRPC.code(c, f)
	}
}

// refusedSubscription changes how SubscribeToTask is refused over JSON-RPC.
func refusedSubscription(change func(c *call, f *failure, a answer) answer) func(*behaviour) {
	return func(b *behaviour) {
		b.stream.refused = func(c *call, f *failure) answer {
			a := c.refuse(f)
			if c.binding == BindingRPC && c.op.name == "SubscribeToTask" {
				return change(c, f, a)
			}
			return a
		}
	}
}

// oneCode answers every A2A error with a code that is none of them.
func oneCode(c *call, f *failure) any {
	code := conformantRPC.code(c, f)
	if n, ok := code.(int); ok && n <= -32001 && n >= -32009 {
		return -32000
	}
	return code
}
