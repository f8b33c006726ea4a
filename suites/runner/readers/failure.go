// SPDX-License-Identifier: Apache-2.0

package readers

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// An a2aError is an error of A2A 1.0 (section 5.4): by the reason of the ErrorInfo, and by the code of JSON-RPC.
type a2aError struct {
	name, reason string
	code         int
}

var a2aErrors = []a2aError{
	{"TaskNotFound", "TASK_NOT_FOUND", -32001},
	{"TaskNotCancelable", "TASK_NOT_CANCELABLE", -32002},
	{"PushNotificationNotSupported", "PUSH_NOTIFICATION_NOT_SUPPORTED", -32003},
	{"UnsupportedOperation", "UNSUPPORTED_OPERATION", -32004},
	{"ContentTypeNotSupported", "CONTENT_TYPE_NOT_SUPPORTED", -32005},
	{"InvalidAgentResponse", "INVALID_AGENT_RESPONSE", -32006},
	{"ExtendedAgentCardNotConfigured", "EXTENDED_AGENT_CARD_NOT_CONFIGURED", -32007},
	{"ExtensionSupportRequired", "EXTENSION_SUPPORT_REQUIRED", -32008},
	{"VersionNotSupported", "VERSION_NOT_SUPPORTED", -32009},
}

// ErrorInfo is the @type of the detail that names an A2A error (section 11.6).
const ErrorInfo = "type.googleapis.com/google.rpc.ErrorInfo"

// What an operation can fail with that is no A2A error: the rows of the second table of wire.md, section 6.
const (
	ClassA2A              = "a2a"
	ClassValidation       = "validation"
	ClassAuthentication   = "authentication"
	ClassAuthorization    = "authorization"
	ClassUnknownOperation = "unknown-operation"
	ClassClient           = "client"
	ClassServer           = "server"
	ClassEnvelope         = "envelope"
)

// Failure reads how an operation failed over a binding, tolerantly: the identity of the error alone, wherever the answer tells it.
// It is nil when the operation was processed, or nothing came back.
func Failure(binding string, status int, body any) map[string]any {
	switch {
	case status == 0:
		return nil
	case binding == "JSONRPC":
		return rpcFailure(status, body)
	case binding == BindingGRPC:
		return grpcFailure(status, body)
	}
	return restFailure(status, body)
}

// rpcFailure is that of the JSON-RPC binding, where the code is the identity (section 9.5).
func rpcFailure(status int, body any) map[string]any {
	e, is := Member(body, "error").(map[string]any)
	if !is {
		switch {
		case status == http.StatusUnauthorized || status == http.StatusForbidden:
			return map[string]any{"status": assertions.Number(int64(status)), "class": classOfStatus(status)}
		case !assertions.IsMissing(Member(body, "result")) && status < 300:
			return nil
		}
		return map[string]any{"status": assertions.Number(int64(status)), "class": ClassEnvelope}
	}
	failure := map[string]any{"status": assertions.Number(int64(status)), "json": e, "class": ClassClient}
	CopyMembers(failure, e, "code", "message")
	readDetails(failure, e["data"])
	delete(failure, "name") // the code decides, and the reason where it is the code of no A2A error (A2A-RPC-011)
	number, _ := assertions.Whole(e["code"])
	code := int(number)
	if status == http.StatusUnauthorized { // may have any body (AMB-32)
		failure["class"] = ClassAuthentication
		return failure
	}
	named := slices.IndexFunc(a2aErrors, func(known a2aError) bool { return known.code == code })
	if reason := MemberText(failure, "reason"); named < 0 && status != http.StatusForbidden {
		named = slices.IndexFunc(a2aErrors, func(known a2aError) bool { return known.reason == reason })
	}
	switch {
	case named >= 0:
		failure["name"], failure["class"] = a2aErrors[named].name, ClassA2A
	case status == http.StatusForbidden:
		failure["class"] = ClassAuthorization
	case code == -32602:
		failure["class"] = ClassValidation
	case code == -32601:
		failure["class"] = ClassUnknownOperation
	case code == -32603:
		failure["class"] = ClassServer
	}
	return failure
}

// restFailure is that of the HTTP+JSON binding, where the reason of the ErrorInfo is the identity (section 11.6). Without
// one, 404 counts as TaskNotFound, and other errors are unnamed. Of an error that comes with success, as the event of a
// stream, the status is the one that it tells.
func restFailure(status int, body any) map[string]any {
	e, is := Member(body, "error").(map[string]any)
	failure := map[string]any{"status": assertions.Number(int64(status))}
	if status < 400 {
		if !is && !IsProblem(body) {
			return nil
		}
		status = cmp.Or(errorStatus(e["code"]), errorStatus(Member(body, "status")), status)
	}
	failure["class"] = classOfStatus(status)
	if is {
		failure["json"] = e
		CopyMembers(failure, e, "code", "message")
		readDetails(failure, e["details"])
	}
	switch {
	case failure["name"] != nil:
		failure["class"] = ClassA2A
	case status == http.StatusNotFound && failure["reason"] == nil:
		failure["name"], failure["class"] = "TaskNotFound", ClassA2A
	case status >= 500 && MemberText(e, "status") == "INVALID_ARGUMENT":
		// The error tells a client error; that the status tells one of the server is for A2A-ERR-021 to say.
		failure["name"], failure["class"] = suites.Unnamed, ClassValidation
	case failure["reason"] == nil && status != http.StatusUnauthorized && status != http.StatusForbidden:
		failure["name"] = suites.Unnamed
	}
	return failure
}

// IsProblem says whether a body is a problem document (RFC 9457): its status is a number, that of a task is an object.
func IsProblem(body any) bool { return errorStatus(Member(body, "status")) != 0 }

// errorStatus is a number that is the HTTP status of an error, 0 where it is none.
func errorStatus(v any) int {
	if number, is := assertions.Whole(v); is && number >= 400 && number <= 599 {
		return int(number)
	}
	return 0
}

// IsServerFault says whether a failure tells that something is wrong with the server itself: not that it is unavailable (503, 504), that
// it lacks something (501), nor an error of A2A. Over JSON-RPC the code says so, and the HTTP status only where there is none.
func IsServerFault(binding string, failure any) bool {
	class, e, number := MemberText(failure, "class"), Member(failure, "json"), Member(failure, "status")
	status, _ := assertions.Whole(number)
	switch binding {
	case BindingGRPC:
		return class == ClassServer && slices.Contains([]string{"INTERNAL", "UNKNOWN"}, MemberText(e, "status"))
	case "JSONRPC":
		if class != ClassServer && class != ClassEnvelope {
			return false
		}
		return class == ClassServer && status < 500 || blamesServer(int(status))
	}
	if status < 400 { // the event of a stream is the error
		status = int64(errorStatus(Member(e, "code")))
	}
	return (class == ClassServer || class == ClassValidation) && blamesServer(int(status))
}

func blamesServer(status int) bool {
	return status >= 500 && status != http.StatusNotImplemented && status != http.StatusServiceUnavailable && status != http.StatusGatewayTimeout
}

// readDetails finds the ErrorInfo. Several with different reasons do not say which error it is; that there is one is A2A-ERR-006.
func readDetails(failure map[string]any, v any) {
	list, is := v.([]any)
	if !is {
		return
	}
	failure["details"] = list
	var info map[string]any
	for _, detail := range list {
		members, _ := detail.(map[string]any)
		if MemberText(detail, "@type") != ErrorInfo {
			continue
		}
		if info != nil && reasonOf(info) != reasonOf(members) {
			return
		}
		if info == nil {
			info = members
		}
	}
	if info == nil {
		return
	}
	CopyMembers(failure, info, "reason", "domain")
	for _, known := range a2aErrors {
		if known.reason == reasonOf(info) {
			failure["name"] = known.name
		}
	}
}

// reasonOf is the reason of an ErrorInfo; how it is spelled is A2A-ERR-006.
func reasonOf(info map[string]any) string {
	return strings.TrimSuffix(strings.ToUpper(MemberText(info, "reason")), "_ERROR")
}

func classOfStatus(status int) string {
	switch {
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		return ClassValidation
	case status == http.StatusUnauthorized:
		return ClassAuthentication
	case status == http.StatusForbidden:
		return ClassAuthorization
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status == http.StatusNotImplemented:
		return ClassUnknownOperation
	case status >= 500:
		return ClassServer
	}
	return ClassClient
}

// IsErrorItem says whether the data of an event is an error in the place of an item (AMB-33).
func IsErrorItem(data any) bool {
	_, is := Member(data, "error").(map[string]any)
	return is || IsProblem(data)
}
