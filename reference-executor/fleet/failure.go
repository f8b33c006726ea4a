// SPDX-License-Identifier: Apache-2.0

package fleet

// An errorKind is one row of the error table: what an error is called in each dialect.
type errorKind struct {
	reason string // of the ErrorInfo; empty: the error carries none
	http   int
	status string // the gRPC name
	rpc    int
}

// The errors of the protocol that can happen here, and the generic ones below them.
var (
	taskNotFound         = &errorKind{"TASK_NOT_FOUND", 404, "NOT_FOUND", -32001}
	taskNotCancelable    = &errorKind{"TASK_NOT_CANCELABLE", 400, "FAILED_PRECONDITION", -32002}
	pushNotSupported     = &errorKind{"PUSH_NOTIFICATION_NOT_SUPPORTED", 400, "FAILED_PRECONDITION", -32003}
	unsupportedOperation = &errorKind{"UNSUPPORTED_OPERATION", 400, "FAILED_PRECONDITION", -32004}
	versionNotSupported  = &errorKind{"VERSION_NOT_SUPPORTED", 400, "FAILED_PRECONDITION", -32009}

	malformed      = &errorKind{"", 400, "INVALID_ARGUMENT", -32700}
	invalidRequest = &errorKind{"", 400, "INVALID_ARGUMENT", -32600}
	unknownMethod  = &errorKind{"", 404, "UNIMPLEMENTED", -32601}
	invalidParams  = &errorKind{"", 400, "INVALID_ARGUMENT", -32602}
	wrongMedia     = &errorKind{"", 415, "INVALID_ARGUMENT", -32600}
	tooLarge       = &errorKind{"", 413, "RESOURCE_EXHAUSTED", -32600}
	internal       = &errorKind{"", 500, "INTERNAL", -32603}
)

// A failure is why an operation was refused.
type failure struct {
	kind    *errorKind
	message string
	field   string // of a violation
}

func fail(kind *errorKind, message string) *failure { return &failure{kind: kind, message: message} }

// violation is a member that is not what it must be.
func violation(field, why string) *failure {
	return &failure{kind: invalidParams, message: field + ": " + why, field: field}
}

// details are the typed objects that come with an error.
func (f *failure) details() []any {
	var details []any
	if f.kind.reason != "" {
		details = append(details, object{
			"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": f.kind.reason, "domain": "a2a-protocol.org",
		})
	}
	if f.field != "" {
		details = append(details, object{
			"@type":           "type.googleapis.com/google.rpc.BadRequest",
			"fieldViolations": []any{object{"field": f.field, "description": f.message}},
		})
	}
	return details
}

// refuse answers with an error as the HTTP+JSON binding has it. What cannot be read as JSON is refused by the listener, not
// by an agent.
func (c *call) refuse(f *failure) answer {
	if f.kind == malformed || f.kind == tooLarge {
		return c.text(f.kind.http, f.message)
	}
	e := object{"code": f.kind.http, "status": f.kind.status, "message": f.message}
	if details := f.details(); details != nil {
		e["details"] = details
	}
	return c.json(f.kind.http, mediaA2A, object{"error": e})
}
