// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"

	"github.com/google/uuid"
)

// answerLiberties are about the form of answers.
var answerLiberties = map[string]func(*behaviour){
	// RFC 9110, 5.1: a recipient ignores header fields that it does not know; 7.6.3: every gateway adds itself to Via.
	"answers-come-through-a-gateway": func(b *behaviour) {
		b.http.header = func(s *Server, r *http.Request, a answer) answer {
			a = conformantHTTP.header(s, r, a)
			a.header.Set("Via", "1.1 gateway.example")
			a.header.Set("Server", "gateway/1.2")
			a.header.Set("X-Request-Id", uuid.NewString())
			a.header.Add("Vary", "Accept-Encoding")
			return a
		}
	},
}
