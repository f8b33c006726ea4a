// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
)

var extensionFaults = map[string]func(*behaviour){
	"extension-without-uri": func(b *behaviour) {
		b.extensions.declared = func(*Server) []any { return []any{object{"description": "nameless"}} }
	},
	"extensions-in-one-word": func(b *behaviour) {
		b.extensions.asked = func(h http.Header) []string { return []string{h.Get("A2A-Extensions")} }
	},
	"required-extension-is-optional": func(b *behaviour) { b.extensions.refuses = func(*call) *failure { return nil } },
}
