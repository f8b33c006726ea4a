// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"net/http"
	"slices"
)

var errorFaults = map[string]func(*behaviour){
	"error-as-problem-document": func(b *behaviour) {
		b.errors.media = func(*call, *failure) string { return "application/problem+json" }
		b.errors.envelope = func(c *call, f *failure, e object) any {
			return object{"type": "about:blank", "title": e["message"], "status": e["code"]}
		}
	},
	"error-code-is-that-of-grpc": func(b *behaviour) { b.errors.code = func(*call, *failure) any { return 5 } },
	"error-without-details":      func(b *behaviour) { b.errors.details = func(*call, *failure, []any) []any { return nil } },
	"stream-refusals-are-events": func(b *behaviour) {
		b.stream.refused = func(c *call, f *failure) answer {
			line := bytes.Join(bytes.Fields(c.refuse(f).body), []byte(" "))
			a := answer{status: http.StatusOK, header: http.Header{}, body: slices.Concat([]byte("data: "), line, []byte("\n\n"))}
			c.s.b.stream.header(c, a.header)
			return a
		}
	},
}
