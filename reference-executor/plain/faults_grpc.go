// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"strings"
)

var grpcFaults = map[string]func(*behaviour){
	"grpc-service-without-lf": func(b *behaviour) {
		finds := b.grpc.finds
		b.grpc.finds = func(service, method string) *operation { return finds("lf."+service, method) }
	},
	"grpc-without-list-tasks": func(b *behaviour) {
		finds := b.grpc.finds
		b.grpc.finds = func(service, method string) *operation {
			if method == "ListTasks" {
				return nil
			}
			return finds(service, method)
		}
	},
	"grpc-send-answers-nothing": func(b *behaviour) {
		b.grpc.result = func(c *call, result any) any {
			if c.op.name == "SendMessage" {
				return object{}
			}
			return result
		}
	},
	"grpc-version-not-read": func(b *behaviour) {
		b.grpc.reads = func(metadata http.Header) http.Header {
			metadata = metadata.Clone()
			metadata.Set("A2A-Version", version10)
			return metadata
		}
	},
	"grpc-errors-of-unknown-code": func(b *behaviour) { b.grpc.code = func(*call, *failure) string { return "UNKNOWN" } },
	"grpc-not-cancelable-is-aborted": func(b *behaviour) {
		code := b.grpc.code
		b.grpc.code = func(c *call, f *failure) string {
			if f.kind == taskNotCancelable {
				return "ABORTED"
			}
			return code(c, f)
		}
	},
	"grpc-unsupported-is-invalid": func(b *behaviour) {
		code := b.grpc.code
		b.grpc.code = func(c *call, f *failure) string {
			if f.kind == unsupportedOperation {
				return "INVALID_ARGUMENT"
			}
			return code(c, f)
		}
	},
	"grpc-version-is-unimplemented": func(b *behaviour) {
		code := b.grpc.code
		b.grpc.code = func(c *call, f *failure) string {
			if f.kind == versionNotSupported {
				return "UNIMPLEMENTED"
			}
			return code(c, f)
		}
	},
	"grpc-error-without-details": func(b *behaviour) { b.grpc.details = func(*call, *failure, []any) []any { return nil } },
	"grpc-error-of-another-domain": func(b *behaviour) {
		b.grpc.details = func(_ *call, _ *failure, all []any) []any {
			for _, detail := range all {
				if info, is := detail.(object); is && info["domain"] != nil {
					info["domain"] = "agent.example"
				}
			}
			return all
		}
	},
	"grpc-reason-in-lower-case": func(b *behaviour) {
		b.grpc.details = func(_ *call, _ *failure, all []any) []any {
			for _, detail := range all {
				if info, is := detail.(object); is {
					if reason, is := info["reason"].(string); is {
						info["reason"] = strings.ToLower(reason)
					}
				}
			}
			return all
		}
	},
	"grpc-stream-ends-cancelled": func(b *behaviour) { b.grpc.ends = func(*call) string { return "CANCELLED" } },
	"grpc-stream-begins-with-nothing": func(b *behaviour) {
		b.grpc.item = func(_ *call, item any, n int) any {
			if n == 0 {
				return object{}
			}
			return item
		}
	},
	"grpc-unknown-fields-refused": func(b *behaviour) {
		b.grpc.unknown = func(*call, []int) *failure { return violation("message", "has a field that is not known here") }
	},

	"grpc-answers-at-once-are-empty": func(b *behaviour) {
		b.grpc.result = func(c *call, result any) any {
			if configuration, _ := c.params["configuration"].(object); isOp(c, "SendMessage") && configuration["returnImmediately"] == true {
				return object{}
			}
			return result
		}
	},
	"grpc-messages-with-metadata-are-answered-with-nothing": func(b *behaviour) {
		b.grpc.result = func(c *call, result any) any {
			if isOp(c, "SendMessage") && c.params["metadata"] != nil {
				return object{}
			}
			return result
		}
	},
	"grpc-cancels-of-unknown-tasks-have-no-details": func(b *behaviour) {
		b.grpc.details = func(c *call, _ *failure, all []any) []any {
			if isOp(c, "CancelTask") {
				return nil
			}
			return all
		}
	},
	"grpc-streams-of-unknown-tasks-are-unknown": func(b *behaviour) {
		b.grpc.code = func(c *call, f *failure) string {
			if f.kind == taskNotFound && c.op.needs == "streaming" {
				return "UNKNOWN"
			}
			return conformantGRPC.code(c, f)
		}
	},
	"grpc-webhooks-of-unknown-tasks-are-preconditions": grpcCode("FAILED_PRECONDITION", func(c *call, f *failure) bool {
		return f.kind == taskNotFound && isOp(c, "DeleteTaskPushNotificationConfig")
	}),
	"grpc-media-types-are-out-of-range": grpcCode("OUT_OF_RANGE", func(_ *call, f *failure) bool {
		return f.kind == contentTypeNotSupported
	}),
	"grpc-invalid-agent-responses-are-unknown": grpcCode("UNKNOWN", func(_ *call, f *failure) bool {
		return f.kind == invalidAgentResponse
	}),
	"grpc-errors-of-versions-are-of-another-domain": func(b *behaviour) {
		b.grpc.details = func(_ *call, f *failure, all []any) []any {
			for _, detail := range all {
				if info, is := detail.(object); is && f.kind == versionNotSupported && info["domain"] != nil {
					info["domain"] = "agent.example"
				}
			}
			return all
		}
	},
	"grpc-subscriptions-end-cancelled": func(b *behaviour) {
		b.grpc.ends = func(c *call) string {
			if isOp(c, "SubscribeToTask") {
				return "CANCELLED"
			}
			return "OK"
		}
	},
	"grpc-long-streams-end-cancelled": func(b *behaviour) {
		b.grpc.ends = func(c *call) string {
			if message, _ := c.params["message"].(object); scenarioOf(textOf(message)) != "" {
				return "CANCELLED"
			}
			return "OK"
		}
	},
	"grpc-streams-have-empty-messages": func(b *behaviour) {
		b.grpc.item = func(_ *call, item any, n int) any {
			if n == 1 {
				return object{}
			}
			return item
		}
	},
	"grpc-unknown-fields-of-streams-refused": grpcUnknownFieldsOf("SendStreamingMessage"),
	"grpc-streams-are-refused-without-details": func(b *behaviour) {
		b.grpc.details = func(c *call, _ *failure, all []any) []any {
			if c.op != nil && c.op.needs == "streaming" {
				return nil
			}
			return all
		}
	},
}

// grpcCode gives some errors another code.
func grpcCode(name string, of func(c *call, f *failure) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.grpc.code = func(c *call, f *failure) string {
			if of(c, f) {
				return name
			}
			return conformantGRPC.code(c, f)
		}
	}
}

// grpcUnknownFieldsOf has one operation refuse fields that it does not know.
func grpcUnknownFieldsOf(operation string) func(*behaviour) {
	return func(b *behaviour) {
		b.grpc.unknown = func(c *call, _ []int) *failure {
			if isOp(c, operation) {
				return violation("request", "has a field that is not known here")
			}
			return nil
		}
	}
}
