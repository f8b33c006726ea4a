// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"net/http"
	"net/url"
	"strings"
)

var proxyFaults = map[string]func(*behaviour){
	"proxy-kind-in-small-letters": func(b *behaviour) { b.proxy.kind = func(*call) any { return "agent-proxy" } },
	"upstream-is-a-host": func(b *behaviour) {
		b.proxy.target = func(c *call) any {
			u, err := url.Parse(c.proxy.upstream)
			if err != nil {
				return ""
			}
			return u.Hostname()
		}
	},
	"upstream-with-userinfo": func(b *behaviour) {
		b.proxy.target = func(c *call) any { return strings.Replace(c.proxy.upstream, "://", "://agent:secret@", 1) }
	},
	"upstream-of-somebody-else": func(b *behaviour) {
		b.proxy.target = func(*call) any { return "http://127.0.0.1:1/agents/somebody" }
	},
	"trust-is-true": func(b *behaviour) { b.proxy.trust = func(*call) any { return true } },
	"empty-fetch-error": func(b *behaviour) {
		b.proxy.trouble = func(c *call) any { return c.proxy.trouble }
	},
	"no-fetch-error": func(b *behaviour) { b.proxy.trouble = func(*call) any { return nil } },
	"dead-upstream-is-502": func(b *behaviour) {
		b.proxy.card = func(c *call) answer {
			if c.proxy.card == nil {
				return c.text(http.StatusBadGateway, c.proxy.trouble)
			}
			return conformantProxy.card(c)
		}
	},
	"proxy-keeps-the-upstream-name": func(b *behaviour) {
		b.proxy.name = func(c *call) string {
			if name, is := c.proxy.card["name"].(string); is {
				return name
			}
			return c.proxy.name
		}
	},
	"proxy-card-has-url": onProxyCards(func(c *call, card object) { card["url"] = c.proxy.listener.Root }),
	"leftovers-in-capabilities": func(b *behaviour) {
		b.proxy.able = func(c *call, capabilities object) object {
			v := able(c, capabilities)
			if old, has := capabilities["stateTransitionHistory"]; has {
				v["stateTransitionHistory"] = old
			}
			return v
		}
	},
	"leftovers-at-the-top": keeping("url", "preferredTransport", "protocolVersion", "additionalInterfaces",
		"supportsAuthenticatedExtendedCard", "authentication", "security", "securitySchemes", "kind"),
	"foreign-keys-are-passed-on": keeping("x-orochi", "x-other"),
	"upstream-block-is-merged": func(b *behaviour) {
		b.proxy.block = func(c *call, card, block object) {
			upstream, _ := c.proxy.card[blockKey].(object)
			for name, v := range upstream {
				block[name] = v
			}
			card[blockKey] = block
		}
	},
	"proxy-without-skills": func(b *behaviour) {
		b.proxy.skills = func(*call, any) any { return []any{} }
	},
	"proxy-does-not-route": func(b *behaviour) {
		b.proxy.routed = func(c *call) bool {
			return !strings.HasSuffix(c.r.URL.Path, "/message:send") && !strings.HasSuffix(c.r.URL.Path, "/message:stream") && routed(c)
		}
	},
	"proxy-serves-the-old-name": func(b *behaviour) {
		b.proxy.unknown = func(c *call) answer {
			if c.r.URL.Path == oldCardPath && c.r.Method == http.MethodGet {
				return conformantProxy.card(c)
			}
			return conformantProxy.unknown(c)
		}
	},
	"proxy-declares-paths-of-the-upstream": func(b *behaviour) {
		b.proxy.path = func(_ *call, path string) (string, bool) { return path, true }
	},
	"bare-card-without-upstream": func(b *behaviour) { b.proxy.fills = func(*call, object) {} },
}

// onProxyCards changes what is at the top of a proxy's card.
func onProxyCards(change func(c *call, card object)) func(*behaviour) {
	return func(b *behaviour) {
		b.proxy.shown = func(c *call, card object) object {
			change(c, card)
			return card
		}
	}
}

// keeping passes members of the card of the upstream on.
func keeping(names ...string) func(*behaviour) {
	return func(b *behaviour) {
		b.proxy.cleans = func(c *call, upstream object) object {
			card := cleaned(c, upstream)
			for _, name := range names {
				if v, has := upstream[name]; has {
					card[name] = v
				}
			}
			return card
		}
	}
}
