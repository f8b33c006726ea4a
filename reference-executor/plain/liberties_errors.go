// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// errorLiberties are about refusals.
var errorLiberties = map[string]func(*behaviour){
	// A2A-SEC-015 is about files of the server: the address that a request was for is none, wherever it is.
	"errors-name-the-address-that-was-asked-for": func(b *behaviour) {
		const below = "/app/one"
		b.http.below = func() string { return below }
		b.errors.message = func(c *call, f *failure) string {
			if c.r == nil {
				return f.message
			}
			return f.message + ` ("` + below + c.r.URL.Path + `")`
		}
	},

	// 11.6: the details hold one ErrorInfo; no sentence forbids other details, or says that it is the first.
	"errors-have-more-details": func(b *behaviour) {
		b.errors.details = func(c *call, f *failure, details []any) []any {
			const of = "type.googleapis.com/google.rpc."
			first := []any{
				object{"@type": of + "RequestInfo", "requestId": uuid.NewString()},
				object{"@type": of + "LocalizedMessage", "locale": "de", "message": "Das geht nicht."},
			}
			help := object{"@type": of + "Help", "links": []any{object{"description": "More", "url": "https://a2a.example/errors"}}}
			return append(slices.Concat(first, details), help)
		}
		b.grpc.details = func(_ *call, _ *failure, all []any) []any {
			return slices.DeleteFunc(all, func(detail any) bool { // this server writes those of the protocol only
				_, info := detail.(object)["reason"]
				_, violations := detail.(object)["fieldViolations"]
				return !info && !violations
			})
		}
	},

	// 3.3.2: the message is a text for people, and the metadata is optional.
	"errors-are-told-in-chinese": func(b *behaviour) {
		b.errors.message = func(*call, *failure) string { return "请求无法处理" }
		b.errors.info = func(c *call, f *failure) object {
			info := conformantErrors.info(c, f)
			delete(info, "metadata")
			return info
		}
	},

	// AMB-59: other errors than those of A2A may have an ErrorInfo, whose reason and domain are the server's.
	"validation-errors-have-a-reason": func(b *behaviour) {
		b.errors.info = func(c *call, f *failure) object {
			info := conformantErrors.info(c, f)
			if info == nil && c.s.b.errors.kind(c, f).http == http.StatusBadRequest {
				info = object{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "INVALID_PARAMS", "domain": "agent.example"}
			}
			return info
		}
	},

	// AMB-55: the body is free where there is nothing; RFC 9110, 15.5.5: a resource may hide what it takes behind 404.
	"unknown-paths-are-pages": func(b *behaviour) {
		b.rest.unknown = func(*call) answer { return page(http.StatusNotFound, "404 Not Found") }
		b.rest.wrong = func(*call, []string) answer { return page(http.StatusNotFound, "404 Not Found") }
	},

	// A2A-REST-007: what is not served is 404, 405 or 501; RFC 9110, 15.6.2.
	"unknown-paths-are-not-implemented": func(b *behaviour) {
		b.rest.unknown = func(*call) answer { return page(http.StatusNotImplemented, "501 Not Implemented") }
		b.rest.wrong = func(*call, []string) answer { return page(http.StatusNotImplemented, "501 Not Implemented") }
	},

	// A2A-ERR-009 exempts the 401 of a gateway, and AMB-32 has it have any body over JSON-RPC.
	"a-gateway-asks-for-credentials": func(b *behaviour) {
		b.errors.answer = func(_ *call, f *failure, a answer) answer {
			if f.kind != unauthenticated {
				return a
			}
			asked := page(http.StatusUnauthorized, "401 Authorization Required")
			asked.header["Www-Authenticate"] = a.header["Www-Authenticate"]
			return asked
		}
	},

	// Section 6 of the error table: over JSON-RPC an implementation code may tell that credentials are missing.
	"credentials-are-asked-for-in-json-rpc": func(b *behaviour) {
		b.rpc.status = func(*call, *failure) int { return http.StatusOK }
	},

	// AMB-32: the HTTP status of a JSON-RPC error is not specified.
	"json-rpc-errors-have-their-status": func(b *behaviour) {
		b.rpc.status = func(c *call, f *failure) int { return c.s.b.errors.kind(c, f).http }
	},

	// JSON-RPC 2.0, 4.1: a notification has no response; over HTTP 202 says that it was taken.
	"notifications-are-accepted": func(b *behaviour) {
		b.rpc.notified = func(*call) answer { return answer{status: http.StatusAccepted, header: http.Header{}} }
	},

	// 14.2.1: a version is Major.Minor, and a wrong parameter when it is something else (AMB-13).
	"malformed-versions-are-invalid": func(b *behaviour) {
		b.versions.refuses = func(c *call) *failure {
			asked := c.s.b.versions.asked(c)
			if match := versionForm.FindStringSubmatch(asked); asked != "" && (match == nil || match[2] != "") {
				return violation("A2A-Version", "is not Major.Minor")
			}
			return conformantVersions.refuses(c)
		}
	},

	// RFC 6585, 4: a client that asks too often is told when to come again; 3.3.2 leaves it to the server.
	"too-many-requests-are-put-off": func(b *behaviour) {
		var last atomic.Int64 // when somebody was put off, in milliseconds
		tooMany := &errorKind{"", http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", -32055}
		b.security.authenticates = func(c *call) *failure {
			now, before := time.Now().UnixMilli(), last.Load()
			if c.binding == BindingGRPC || now < before+2500 || !last.CompareAndSwap(before, now) {
				return conformantSecurity.authenticates(c)
			}
			f := fail(tooMany, "come again in a second")
			f.header = http.Header{"Retry-After": {"1"}}
			return f
		}
		b.rpc.status = func(c *call, f *failure) int {
			if f.kind == tooMany {
				return f.kind.http
			}
			return conformantRPC.status(c, f)
		}
	},
}

// page is a page for people.
func page(status int, says string) answer {
	return answer{
		status: status, header: http.Header{"Content-Type": {"text/html"}},
		body: []byte("<html>\r\n<head><title>" + says + "</title></head>\r\n<body>\r\n<center><h1>" + says + "</h1></center>\r\n</body>\r\n</html>\r\n"),
	}
}
