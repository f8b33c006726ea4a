// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// cardBehaviour is the public card, the extended card, and what is declared in them.
type cardBehaviour struct {
	found        func(s *Server, path string) bool   // whether the public card is at a path
	members      func(c *call, extended bool) object // the card without signatures
	interfaces   func(s *Server) []any
	capabilities func(s *Server) object
	skills       func(s *Server, extended bool) []any
	schemes      func(s *Server) object
	requirements func(s *Server) []any
	shape        func(c *call, extended bool, card object) // changes a card before it is signed
	signs        func(c *call, extended bool, card object) []any
	shown        func(c *call, extended bool, card object) // changes a card that was signed
	encode       func(c *call, card object) []byte         // of the public card
	zips         func(c *call, body []byte) []byte         // what is compressed for who takes gzip
	media        func(c *call) string
	caching      func(c *call, extended bool) string     // empty: no header
	tag          func(c *call, body []byte) string       // empty: no header
	known        func(c *call, tag string) bool          // whether the client has the card with this tag
	extended     func(c *call, card object) any          // what GetExtendedAgentCard answers
	declares     func(s *Server, capability string) bool // what operations go by
	lacks        func(c *call, op *operation) *failure   // why an operation is not offered
	answer       func(c *call, a answer) answer          // the last look at the answer with the public card
}

var conformantCard = cardBehaviour{
	found: func(s *Server, path string) bool {
		return path == wellKnown || path == wellKnownLegacy && s.config.Only03
	},
	members:      func(c *call, extended bool) object { return c.s.cardMembers(extended) },
	interfaces:   declaredInterfaces,
	capabilities: declaredCapabilities,
	skills:       declaredSkills,
	schemes: func(*Server) object {
		return object{
			"bearer": object{"httpAuthSecurityScheme": object{"scheme": "Bearer", "description": "A token of this server."}},
			"oauth": oauth(object{"clientCredentials": object{
				"tokenUrl": "https://a2a.example/token", "scopes": object{"agent": "Everything that the agent does."},
			}}),
		}
	},
	requirements: func(*Server) []any { return []any{object{"schemes": object{"bearer": object{"list": []any{"agent"}}}}} },
	shape:        func(*call, bool, object) {},
	signs:        func(c *call, _ bool, card object) []any { return c.s.signatures(card) },
	shown:        func(*call, bool, object) {},
	encode:       func(c *call, card object) []byte { return c.s.lawful.Encode(card) },
	zips:         func(_ *call, body []byte) []byte { return body },
	media:        func(*call) string { return mediaJSON },
	caching: func(_ *call, extended bool) string {
		if extended {
			return "private, max-age=60"
		}
		return "public, max-age=300"
	},
	tag: func(_ *call, body []byte) string { return `"` + digest(body)[:32] + `"` },
	known: func(c *call, tag string) bool {
		for asked := range strings.SplitSeq(c.r.Header.Get("If-None-Match"), ",") {
			if asked = strings.TrimPrefix(strings.TrimSpace(asked), "W/"); asked == tag || asked == "*" {
				return true
			}
		}
		return false
	},
	extended: func(_ *call, card object) any { return card },
	declares: func(s *Server, capability string) bool { return s.declares(capability) },
	lacks:    lacksCapability,
	answer:   func(_ *call, a answer) answer { return a },
}

// lacksCapability refuses operations whose capability the card does not declare.
func lacksCapability(c *call, op *operation) *failure {
	if op.needs == "" || c.s.b.card.declares(c.s, op.needs) {
		return nil
	}
	if op.needs == "pushNotifications" {
		return fail(pushNotSupported, "this agent has no push notifications")
	}
	return fail(unsupportedOperation, "this agent does not have that operation")
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// cardMembers is the card without its signatures.
func (s *Server) cardMembers(extended bool) object {
	b := &s.b.card
	card := object{
		"name":                "Plain reference agent",
		"description":         "Does what the text of a message tells it, and echoes everything else. Schön, 你好.",
		"version":             "1.4.0",
		"supportedInterfaces": b.interfaces(s),
		"capabilities":        b.capabilities(s),
		"defaultInputModes":   anyOf(inputModes),
		"defaultOutputModes":  []any{"text/plain", "application/json", "image/png"},
		"skills":              b.skills(s, extended),
		"documentationUrl":    "https://a2a.example/docs",
	}
	if s.declares("provider") {
		card["provider"] = object{"organization": "A2A Example", "url": "https://a2a.example"}
	}
	if s.declares("security") {
		card["securitySchemes"] = b.schemes(s)
		card["securityRequirements"] = b.requirements(s)
	}
	return card
}

func declaredInterfaces(s *Server) []any {
	entry := func(binding, path, version string) object {
		face := object{"url": s.public() + path, "protocolBinding": binding, "protocolVersion": version}
		if s.config.Tenant != "" {
			face["tenant"] = s.config.Tenant
		}
		return face
	}
	var list []any
	for _, binding := range s.config.Bindings {
		switch binding {
		case BindingREST:
			list = append(list, entry(BindingREST, restPath, version10))
		case BindingRPC:
			list = append(list, entry(BindingRPC, rpcPath, version10))
		case BindingGRPC:
			face := entry(BindingGRPC, "", version10)
			face["url"] = s.grpc.url
			list = append(list, face)
		}
	}
	if s.config.Legacy {
		list = append(list, entry(BindingRPC, rpcPath, version03))
	}
	return list
}

// declaredCapabilities says false for one thing that is not declared, and nothing for another: both mean the same.
func declaredCapabilities(s *Server) object {
	v := object{}
	for i, name := range []string{"streaming", "pushNotifications", "extendedAgentCard"} {
		if declared := s.b.card.declares(s, name); declared || (s.config.Seed>>(i+1))%2 == 0 {
			v[name] = declared
		}
	}
	if s.declares("extensions") {
		v["extensions"] = s.b.extensions.declared(s)
	}
	return v
}

func declaredSkills(_ *Server, extended bool) []any {
	skills := []any{
		object{
			"id": "echo", "name": "Echo", "description": "Repeats a text as an artifact.", "tags": []any{"text", "test"},
			"examples": []any{"ping", "echo hello"}, "outputModes": []any{"text/plain"},
		},
		object{
			"id": "scenario", "name": "Scenario", "description": "Brings a task into the state that the text names.", "tags": []any{"test"},
			"examples": []any{"scenario: completed", "scenario: input-required"},
		},
	}
	if extended {
		skills = append(skills, object{
			"id": "report", "name": "Report", "description": "For callers that are known.", "tags": []any{"internal"},
		})
	}
	return skills
}

func anyOf(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

// card makes a card and signs it.
func (c *call) card(extended bool) object {
	b := &c.s.b.card
	card := b.members(c, extended)
	if extended {
		card["description"] = fmt.Sprint(card["description"], " For known callers.")
	}
	b.shape(c, extended, card)
	if c.s.declares("signatures") {
		if entries := b.signs(c, extended, card); len(entries) > 0 {
			card["signatures"] = entries
		}
	}
	b.shown(c, extended, card)
	return card
}

// publicCard serves the public card.
func (c *call) publicCard() answer {
	s, b := c.s, &c.s.b.card
	if c.r.Method != http.MethodGet && c.r.Method != http.MethodHead {
		a := c.refuse(fail(methodNotAllowed, "the card can only be read"))
		a.header.Set("Allow", "GET, HEAD")
		return a
	}
	var card object
	if s.config.Only03 {
		card = s.b.legacy.card(c)
	} else {
		card = c.card(false)
	}
	body := s.remember("card"+string(canonical(card)), func() any { return b.encode(c, card) }).([]byte)
	a := answer{status: http.StatusOK, header: http.Header{"Content-Type": {b.media(c)}}, body: slices.Clone(body)}
	if caching := b.caching(c, false); caching != "" {
		a.header.Set("Cache-Control", caching)
	}
	if tag := b.tag(c, body); tag != "" {
		a.header.Set("ETag", tag)
		if b.known(c, tag) {
			a.status, a.body = http.StatusNotModified, nil
			a.header.Del("Content-Type")
		}
	}
	if a.header.Add("Vary", "Accept-Encoding"); len(a.body) > 0 && strings.Contains(c.r.Header.Get("Accept-Encoding"), "gzip") {
		a.header.Set("Content-Encoding", "gzip")
		a.body = zipped(b.zips(c, a.body))
	}
	a = b.answer(c, a)
	if c.r.Method == http.MethodHead {
		a.body = nil
	}
	return a
}

// remember makes something once for each key, so that a card keeps its bytes and its signature while it does not change.
func (s *Server) remember(key string, make func() any) any {
	key = digest([]byte(key))
	if known, ok := s.made.Load(key); ok {
		return known
	}
	known, _ := s.made.LoadOrStore(key, make())
	return known
}

// extendedCard is GetExtendedAgentCard.
func extendedCard(c *call) (outcome, *failure) {
	return outcome{result: c.s.b.card.extended(c, c.card(true))}, nil
}

func zipped(text []byte) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(text) // into memory, where nothing fails
	w.Close()
	return packed.Bytes()
}
