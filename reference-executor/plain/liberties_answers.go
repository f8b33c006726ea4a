// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"strings"

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

	// A2A 1.0, 4.4.6: the url of an interface is any absolute URL; a gateway may have a whole server below a path.
	"everything-is-below-a-path": func(b *behaviour) {
		b.http.below = func() string { return "/agents/one" }
	},

	// RFC 9110, 8.3.1 and 5.6.6: the case of a media type and of a charset means nothing, and a parameter may be quoted.
	"media-types-are-in-capitals": func(b *behaviour) {
		b.http.header = func(_ *Server, _ *http.Request, a answer) answer {
			switch media := a.header.Get("Content-Type"); media {
			case mediaA2A, mediaJSON, mediaSSE:
				major, minor, _ := strings.Cut(media, "/")
				a.header.Set("Content-Type", strings.ToUpper(major)+"/"+strings.ToUpper(minor)+` ; charset="UTF-8"`)
			}
			return a
		}
	},

	// AMB-06: application/json is as good as application/a2a+json.
	"answers-are-plain-json": func(b *behaviour) {
		b.rest.media = func(*call) string { return mediaJSON }
		b.errors.media = func(*call, *failure) string { return mediaJSON }
	},

	// 11.1, 11.4, AMB-06: requests come in application/a2a+json, and nobody has to take another type.
	"requests-come-in-the-recommended-type": func(b *behaviour) {
		b.rest.takes = func(media string) bool { return media == mediaA2A }
	},

	// RFC 9110, 8.4: what is sent to a client that takes gzip may be compressed.
	"answers-are-compressed": func(b *behaviour) {
		b.http.header = func(_ *Server, r *http.Request, a answer) answer {
			if len(a.body) > 0 && a.header.Get("Content-Encoding") == "" && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				a.body = zipped(a.body)
				a.header.Set("Content-Encoding", "gzip")
				a.header.Add("Vary", "Accept-Encoding")
			}
			return a
		}
	},

	// RFC 9112, 9.6: a server may close a connection after any answer.
	"connections-are-closed": func(b *behaviour) {
		b.http.header = func(_ *Server, _ *http.Request, a answer) answer {
			a.header.Set("Connection", "close")
			return a
		}
	},

	// AMB-51: the response header that names extensions is in no sentence of the specification; RFC 9110, 5.3: a list may stand
	// on several lines.
	"extensions-are-not-named": func(b *behaviour) { b.extensions.echo = func(*call) []string { return nil } },
	"extensions-are-named-line-by-line": func(b *behaviour) {
		b.extensions.names = func(c *call, h http.Header) {
			for _, uri := range c.s.b.extensions.echo(c) {
				h.Add("A2A-Extensions", uri)
			}
		}
	},
}
