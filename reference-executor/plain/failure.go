// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"maps"
	"net/http"
)

// An errorKind is one row of the error table: what an error is called on each binding.
type errorKind struct {
	reason string // of the ErrorInfo; empty: the error carries none
	http   int
	status string // the gRPC name
	rpc    int
}

// The errors of A2A, and the generic ones below them.
var (
	taskNotFound             = &errorKind{"TASK_NOT_FOUND", 404, "NOT_FOUND", -32001}
	taskNotCancelable        = &errorKind{"TASK_NOT_CANCELABLE", 400, "FAILED_PRECONDITION", -32002}
	pushNotSupported         = &errorKind{"PUSH_NOTIFICATION_NOT_SUPPORTED", 400, "FAILED_PRECONDITION", -32003}
	unsupportedOperation     = &errorKind{"UNSUPPORTED_OPERATION", 400, "FAILED_PRECONDITION", -32004}
	contentTypeNotSupported  = &errorKind{"CONTENT_TYPE_NOT_SUPPORTED", 400, "INVALID_ARGUMENT", -32005}
	invalidAgentResponse     = &errorKind{"INVALID_AGENT_RESPONSE", 500, "INTERNAL", -32006}
	extendedNotConfigured    = &errorKind{"EXTENDED_AGENT_CARD_NOT_CONFIGURED", 400, "FAILED_PRECONDITION", -32007}
	extensionSupportRequired = &errorKind{"EXTENSION_SUPPORT_REQUIRED", 400, "FAILED_PRECONDITION", -32008}
	versionNotSupported      = &errorKind{"VERSION_NOT_SUPPORTED", 400, "FAILED_PRECONDITION", -32009}

	malformed        = &errorKind{"", 400, "INVALID_ARGUMENT", -32700}
	invalidRequest   = &errorKind{"", 400, "INVALID_ARGUMENT", -32600}
	unknownMethod    = &errorKind{"", 404, "UNIMPLEMENTED", -32601}
	methodNotAllowed = &errorKind{"", 405, "UNIMPLEMENTED", -32601}
	invalidParams    = &errorKind{"", 400, "INVALID_ARGUMENT", -32602}
	wrongMedia       = &errorKind{"", 415, "INVALID_ARGUMENT", -32600}
	tooLarge         = &errorKind{"", 413, "RESOURCE_EXHAUSTED", -32600}
	internal         = &errorKind{"", 500, "INTERNAL", -32603}
	notification     = &errorKind{"", 204, "", 0} // no error, but nothing to be answered either
	unauthenticated  = &errorKind{"UNAUTHENTICATED", 401, "UNAUTHENTICATED", -32051}
	forbidden        = &errorKind{"PERMISSION_DENIED", 403, "PERMISSION_DENIED", -32053}
)

// A failure is why an operation was refused.
type failure struct {
	kind     *errorKind
	message  string
	field    string            // of a violation
	metadata map[string]string // of the ErrorInfo
	header   http.Header
}

func fail(kind *errorKind, message string) *failure { return &failure{kind: kind, message: message} }

// violation is a member that is not what it must be.
func violation(field, why string) *failure {
	return &failure{kind: invalidParams, message: field + ": " + why, field: field}
}

// about names the task that an error is about.
func (f *failure) about(task string) *failure {
	f.metadata = map[string]string{"taskId": task}
	return f
}

// errorsBehaviour is how errors are written.
type errorsBehaviour struct {
	kind     func(c *call, f *failure) *errorKind // the row of the error table that is answered
	message  func(c *call, f *failure) string
	info     func(c *call, f *failure) object // the ErrorInfo; nil: none
	details  func(c *call, f *failure, details []any) []any
	http     func(c *call, f *failure) int // of REST answers
	code     func(c *call, f *failure) any // of the REST envelope
	status   func(c *call, f *failure) any // of the REST envelope
	envelope func(c *call, f *failure, e object) any
	media    func(c *call, f *failure) string
	answer   func(c *call, f *failure, a answer) answer
}

var conformantErrors = errorsBehaviour{
	kind:    func(_ *call, f *failure) *errorKind { return f.kind },
	message: func(_ *call, f *failure) string { return f.message },
	info: func(c *call, f *failure) object {
		kind := c.s.b.errors.kind(c, f)
		if kind.reason == "" {
			return nil
		}
		info := object{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": kind.reason, "domain": "a2a-protocol.org"}
		if len(f.metadata) > 0 {
			metadata := object{}
			for name, value := range f.metadata {
				metadata[name] = value
			}
			info["metadata"] = metadata
		}
		return info
	},
	details:  func(_ *call, _ *failure, details []any) []any { return details },
	http:     func(c *call, f *failure) int { return c.s.b.errors.kind(c, f).http },
	code:     func(c *call, f *failure) any { return c.s.b.errors.http(c, f) },
	status:   func(c *call, f *failure) any { return c.s.b.errors.kind(c, f).status },
	envelope: func(_ *call, _ *failure, e object) any { return object{"error": e} },
	media:    func(*call, *failure) string { return mediaA2A },
	answer:   func(_ *call, _ *failure, a answer) answer { return a },
}

// details are the typed objects that come with an error on every binding.
func (c *call) details(f *failure) []any {
	b := &c.s.b.errors
	var details []any
	if info := b.info(c, f); info != nil {
		details = append(details, info)
	}
	if f.field != "" {
		details = append(details, object{
			"@type":           "type.googleapis.com/google.rpc.BadRequest",
			"fieldViolations": []any{object{"field": f.field, "description": f.message}},
		})
	}
	return b.details(c, f, details)
}

// refuse answers with an error in the form of the call's binding.
func (c *call) refuse(f *failure) answer {
	var a answer
	if c.binding == BindingRPC {
		a = c.refuseRPC(f)
	} else {
		a = c.refuseREST(f)
	}
	maps.Copy(a.header, f.header)
	c.s.b.extensions.names(c, a.header)
	return c.s.b.errors.answer(c, f, a)
}

func (c *call) refuseREST(f *failure) answer {
	b := &c.s.b.errors
	e := object{"code": b.code(c, f), "message": b.message(c, f)}
	if status := b.status(c, f); status != nil {
		e["status"] = status
	}
	if details := c.details(f); len(details) > 0 {
		e["details"] = details
	}
	return c.s.json(b.http(c, f), b.media(c, f), b.envelope(c, f, e))
}
