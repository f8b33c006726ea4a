// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// proxyBehaviour is the card of an AgentProxy, and what it serves. c.proxy is the one that was asked.
type proxyBehaviour struct {
	card    func(c *call) answer
	name    func(c *call) string
	cleans  func(c *call, upstream object) object            // what is kept of the card of the upstream
	able    func(c *call, capabilities object) object        // likewise of its capabilities
	path    func(c *call, path string) (own string, is bool) // a path in the params of an extension, as the proxy serves it
	fills   func(c *call, card object)                       // what the card must have and has not
	skills  func(c *call, skills any) any
	kind    func(c *call) any
	target  func(c *call) any // upstream
	trust   func(c *call) any
	trouble func(c *call) any // upstream_card_fetch_error; nil: it is absent
	block   func(c *call, card, block object)
	shown   func(c *call, card object) object
	routed  func(c *call) bool // whether the upstream is asked
	unknown func(c *call) answer
}

var conformantProxy = proxyBehaviour{
	card:    func(c *call) answer { return c.json(http.StatusOK, mediaJSON, c.proxyCard()) },
	name:    func(c *call) string { return c.proxy.name },
	cleans:  cleaned,
	able:    able,
	path:    ownPath,
	fills:   filledCard,
	skills:  func(_ *call, skills any) any { return skills },
	kind:    func(*call) any { return "AgentProxy" },
	target:  func(c *call) any { return c.proxy.upstream },
	trust:   func(c *call) any { return c.proxy.trust },
	trouble: func(c *call) any { return orNull(c.proxy.trouble) },
	block:   func(_ *call, card, block object) { card[blockKey] = block },
	shown:   func(_ *call, card object) object { return card },
	routed:  routed,
	unknown: func(c *call) answer { return c.s.b.routes.unknown(c) },
}

// proxyCard makes the card of a proxy of the card of its upstream.
func (c *call) proxyCard() object {
	b := &c.s.b.proxy
	card := object{}
	if c.proxy.card != nil {
		card = b.cleans(c, c.proxy.card)
	}
	b.fills(c, card)
	name := b.name(c)
	card["name"] = name
	at := c.scheme() + "://" + c.r.Host + "/agents/" + url.PathEscape(c.proxy.name)
	card["supportedInterfaces"] = []any{face(at, name)}
	if skills, has := card["skills"]; has {
		card["skills"] = b.skills(c, skills)
	}
	block := object{"kind": b.kind(c), "upstream": b.target(c), "trust": b.trust(c)}
	if trouble := b.trouble(c); trouble != nil {
		block["upstream_card_fetch_error"] = trouble
	}
	b.block(c, card, block)
	return b.shown(c, card)
}

// scheme is how the request has come.
func (c *call) scheme() string {
	if c.r.TLS != nil {
		return "https"
	}
	return "http"
}

// keptOf is what a proxy keeps of the card of its upstream. Signatures are not valid of another card.
var keptOf = []string{
	"description", "version", "provider", "documentationUrl", "iconUrl", "defaultInputModes", "defaultOutputModes", "skills",
	"securitySchemes", "securityRequirements",
}

// cleaned keeps what the protocol has, and of that what is not empty.
func cleaned(c *call, upstream object) object {
	card := object{}
	for _, name := range keptOf {
		switch v := upstream[name].(type) {
		case string:
			if v != "" {
				card[name] = v
			}
		case []any:
			if len(v) > 0 {
				card[name] = slices.Clone(v)
			}
		case object:
			if len(v) > 0 {
				card[name] = v
			}
		}
	}
	capabilities, _ := upstream["capabilities"].(object)
	card["capabilities"] = c.s.b.proxy.able(c, capabilities)
	return card
}

// able keeps the capabilities that the protocol has, and the extensions whose paths the proxy serves.
func able(c *call, capabilities object) object {
	v := object{}
	for _, name := range []string{"streaming", "pushNotifications", "extendedAgentCard"} {
		v[name] = capabilities[name] == true
	}
	extensions := []any{}
	declared, _ := capabilities["extensions"].([]any)
	for _, one := range declared {
		extension, _ := one.(object)
		if kept := c.ownExtension(extension); kept != nil {
			extensions = append(extensions, kept)
		}
	}
	v["extensions"] = extensions
	return v
}

// ownExtension is an extension with the paths of the proxy; nil: it has paths that the proxy does not serve.
func (c *call) ownExtension(extension object) object {
	if extension["uri"] == nil {
		return nil
	}
	own := object{}
	for name, v := range extension {
		own[name] = v
	}
	params, _ := extension["params"].(object)
	if len(params) == 0 {
		return own
	}
	mine := object{}
	for name, v := range params {
		mine[name] = v
		path, is := v.(string)
		if !is || !strings.HasPrefix(path, "/") {
			continue
		}
		if mine[name], is = c.s.b.proxy.path(c, path); !is {
			return nil
		}
	}
	own["params"] = mine
	return own
}

// ownPath is the path of a reading route as the proxy serves it.
func ownPath(c *call, path string) (own string, is bool) {
	for _, route := range routes {
		if bound, matches := match(route.path, path); matches && route.method == http.MethodGet && bound["name"] != "" && bound["id"] == "" {
			_, tail, _ := strings.Cut(route.path, "{name}")
			return "/agents/" + url.PathEscape(c.proxy.name) + tail, true
		}
	}
	return "", false
}

// filledCard adds what a card must have and this one has not.
func filledCard(c *call, card object) {
	for name, v := range map[string]any{
		"description": "A proxy in front of an agent.", "version": fleetName + "/v1", "provider": provider(),
		"capabilities":      object{"streaming": false, "pushNotifications": false, "extendedAgentCard": false, "extensions": []any{}},
		"defaultInputModes": list(modes), "defaultOutputModes": list(modes), "skills": []any{},
	} {
		if _, has := card[name]; !has {
			card[name] = v
		}
	}
}

// routed says whether a request is for a route of the agent behind the proxy.
func routed(c *call) bool {
	for _, route := range routes {
		bound, matches := match(route.path, c.r.URL.EscapedPath())
		if matches && bound["name"] == c.proxy.name && c.r.Method == route.method {
			return true
		}
	}
	return false
}
