// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/google/uuid"
)

var cardFaults = map[string]func(*behaviour){
	"card-at-another-path": func(b *behaviour) {
		b.card.found = func(_ *Server, path string) bool { return path == "/agent-card.json" }
	},
	"card-for-known-callers-only": func(b *behaviour) {
		b.card.answer = func(c *call, a answer) answer {
			if _, given := bearer(c.r.Header); given {
				return a
			}
			return c.refuse(fail(unauthenticated, "the card is for known callers"))
		}
	},
	"cards-for-known-callers-are-accepted": func(b *behaviour) {
		b.card.answer = func(c *call, a answer) answer {
			if _, given := bearer(c.r.Header); given && a.status == http.StatusOK {
				a.status = http.StatusAccepted
			}
			return a
		}
	},
	"card-in-a-list": func(b *behaviour) {
		b.card.encode = func(c *call, card object) []byte { return c.s.lawful.Encode([]any{card}) }
	},
	"card-as-html": func(b *behaviour) { b.card.media = func(*call) string { return "text/html" } },
	"card-with-name-twice": func(b *behaviour) {
		b.card.encode = func(c *call, card object) []byte {
			text := string(c.s.lawful.Encode(card))
			return []byte(`{"name":"An earlier name",` + strings.TrimPrefix(text, "{"))
		}
	},
	"card-in-latin-1": func(b *behaviour) {
		b.card.encode = func(_ *call, card object) []byte {
			text, err := json.Marshal(card)
			if err != nil {
				panic("bug: the card is no JSON: " + err.Error())
			}
			return []byte(strings.ReplaceAll(string(text), "Schön", "Sch\xf6n"))
		}
	},

	"card-without-cache-control": caching(""),
	"card-cached-without-an-age": caching("public"),
	"a-tag-for-every-request": func(b *behaviour) {
		b.card.tag = func(*call, []byte) string { return `"` + uuid.NewString() + `"` }
	},
	"tag-without-quotes": func(b *behaviour) {
		b.card.tag = func(_ *call, body []byte) string { return digest(body)[:32] }
	},
	"card-without-tag":           func(b *behaviour) { b.card.tag = func(*call, []byte) string { return "" } },
	"card-not-asked-for-its-tag": func(b *behaviour) { b.card.known = func(*call, string) bool { return false } },
	"only-a-single-tag-is-read": func(b *behaviour) {
		b.card.known = func(c *call, tag string) bool { return c.r.Header.Get("If-None-Match") == tag }
	},
	"every-tag-is-that-of-the-card": func(b *behaviour) {
		b.card.known = func(c *call, _ string) bool { return c.r.Header.Get("If-None-Match") != "" }
	},
	"every-tag-is-that-of-a-zipped-card": func(b *behaviour) {
		b.card.known = func(c *call, tag string) bool {
			asked := c.r.Header.Get("If-None-Match") != ""
			return asked && strings.Contains(c.r.Header.Get("Accept-Encoding"), "gzip") || conformantCard.known(c, tag)
		}
	},
	"every-weak-tag-is-that-of-the-card": func(b *behaviour) {
		b.card.known = func(c *call, tag string) bool {
			return strings.HasPrefix(c.r.Header.Get("If-None-Match"), "W/") || conformantCard.known(c, tag)
		}
	},
	"card-modified-yesterday": func(b *behaviour) {
		b.card.answer = func(_ *call, a answer) answer {
			a.header.Set("Last-Modified", "yesterday")
			return a
		}
	},

	"the-other-binding-is-served-too": func(b *behaviour) {
		b.http.before = func(s *Server, r *http.Request) (answer, bool) {
			if r.Method == http.MethodPost && r.URL.Path == restPath {
				return (&call{s: s, r: r, binding: BindingRPC}).serveRPC(), true
			}
			if tail, below := strings.CutPrefix(r.URL.EscapedPath(), rpcPath+"/"); below {
				return (&call{s: s, r: r, binding: BindingREST}).serveREST(tail), true
			}
			return answer{}, false
		}
	},
	"rest-url-at-a-closed-port": publicly(func(_ *Server, card object) {
		for _, face := range faces(card) {
			if face["protocolBinding"] == BindingREST {
				face["url"] = "http://127.0.0.1:1/a2a"
			}
		}
	}),
	"second-interface-at-a-closed-port": publicly(func(_ *Server, card object) {
		card["supportedInterfaces"] = append(card["supportedInterfaces"].([]any),
			object{"url": "http://127.0.0.1:1/a2a", "protocolBinding": BindingREST, "protocolVersion": "1.0"})
	}),
	"unknown-tasks-are-a-web-page": func(b *behaviour) {
		b.http.header = func(_ *Server, r *http.Request, a answer) answer {
			if a.status == http.StatusNotFound && r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, restPath+"/tasks/") {
				return answer{status: a.status, header: http.Header{"Content-Type": {"text/html"}}, body: []byte("<h1>Not Found</h1>")}
			}
			return a
		}
	},
	"rpc-url-without-envelopes": func(b *behaviour) {
		b.rpc.response = func(_ *call, v object) any {
			if e, failed := v["error"]; failed {
				return object{"error": e}
			}
			return v["result"]
		}
	},
	"declared-tenant-is-not-found": func(b *behaviour) {
		b.input.tenant = func(c *call) *failure {
			if c.params["tenant"] != nil && c.op.sends {
				return fail(taskNotFound, "there is nothing for this tenant")
			}
			return nil
		}
	},

	"extended-card-not-configured": func(b *behaviour) {
		b.card.lacks = func(c *call, op *operation) *failure {
			f := lacksCapability(c, op)
			if f != nil && op.needs == "extendedAgentCard" {
				return fail(extendedNotConfigured, f.message)
			}
			return f
		}
	},
	"extended-card-undeclared": func(b *behaviour) {
		b.card.lacks = func(c *call, op *operation) *failure {
			if op.needs == "extendedAgentCard" {
				return nil
			}
			return lacksCapability(c, op)
		}
	},
	"extended-card-for-everybody": func(b *behaviour) {
		b.security.demands = func(c *call) bool {
			extended := strings.HasSuffix(c.r.URL.Path, "/extendedAgentCard")
			return conformantSecurity.demands(c) && !extended
		}
	},
	"extended-card-of-skills-only": func(b *behaviour) {
		b.card.extended = func(_ *call, card object) any { return object{"skills": card["skills"]} }
	},
	"extended-card-with-a-relative-url":        extendedWith(func(card object) { faces(card)[0]["url"] = "/a2a" }),
	"extended-card-with-a-binding-called-rest": extendedWith(func(card object) { faces(card)[0]["protocolBinding"] = "REST" }),
	"later-extended-cards-lack-a-protocol-version": func(b *behaviour) {
		var shown atomic.Int64
		extendedWith(func(card object) {
			if shown.Add(1) > 2 {
				delete(faces(card)[0], "protocolVersion")
			}
		})(b)
	},
	"extended-card-without-a-description": extendedWith(func(card object) { delete(card, "description") }),
	"extended-card-breaks-down":           extendedFails(internal),
	"extended-card-never-configured":      extendedFails(extendedNotConfigured),
	"extended-card-without-schemes":       publicly(func(_ *Server, card object) { delete(card, "securitySchemes") }),
	"extended-card-is-public": func(b *behaviour) {
		b.card.caching = func(*call, bool) string { return "public, max-age=300" }
	},
	"extended-card-without-cache-control": func(b *behaviour) {
		b.card.caching = func(c *call, extended bool) string {
			if extended {
				return ""
			}
			return conformantCard.caching(c, extended)
		}
	},
	"later-extended-cards-are-nothing": func(b *behaviour) {
		var asked atomic.Int64
		nothingFor("GetExtendedAgentCard", func(*call) bool { return asked.Add(1) > 2 })(b)
	},
	"cards-for-any-media-type-are-plain-text": func(b *behaviour) {
		b.card.media = func(c *call) string { return plainForAnything(c, conformantCard.media(c)) }
	},
	"cards-for-no-media-type-are-plain-text": func(b *behaviour) {
		b.card.media = func(c *call) string {
			if c.r.Header.Get("Accept") == "" {
				return "text/plain; charset=utf-8"
			}
			return mediaJSON
		}
	},
	"extended-card-streams-in-a-text": extendedWith(func(card object) { card["capabilities"].(object)["streaming"] = "true" }),
	"extended-card-with-a-nameless-skill": extendedWith(func(card object) {
		for _, skill := range card["skills"].([]any) {
			delete(skill.(object), "name")
		}
	}),
	"cards-in-another-language-are-not-always-found": func(b *behaviour) {
		var asked atomic.Int32
		b.card.answer = func(c *call, a answer) answer {
			if inAnotherLanguage(c) && asked.Add(1)%3 == 0 {
				return c.refuse(fail(unknownMethod, "there is nothing at this path"))
			}
			return a
		}
	},
	"extended-card-lists-skills-twice": func(b *behaviour) {
		b.card.skills = func(s *Server, extended bool) []any {
			skills := declaredSkills(s, extended)
			if extended {
				skills = slices.Concat(skills, declaredSkills(s, false))
			}
			return skills
		}
	},
	"every-fourth-tag-is-another": func(b *behaviour) {
		var fetched atomic.Int32
		b.card.tag = func(c *call, body []byte) string {
			if fetched.Add(1)%4 == 0 {
				body = append(slices.Clone(body), ' ')
			}
			return conformantCard.tag(c, body)
		}
	},
	"tags-of-zipped-cards-are-not-known-again": func(b *behaviour) {
		b.card.answer = func(_ *call, a answer) answer {
			if a.header.Get("Content-Encoding") == "gzip" {
				a.header.Set("ETag", strings.TrimSuffix(a.header.Get("ETag"), `"`)+`-gzip"`)
			}
			return a
		}
	},
}

// caching is the Cache-Control of the public card.
func caching(value string) func(*behaviour) {
	return func(b *behaviour) {
		b.card.caching = func(c *call, extended bool) string {
			if extended {
				return conformantCard.caching(c, extended)
			}
			return value
		}
	}
}

// extendedWith changes the extended card before it is signed.
func extendedWith(change func(card object)) func(*behaviour) {
	return func(b *behaviour) {
		b.card.shape = func(_ *call, extended bool, card object) {
			if extended {
				change(card)
			}
		}
	}
}

// extendedFails refuses the extended card to callers who may have it.
func extendedFails(kind *errorKind) func(*behaviour) {
	return func(b *behaviour) {
		b.card.lacks = func(c *call, op *operation) *failure {
			if f := lacksCapability(c, op); f != nil || op.needs != "extendedAgentCard" {
				return f
			}
			return fail(kind, "there is no such card")
		}
	}
}

// plainForAnything is text/plain for clients that take anything, and else what is right.
func plainForAnything(c *call, right string) string {
	if c.r.Header.Get("Accept") == "*/*" {
		return "text/plain; charset=utf-8"
	}
	return right
}

func inAnotherLanguage(c *call) bool { return c.r.Header.Get("Accept-Language") != "" }
