// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
)

var securityFaults = map[string]func(*behaviour){
	"list-open-to-everybody": func(b *behaviour) {
		b.security.demands = func(c *call) bool {
			return conformantSecurity.demands(c) && (c.op == nil || c.op.name != "ListTasks")
		}
	},
	"any-token-opens": func(b *behaviour) {
		b.security.principal = func(s *Server, token string) (principal, bool) {
			if who, known := s.principal(token); known {
				return who, true
			}
			return principal{name: "first"}, true
		}
	},
	"no-challenge": func(b *behaviour) { b.security.challenge = func(*Server) string { return "" } },
	"tokens-in-capitals-only": func(b *behaviour) {
		b.security.token = func(h http.Header) (string, bool) {
			token, given := bearer(h)
			return token, given && len(h.Get("Authorization")) > 6 && h.Get("Authorization")[:6] == "Bearer"
		}
	},
}
