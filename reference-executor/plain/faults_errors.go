// SPDX-License-Identifier: Apache-2.0

package plain

var errorFaults = map[string]func(*behaviour){
	"error-as-problem-document": func(b *behaviour) {
		b.errors.media = func(*call, *failure) string { return "application/problem+json" }
		b.errors.envelope = func(c *call, f *failure, e object) any {
			return object{"type": "about:blank", "title": e["message"], "status": e["code"]}
		}
	},
	"error-code-is-that-of-grpc": func(b *behaviour) { b.errors.code = func(*call, *failure) any { return 5 } },
	"error-without-details":      func(b *behaviour) { b.errors.details = func(*call, *failure, []any) []any { return nil } },
}
