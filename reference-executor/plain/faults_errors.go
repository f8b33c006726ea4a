// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/uuid"
)

var errorFaults = map[string]func(*behaviour){
	"metadata-of-refused-versions-has-a-list": func(b *behaviour) {
		b.errors.info = func(c *call, f *failure) object {
			info := conformantErrors.info(c, f)
			if f.kind == versionNotSupported && c.binding == BindingREST {
				info["metadata"] = object{"supportedVersions": []any{version10}}
			}
			return info
		}
	},
	"error-code-of-refused-callers-is-a-text": func(b *behaviour) {
		b.errors.code = func(c *call, f *failure) any {
			if f.kind == unauthenticated {
				return strconv.Itoa(c.s.b.errors.http(c, f))
			}
			return conformantErrors.code(c, f)
		}
	},
	"unknown-task-is-a-bad-request": missingTask(func(id string) *failure { return violation("id", "names no task") }),
	"unknown-task-has-status-410":   instead(taskNotFound, http.StatusGone),
	"unknown-task-is-not-cancelable": func(b *behaviour) {
		b.tasks.missing = func(c *call, id string) *failure {
			if c.op.name == "CancelTask" {
				return fail(taskNotCancelable, "there is nothing to cancel").about(id)
			}
			return conformantTasks.missing(c, id)
		}
	},
	"id-that-is-no-uuid-is-a-fault": missingTask(func(id string) *failure {
		if uuid.Validate(id) != nil {
			return fail(internal, "something went wrong here")
		}
		return fail(taskNotFound, "there is no such task").about(id)
	}),
	"null-character-in-an-id-is-a-fault": missingTask(func(id string) *failure {
		if strings.ContainsRune(id, 0) {
			return fail(internal, "something went wrong here")
		}
		return fail(taskNotFound, "there is no such task").about(id)
	}),
	"error-infos-of-a-connection-pile-up": func(b *behaviour) {
		var former sync.Map // the details of each connection, by its address
		b.errors.details = func(c *call, f *failure, details []any) []any {
			if c.r == nil || len(details) == 0 {
				return details
			}
			before, _ := former.Load(c.r.RemoteAddr)
			list, _ := before.([]any)
			list = append(slices.Clone(list), details...)
			former.Store(c.r.RemoteAddr, list)
			return list
		}
	},
	"not-cancelable-is-a-conflict":             instead(taskNotCancelable, http.StatusConflict),
	"unsupported-operation-is-not-implemented": instead(unsupportedOperation, http.StatusNotImplemented),
	"unknown-media-type-has-status-415":        instead(contentTypeNotSupported, http.StatusUnsupportedMediaType),
	"unknown-media-type-has-status-422":        instead(contentTypeNotSupported, http.StatusUnprocessableEntity),
	"invalid-answer-is-a-bad-gateway":          instead(invalidAgentResponse, http.StatusBadGateway),
	"malformed-json-is-a-fault":                inREST(malformed, internal),
	"malformed-json-is-the-wrong-type":         inREST(malformed, wrongMedia),
	"invalid-answers-of-the-agent-are-unnamed": as(invalidAgentResponse, &errorKind{"", 500, "INTERNAL", -32006}),
	"invalid-answer-is-an-internal-error":      as(invalidAgentResponse, &errorKind{"AGENT_FAILED", 500, "INTERNAL", -32603}),
	"unknown-media-type-is-invalid":            as(contentTypeNotSupported, &errorKind{"INVALID_PARAMS", 400, "INVALID_ARGUMENT", -32602}),
	"every-media-type-is-taken":                func(b *behaviour) { b.input.media = func(*call, object) *failure { return nil } },
	"undeclared-stream-is-not-found":           undeclared("SendStreamingMessage", unknownMethod),
	"unknown-push-config-is-a-fault":           missingConfig(fail(internal, "something went wrong here")),
	"a2a-errors-have-status-422": func(b *behaviour) {
		b.errors.http = func(c *call, f *failure) int {
			if kind := c.s.b.errors.kind(c, f); kind.reason == "" || kind == unauthenticated || kind == forbidden {
				return kind.http
			}
			return http.StatusUnprocessableEntity
		}
	},
	"every-error-has-status-500": func(b *behaviour) {
		b.errors.http = func(c *call, f *failure) int {
			if kind := c.s.b.errors.kind(c, f); kind == unauthenticated || kind == forbidden {
				return kind.http
			}
			return http.StatusInternalServerError
		}
	},
	"undeclared-subscription-is-served": func(b *behaviour) {
		b.card.lacks = func(c *call, op *operation) *failure {
			if op.name == "SubscribeToTask" {
				return nil
			}
			return lacksCapability(c, op)
		}
		b.stream.opens = func(*call, *task) *failure { return nil }
	},
	"validation-errors-name-nothing": func(b *behaviour) {
		b.errors.message = func(_ *call, f *failure) string {
			if f.field != "" {
				return "bad request"
			}
			return f.message
		}
		b.errors.details = func(_ *call, f *failure, details []any) []any {
			if f.field != "" {
				return nil
			}
			return details
		}
	},
	"wrong-types-are-not-implemented": func(b *behaviour) {
		kind := &errorKind{"", http.StatusNotImplemented, "UNIMPLEMENTED", -32602}
		b.input.wrong = func(path string, _ any) *failure { return fail(kind, path+": has another JSON type") }
	},
	"rpc-wrong-types-are-a-page": func(b *behaviour) {
		kind := &errorKind{"", http.StatusBadRequest, "INVALID_ARGUMENT", -32602}
		b.input.wrong = func(path string, _ any) *failure { return fail(kind, path+": has another JSON type") }
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if c.binding == BindingRPC && f.kind == kind {
				return answer{status: http.StatusInternalServerError, header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
					body: []byte("<html><body><h1>Internal Server Error</h1></body></html>")}
			}
			return a
		}
	},
	"wrong-types-are-a-fault": func(b *behaviour) {
		b.input.wrong = func(string, any) *failure { return fail(internal, "something went wrong here") }
	},
	"null-parts-are-a-fault": func(b *behaviour) {
		b.input.wrong = func(path string, v any) *failure {
			if v == nil {
				return fail(internal, "something went wrong here")
			}
			return conformantInput.wrong(path, v)
		}
	},
	"wrong-bytes-are-a-fault": func(b *behaviour) {
		b.input.wrong = func(path string, v any) *failure {
			if strings.HasSuffix(path, ".raw") {
				return fail(internal, "something went wrong here")
			}
			return conformantInput.wrong(path, v)
		}
	},

	"error-as-problem-document": func(b *behaviour) {
		b.errors.media = func(*call, *failure) string { return "application/problem+json" }
		b.errors.envelope = func(c *call, f *failure, e object) any {
			return object{"type": "about:blank", "title": e["message"], "status": e["code"]}
		}
	},
	"error-with-a-second-envelope": func(b *behaviour) {
		b.errors.envelope = func(_ *call, _ *failure, e object) any {
			return object{"error": e, "code": e["code"], "message": e["message"]}
		}
	},
	"errors-as-problem-json": func(b *behaviour) {
		b.errors.media = func(*call, *failure) string { return "application/problem+json" }
	},
	"refused-versions-as-html": func(b *behaviour) {
		b.errors.media = func(_ *call, f *failure) string {
			if f.kind == versionNotSupported {
				return "text/html; charset=utf-8"
			}
			return mediaA2A
		}
	},
	"refused-versions-have-status-200": instead(versionNotSupported, http.StatusOK),
	"error-code-is-that-of-grpc":       func(b *behaviour) { b.errors.code = func(*call, *failure) any { return 5 } },
	"error-code-is-a-text": func(b *behaviour) {
		b.errors.code = func(c *call, f *failure) any { return strconv.Itoa(c.s.b.errors.http(c, f)) }
	},
	"error-code-of-refused-versions-is-9": func(b *behaviour) {
		b.errors.code = func(c *call, f *failure) any {
			if f.kind == versionNotSupported {
				return 9
			}
			return conformantErrors.code(c, f)
		}
	},
	"error-message-is-empty": func(b *behaviour) { b.errors.message = func(*call, *failure) string { return "" } },
	"error-message-of-refused-versions-is-missing": func(b *behaviour) {
		b.errors.message = func(c *call, f *failure) string {
			if f.kind == versionNotSupported && c.binding == BindingREST {
				return ""
			}
			return f.message
		}
	},
	"error-status-is-the-phrase-of-http": func(b *behaviour) {
		b.errors.status = func(c *call, f *failure) any { return http.StatusText(c.s.b.errors.http(c, f)) }
	},
	"error-status-of-refused-versions-is-unimplemented": func(b *behaviour) {
		b.errors.status = func(c *call, f *failure) any {
			if f.kind == versionNotSupported {
				return "UNIMPLEMENTED"
			}
			return conformantErrors.status(c, f)
		}
	},
	"error-without-details": func(b *behaviour) { b.errors.details = func(*call, *failure, []any) []any { return nil } },
	"refused-versions-without-details": func(b *behaviour) {
		b.errors.details = func(c *call, f *failure, details []any) []any {
			if f.kind == versionNotSupported && c.binding == BindingREST {
				return nil
			}
			return details
		}
	},
	"error-detail-without-type": func(b *behaviour) {
		b.errors.details = func(_ *call, _ *failure, details []any) []any { return append(details, object{"hint": "look again"}) }
	},
	"error-with-two-infos": func(b *behaviour) {
		b.errors.details = func(_ *call, f *failure, details []any) []any {
			if f.kind.reason == "" {
				return details
			}
			return slices.Concat(details[:1], details)
		}
	},
	"error-reasons-end-in-error": info(func(_ *call, info object) { info["reason"] = info["reason"].(string) + "_ERROR" }),
	"error-domain-is-the-host":   info(func(c *call, info object) { info["domain"] = c.r.Host }),
	"error-metadata-has-a-number": info(func(_ *call, info object) {
		info["metadata"] = object{"attempts": 5}
	}),
	"stream-refusals-are-events": func(b *behaviour) {
		b.stream.refused = func(c *call, f *failure) answer {
			line := bytes.Join(bytes.Fields(c.refuse(f).body), []byte(" "))
			a := answer{status: http.StatusOK, header: http.Header{}, body: slices.Concat([]byte("data: "), line, []byte("\n\n"))}
			c.s.b.stream.header(c, a.header)
			return a
		}
	},
	"unknown-tasks-are-invalid-when-asked-for-again": func(b *behaviour) {
		asked := map[string]bool{} // the lock of the server is held whenever a task is looked for
		b.tasks.missing = func(c *call, id string) *failure {
			if again := asked[id]; again && isOp(c, "GetTask") {
				return violation("id", "is no task")
			}
			asked[id] = isOp(c, "GetTask")
			return conformantTasks.missing(c, id)
		}
	},
	"errors-of-any-media-type-are-plain-text": func(b *behaviour) {
		b.errors.media = func(c *call, f *failure) string { return plainForAnything(c, conformantErrors.media(c, f)) }
	},
	"unknown-configs-without-a-reason": info(func(c *call, info object) {
		if isOp(c, "GetTaskPushNotificationConfig") {
			delete(info, "reason")
		}
	}),
	"unknown-configs-with-infos-of-another-type": info(func(c *call, info object) {
		if isOp(c, "GetTaskPushNotificationConfig") {
			info["@type"] = "type.googleapis.com/google.rpc.ErrorInformation"
		}
	}),
	"unknown-tasks-with-a-history-length-are-a-server-error": func(b *behaviour) {
		b.tasks.missing = func(c *call, id string) *failure {
			if _, asked := member(c.params, "historyLength"); asked && isOp(c, "GetTask") {
				return fail(internal, "the history could not be read")
			}
			return conformantTasks.missing(c, id)
		}
	},
	"tasks-found-by-the-beginning-of-their-id": func(b *behaviour) {
		b.tasks.addressed = func(c *call, id string) (*task, *failure) {
			if len(id) >= 8 && isOp(c, "GetTask") {
				for known := range c.s.tasks {
					if strings.HasPrefix(known, id) {
						id = known
						break
					}
				}
			}
			return conformantTasks.addressed(c, id)
		}
	},
	"tasks-found-by-their-context": foundBy("GetTask", inContext),
	"tasks-found-by-their-message": foundBy("GetTask", func(t *task, id string) bool {
		return len(t.history) > 0 && t.history[0]["messageId"] == id
	}),
	"cancels-find-tasks-by-their-context": foundBy("CancelTask", inContext),
	"media-types-of-later-parts-are-invalid": func(b *behaviour) {
		b.input.media = func(c *call, part object) *failure {
			f := knownMedia(c, part)
			message, _ := c.params["message"].(object)
			parts, _ := message["parts"].([]any)
			if first, is := parts[0].(object); is && f != nil && first["mediaType"] != part["mediaType"] {
				return violation("message.parts", "has a media type that is not known")
			}
			return f
		}
	},
	"unknown-media-types-of-streams-are-invalid": func(b *behaviour) {
		b.input.media = func(c *call, part object) *failure {
			f := knownMedia(c, part)
			if f != nil && isOp(c, "SendStreamingMessage") {
				return violation("message.parts", "has a media type that is not known")
			}
			return f
		}
	},
	"unreadable-requests-are-refused-in-plain-text": func(b *behaviour) {
		refuseInPlainText(b, func(c *call) bool { return unreadable(c) || noTime(c) })
		inQueries := b.errors.answer
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if c.binding != BindingREST || f.kind != malformed {
				return inQueries(c, f, a)
			}
			return answer{status: http.StatusBadRequest, header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}},
				body: []byte("Failed to parse the request body as JSON")}
		}
	},
	"bad-queries-are-refused-in-plain-text": func(b *behaviour) {
		b.errors.answer = func(c *call, f *failure, a answer) answer {
			if c.binding != BindingREST || c.r.Method != http.MethodGet || f.kind != invalidParams {
				return a
			}
			return answer{status: a.status, header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, body: []byte("Bad query parameter")}
		}
	},
	"json-may-go-on-behind-its-end": func(b *behaviour) {
		b.input.parse = func(text []byte) (any, *failure) {
			var raw json.RawMessage
			if json.NewDecoder(bytes.NewReader(text)).Decode(&raw) == nil {
				text = raw
			}
			return conformantInput.parse(text)
		}
	},
	"roles-that-are-a-number-are-a-fault": func(b *behaviour) {
		b.input.tenant = func(c *call) *failure {
			message, _ := c.params["message"].(object)
			if _, number := message["role"].(json.Number); number {
				return fail(internal, panicked)
			}
			return rightTenant(c)
		}
	},
	"null-characters-in-texts-are-a-fault": func(b *behaviour) {
		b.input.unknown = func(c *call) *failure {
			if message, _ := c.params["message"].(object); strings.Contains(textOf(message), "\x00") {
				return fail(internal, panicked)
			}
			return nil
		}
	},
	"media-types-of-later-parts-are-not-looked-at": func(b *behaviour) {
		b.input.media = func(c *call, part object) *failure {
			message, _ := c.params["message"].(object)
			parts, _ := message["parts"].([]any)
			if first, is := parts[0].(object); is && first["mediaType"] != part["mediaType"] {
				return nil
			}
			return knownMedia(c, part)
		}
	},
}

// missingTask answers something else for a task that does not exist.
func missingTask(why func(id string) *failure) func(*behaviour) {
	return func(b *behaviour) { b.tasks.missing = func(_ *call, id string) *failure { return why(id) } }
}

// missingConfig answers something else for a push configuration that does not exist.
func missingConfig(f *failure) func(*behaviour) {
	return func(b *behaviour) { b.push.missing = func(*call, string, string) *failure { return f } }
}

// instead gives an error another status over HTTP+JSON.
func instead(kind *errorKind, status int) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.http = func(c *call, f *failure) int {
			if f.kind == kind {
				return status
			}
			return conformantErrors.http(c, f)
		}
	}
}

// as answers one error as another.
func as(kind, another *errorKind) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.kind = func(_ *call, f *failure) *errorKind {
			if f.kind == kind {
				return another
			}
			return f.kind
		}
	}
}

// inREST is as, over HTTP+JSON only.
func inREST(kind, another *errorKind) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.kind = func(c *call, f *failure) *errorKind {
			if f.kind == kind && c.binding == BindingREST {
				return another
			}
			return f.kind
		}
	}
}

// undeclared answers something else to an operation whose capability the card does not declare.
func undeclared(name string, kind *errorKind) func(*behaviour) {
	return func(b *behaviour) {
		b.card.lacks = func(c *call, op *operation) *failure {
			f := lacksCapability(c, op)
			if f != nil && op.name == name {
				return fail(kind, "there is nothing at this path")
			}
			return f
		}
	}
}

// info changes the ErrorInfo of errors.
func info(change func(c *call, info object)) func(*behaviour) {
	return func(b *behaviour) {
		b.errors.info = func(c *call, f *failure) object {
			info := conformantErrors.info(c, f)
			if info != nil && c.binding == BindingREST {
				change(c, info)
			}
			return info
		}
	}
}

// isOp says whether a call is of an operation.
func isOp(c *call, name string) bool { return c.op != nil && c.op.name == name }

func inContext(t *task, id string) bool { return t.context == id }

// foundBy lets one operation find a task of the caller by something else than its id.
func foundBy(operation string, it func(t *task, id string) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.tasks.addressed = func(c *call, id string) (*task, *failure) {
			for _, t := range c.s.tasks {
				if isOp(c, operation) && t.owner == c.who.name && it(t, id) {
					return t, nil
				}
			}
			return conformantTasks.addressed(c, id)
		}
	}
}
