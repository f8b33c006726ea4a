// SPDX-License-Identifier: Apache-2.0

package readers

import (
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// BindingGRPC is the binding of section 10. Its calls are shown in the form of the others: requests and answers as
// ProtoJSON, metadata as headers, and codes by the HTTP status that google.rpc.Code gives them.
const BindingGRPC = "GRPC"

// grpcCodes are the codes of gRPC by number, with the HTTP status and the class that stand for them.
var grpcCodes = []struct {
	name  string
	http  int
	class string
}{
	{"OK", 200, ""},
	{"CANCELLED", 499, ClassClient},
	{"UNKNOWN", 500, ClassServer},
	{"INVALID_ARGUMENT", 400, ClassValidation},
	{"DEADLINE_EXCEEDED", 504, ClassServer},
	{"NOT_FOUND", 404, ClassClient},
	{"ALREADY_EXISTS", 409, ClassClient},
	{"PERMISSION_DENIED", 403, ClassAuthorization},
	{"RESOURCE_EXHAUSTED", 429, ClassClient},
	{"FAILED_PRECONDITION", 400, ClassClient},
	{"ABORTED", 409, ClassClient},
	{"OUT_OF_RANGE", 400, ClassValidation},
	{"UNIMPLEMENTED", 501, ClassUnknownOperation},
	{"INTERNAL", 500, ClassServer},
	{"UNAVAILABLE", 503, ClassServer},
	{"DATA_LOSS", 500, ClassServer},
	{"UNAUTHENTICATED", 401, ClassAuthentication},
}

// grpcFailure is that of the gRPC binding, where the reason of the ErrorInfo is the identity, else the code (section
// 10.6). NOT_FOUND belongs to one error alone; the other codes of the error table leave it unnamed, and those that it does
// not have are no A2A error.
func grpcFailure(status int, body any) map[string]any {
	e, is := Member(body, "error").(map[string]any)
	if status < 400 && !is {
		return nil
	}
	failure := map[string]any{"status": assertions.Number(int64(status)), "class": ClassEnvelope}
	if !is {
		return failure
	}
	failure["json"], failure["class"] = e, ClassServer
	CopyMembers(failure, e, "code", "message")
	name := MemberText(e, "status")
	for _, known := range grpcCodes {
		if known.name == name {
			failure["class"] = known.class
		}
	}
	readDetails(failure, e["details"])
	switch {
	case failure["name"] != nil:
		failure["class"] = ClassA2A
	case failure["reason"] != nil, failure["class"] == ClassAuthentication, failure["class"] == ClassAuthorization:
	case name == "NOT_FOUND":
		failure["name"], failure["class"] = "TaskNotFound", ClassA2A
	case slices.Contains(sharedCodes, name):
		failure["name"] = suites.Unnamed
	}
	return failure
}

// sharedCodes are those of the error table that do not say by themselves which error it is, that of 1.0.0 included.
var sharedCodes = []string{"FAILED_PRECONDITION", "INVALID_ARGUMENT", "INTERNAL", "UNIMPLEMENTED"}

// GRPCCode is the name of a code, and the HTTP status that stands for it.
func GRPCCode(code int) (name string, http int) {
	if code < 0 || code >= len(grpcCodes) {
		code = 2 // UNKNOWN
	}
	return grpcCodes[code].name, grpcCodes[code].http
}
