// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-jose/go-jose/v4"
)

// cardLiberties are about the card, how it is served and what it declares.
var cardLiberties = map[string]func(*behaviour){
	// RFC 9110, 8.8.3: a tag may be weak, may hold a comma, and is another for another coding.
	"etags-are-weak-and-of-their-coding": func(b *behaviour) {
		b.card.tag = func(c *call, body []byte) string {
			return `W/"` + digest(body)[:16] + "," + strconv.FormatBool(strings.Contains(c.r.Header.Get("Accept-Encoding"), "gzip")) + `!"`
		}
		b.card.known = func(c *call, tag string) bool {
			return strings.Contains(c.r.Header.Get("If-None-Match"), strings.TrimPrefix(tag, "W/"))
		}
	},

	// RFC 9111, 5.2: directives are read in any case; RFC 9110, 5.3: on several lines; 5.2.2.4: no-cache goes with max-age.
	"caching-is-told-in-capitals-and-lines": func(b *behaviour) {
		b.card.answer = func(_ *call, a answer) answer {
			a.header["Cache-Control"] = []string{"Public, No-Cache", "MAX-AGE=0 , stale-while-revalidate=30"}
			a.header.Set("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
			a.header.Set("Expires", "0")
			a.header.Set("Age", "0")
			return a
		}
	},
	"extended-cards-are-not-stored": func(b *behaviour) {
		b.card.caching = func(c *call, extended bool) string {
			if extended {
				return "no-store"
			}
			return conformantCard.caching(c, extended)
		}
	},

	// A2A-CARD-001: the card may be behind three redirects; RFC 9110, 10.2.2: a Location may be relative.
	"the-card-is-behind-three-redirects": func(b *behaviour) {
		hops := map[string]answer{
			wellKnown:             moved(http.StatusMovedPermanently, "cards/"),
			"/.well-known/cards/": moved(http.StatusFound, "../../agents/1/card?full=1"),
			"/agents/1/card":      moved(http.StatusPermanentRedirect, "./card.json"),
			"/agents/1/card.json": {},
		}
		b.http.before = func(s *Server, r *http.Request) (answer, bool) {
			hop, known := hops[r.URL.Path]
			if s.config.CardMoved != 0 && r.URL.Path == "/.well-known/cards/" { // which is the third redirect
				hop = moved(http.StatusFound, "../../agents/1/card.json")
			}
			return hop, known && hop.status != 0
		}
		b.card.found = func(_ *Server, path string) bool { return path == "/agents/1/card.json" }
	},

	// A2A-SIG-015: another card with a signature of its own is accepted.
	"the-card-is-another-each-time": func(b *behaviour) {
		var served atomic.Int64
		b.card.members = func(c *call, extended bool) object {
			card := conformantCard.members(c, extended)
			card["description"] = fmt.Sprint(card["description"], " Asked for ", served.Add(1), " times.")
			return card
		}
	},

	// 8.3.1: the interfaces are a list in which a binding stands as often as it has addresses; 5.8: others have a URI.
	"the-card-declares-more-interfaces": func(b *behaviour) {
		b.card.interfaces = func(s *Server) []any {
			first := object{"url": "mqtts://a2a.example:8883/agents/1", "protocolBinding": "https://a2a.example/bindings/mqtt/v1", "protocolVersion": "1.0"}
			list := append([]any{first}, conformantCard.interfaces(s)...)
			for _, entry := range conformantCard.interfaces(s) {
				second := entry.(object)
				if path, ours := strings.CutPrefix(second["url"].(string), s.public()+"/"); ours {
					second["url"] = s.public() + "/second/" + path
					list = append(list, second)
				}
			}
			return list
		}
		b.rest.below = func(path string) (string, bool) { return conformantREST.below(strings.TrimPrefix(path, "/second")) }
		b.rpc.at = func(path string) bool { return conformantRPC.at(strings.TrimPrefix(path, "/second")) }
	},

	// The proto file has the url of an interface be any URL: it may end in a slash, be that of two bindings, have a query.
	"interfaces-end-in-a-slash": func(b *behaviour) {
		b.card.interfaces = withURLs(func(s *Server, path string) string { return s.public() + path + "/" })
		b.rpc.at = func(path string) bool { return path == rpcPath+"/" }
	},
	"both-bindings-have-one-url": func(b *behaviour) {
		b.card.interfaces = withURLs(func(s *Server, _ string) string { return s.public() + "/" })
		b.rest.below = func(path string) (string, bool) {
			return strings.TrimPrefix(path, "/"), path != "/"
		}
		b.rpc.at = func(path string) bool { return path == "/" }
	},
	"interfaces-have-odd-urls": func(b *behaviour) {
		b.card.interfaces = withURLs(func(s *Server, path string) string {
			if path == rpcPath {
				return s.public() + "/agents/caf%C3%A9%20a2a/rpc?agent=7&key=a%2Fb"
			}
			return s.public() + "/agents/caf%C3%A9%20a2a"
		})
		b.rest.below = func(path string) (string, bool) {
			tail, ours := strings.CutPrefix(path, "/agents/caf%C3%A9%20a2a/")
			return tail, ours && tail != "rpc"
		}
		b.rpc.at = func(path string) bool { return path == "/agents/caf%C3%A9%20a2a/rpc" }
		b.http.before = func(s *Server, r *http.Request) (answer, bool) {
			astray := s.b.rpc.at(r.URL.EscapedPath()) && r.URL.RawQuery != "agent=7&key=a%2Fb"
			return page(http.StatusNotFound, "404 Not Found"), astray
		}
	},

	// 4.5: schemes of every kind, any one of several requirements; RFC 9110, 11.1 and 11.6.1: the case of a scheme means nothing,
	// and there may be several challenges.
	"there-are-more-security-schemes": func(b *behaviour) {
		b.card.schemes = func(s *Server) object {
			v := conformantCard.schemes(s)
			v["bearer"].(object)["httpAuthSecurityScheme"].(object)["scheme"] = "bearer"
			v["session"] = object{"apiKeySecurityScheme": object{"location": "cookie", "name": "SESSION"}}
			v["certificate"] = object{"mtlsSecurityScheme": object{}}
			v["login"] = object{"openIdConnectSecurityScheme": object{"openIdConnectUrl": "https://a2a.example/.well-known/openid-configuration"}}
			v["device"] = oauth(object{"deviceCode": object{
				"deviceAuthorizationUrl": "https://a2a.example/device", "tokenUrl": "https://a2a.example/token", "scopes": object{},
			}})
			v["user"] = oauth(object{"authorizationCode": object{
				"authorizationUrl": "https://a2a.example/authorize", "tokenUrl": "https://a2a.example/token", "pkceRequired": true,
				"scopes": object{"agent": "Everything."},
			}})
			return v
		}
		b.card.requirements = func(s *Server) []any {
			more := object{"schemes": object{"session": object{}, "certificate": object{}}}
			return append([]any{more}, conformantCard.requirements(s)...)
		}
		b.security.challenge = func(*Server) string {
			return `DPoP algs="ES256, EdDSA", BEARER realm="a2a, and more", error="invalid_token"`
		}
	},
	"skills-demand-credentials": func(b *behaviour) {
		b.card.shape = func(c *call, _ bool, card object) {
			if !c.s.declares("security") {
				return
			}
			for _, skill := range card["skills"].([]any) {
				skill.(object)["securityRequirements"] = card["securityRequirements"]
			}
			delete(card, "securityRequirements")
		}
	},

	// 4.4.5: what a skill may have and how many there are is the agent's.
	"there-are-many-skills": func(b *behaviour) {
		b.card.skills = func(s *Server, extended bool) []any {
			list := conformantCard.skills(s, extended)
			for i := range 60 {
				list = append(list, object{
					"id": fmt.Sprint("skill ", i, " / ü"), "name": "同じ名前", "description": "", "tags": []any{"a tag", "a tag"},
					"inputModes": []any{"text/plain; charset=utf-8"}, "outputModes": []any{"text/markdown; variant=GFM"},
				})
			}
			return list
		}
	},

	// AMB-50: vendors have members of their own.
	"the-card-has-members-of-its-vendor": func(b *behaviour) { b.card.shape = vendoredCard },
	"vendor-members-are-not-signed": func(b *behaviour) {
		b.card.shown = vendoredCard
	},

	// ProtoJSON lets a writer show defaults; 8.4.1 has them left out of what is signed.
	"the-card-has-defaults-written-out": func(b *behaviour) {
		b.card.shown = func(_ *call, _ bool, card object) {
			for _, entry := range card["supportedInterfaces"].([]any) {
				unlessSet(entry.(object), "tenant", "")
			}
			for _, skill := range card["skills"].([]any) {
				for _, name := range []string{"examples", "inputModes", "outputModes", "securityRequirements"} {
					unlessSet(skill.(object), name, []any{})
				}
			}
			unlessSet(card["capabilities"].(object), "extensions", []any{})
			unlessSet(card, "securityRequirements", []any{})
			unlessSet(card, "securitySchemes", object{})
			unlessSet(card, "signatures", []any{})
		}
	},

	// A2A-ERR-016: an agent may take parts of every media type.
	"the-agent-takes-everything": func(b *behaviour) {
		b.card.shape = func(_ *call, _ bool, card object) { card["defaultInputModes"] = []any{"*/*"} }
		b.input.media = func(*call, object) *failure { return nil }
	},

	// AMB-30: a declared extended card may not be configured.
	"no-extended-card-is-configured": func(b *behaviour) {
		b.card.lacks = func(c *call, op *operation) *failure {
			if f := conformantCard.lacks(c, op); f != nil || op.needs != "extendedAgentCard" {
				return f
			}
			return fail(extendedNotConfigured, "there is no extended card yet")
		}
	},

	// A2A-SIG-016: the extended card needs no signature.
	"extended-cards-are-not-signed": func(b *behaviour) {
		b.card.signs = func(c *call, extended bool, card object) []any {
			if extended {
				return nil
			}
			return conformantCard.signs(c, extended, card)
		}
	},
}

// signatureLiberties are about signatures of cards.
var signatureLiberties = map[string]func(*behaviour){
	// RFC 7515: a signature may have an unprotected header, and RFC 7517: a key set may have other keys. A signature whose key the
	// client has no way to get is no matter of A2A-SIG-013.
	"there-are-keys-that-nobody-knows": func(b *behaviour) {
		stranger := sync.OnceValue(func() *signer { return signerOf(jose.ES384, "stranger") })
		other := sync.OnceValue(func() *signer { return signerOf(jose.ES256, "other") })
		b.signature.header = func(s *Server) object {
			v := conformantSignature.header(s)
			v["typ"] = "application/jose"
			return v
		}
		b.signature.entry = func(s *Server, header object, protected, signature string) object {
			v := conformantSignature.entry(s, header, protected, signature)
			v["header"] = object{"note": "signed by the agent"}
			return v
		}
		b.signature.entries = func(_ *Server, card object, entries []any) []any {
			protected, signature := stranger().sign(object{"kid": "stranger", "typ": "JOSE"}, canonical(card))
			return append([]any{object{"protected": protected, "signature": signature}}, entries...)
		}
		b.signature.keys = func(s *Server) []any {
			return slices.Concat([]any{other().jwk(), object{"kty": "OKP", "crv": "X25519", "x": "hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo"}}, conformantSignature.keys(s))
		}
	},

	// RFC 7518, 3.1: any algorithm of signatures will do.
	"cards-are-signed-with-rsa":        signedWith(jose.PS256),
	"cards-are-signed-with-a-long-key": signedWith(jose.ES512),
}

// signedWith has cards signed with another algorithm.
func signedWith(alg jose.SignatureAlgorithm) func(*behaviour) {
	return func(b *behaviour) {
		key := sync.OnceValue(func() *signer { return signerOf(alg, "key of "+string(alg)) })
		b.signature.header = func(s *Server) object {
			v := conformantSignature.header(s)
			v["kid"] = key().kid
			return v
		}
		b.signature.sign = func(_ *Server, header object, payload []byte) (string, string) { return key().sign(header, payload) }
		b.signature.keys = func(*Server) []any { return []any{key().jwk()} }
	}
}

// signerOf makes a key of some algorithm.
func signerOf(alg jose.SignatureAlgorithm, kid string) *signer {
	k := &signer{kid: kid, alg: alg}
	var err error
	switch alg {
	case jose.PS256:
		k.key, err = rsa.GenerateKey(rand.Reader, 2048)
	case jose.ES384:
		k.key, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case jose.ES512:
		k.key, err = ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	default:
		k.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	if err != nil {
		panic("bug: " + err.Error())
	}
	return k
}

// moved is a redirect.
func moved(status int, location string) answer {
	return answer{status: status, header: http.Header{"Location": {location}}}
}

// withURLs gives the interfaces over HTTP other urls.
func withURLs(url func(s *Server, path string) string) func(s *Server) []any {
	return func(s *Server) []any {
		list := conformantCard.interfaces(s)
		for _, entry := range list {
			face := entry.(object)
			if path, ours := strings.CutPrefix(face["url"].(string), s.public()); ours && (path == restPath || path == rpcPath) {
				face["url"] = url(s, path)
			}
		}
		return list
	}
}

// vendoredCard adds members that the protocol does not have to a card and to what is in it.
func vendoredCard(_ *call, _ bool, card object) {
	vendored(card)
	vendored(card["capabilities"].(object))
	for _, list := range []string{"skills", "supportedInterfaces"} {
		for _, entry := range card[list].([]any) {
			vendored(entry.(object))
		}
	}
}
