// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// speaks lets somebody speak for a sandbox who may not.
func speaks(who func(c *call, box *sandbox) *sandbox) func(*behaviour) {
	return func(b *behaviour) {
		before := b.webhooks.speaks
		b.webhooks.speaks = func(c *call) (*sandbox, *failure) {
			box, f := before(c)
			if f == nil {
				return box, nil
			}
			if box := who(c, c.s.sandboxNow(c.bound["sandbox_id"])); box != nil {
				return box, nil
			}
			return nil, f
		}
	}
}

// updates changes what an update does to a conversation that was there.
func updates(change func(v *conversation)) func(*behaviour) {
	return func(b *behaviour) {
		before := b.webhooks.update
		b.webhooks.update = func(s *Server, v *conversation, told object, existed bool) {
			if before(s, v, told, existed); existed {
				change(v)
			}
		}
	}
}

var webhookFaults = map[string]func(*behaviour){
	"users-speak-for-sandboxes": speaks(func(c *call, box *sandbox) *sandbox {
		switch {
		case c.user == nil || c.r.Header.Get(sessionHeader) != "":
			return nil
		case box == nil:
			return &sandbox{id: c.bound["sandbox_id"], owner: c.user}
		}
		return box
	}),
	"a-missing-key-is-let-through": speaks(func(c *call, box *sandbox) *sandbox {
		if box == nil || box.state != running || c.r.Header.Get(sessionHeader) != "" {
			return nil
		}
		return box
	}),
	"any-key-speaks": speaks(func(c *call, box *sandbox) *sandbox {
		if c.r.Header.Get(sessionHeader) == "" {
			return nil
		}
		return box
	}),
	"any-sandbox-speaks-for-all": speaks(func(c *call, box *sandbox) *sandbox {
		if c.speaker() == nil {
			return nil
		}
		return box
	}),
	"no-key-matches-no-key": speaks(func(c *call, box *sandbox) *sandbox {
		if box == nil || box.state == running || c.r.Header.Get(sessionHeader) != "" {
			return nil
		}
		return box
	}),
	"empty-lists-are-refused": func(b *behaviour) {
		before := b.webhooks.events
		b.webhooks.events = func(c *call) ([]*event, *failure) {
			all, f := before(c)
			if f == nil && len(all) == 0 {
				f = invalid([]problem{{[]any{"body"}, "List should have at least 1 item after validation", "too_short"}})
			}
			return all, f
		}
	},
	"malformed-callbacks-are-taken": func(b *behaviour) {
		update, events, into := b.webhooks.conversation, b.webhooks.events, b.webhooks.into
		b.webhooks.conversation = func(c *call) (object, *failure) {
			told, f := update(c)
			if f != nil {
				return object{"id": newID(), "llm_model": model}, nil
			}
			return told, nil
		}
		b.webhooks.events = func(c *call) ([]*event, *failure) {
			all, f := events(c)
			if f != nil {
				return nil, nil
			}
			return all, nil
		}
		b.webhooks.into = func(c *call) (string, *failure) {
			id, f := into(c)
			if f != nil {
				return newID(), nil
			}
			return id, nil
		}
	},
	"body-before-key": func(b *behaviour) {
		b.webhooks.first = func(c *call) *failure {
			if strings.HasSuffix(c.route.path, "/conversations") {
				_, f := c.s.b.webhooks.conversation(c)
				return f
			}
			_, f := c.s.b.webhooks.events(c)
			return f
		}
	},
	"events-into-anybodys-conversations": func(b *behaviour) {
		b.webhooks.may = func(*sandbox, *conversation) bool { return true }
	},
	"anybodys-conversations-are-updated": func(b *behaviour) {
		b.webhooks.mayUpdate = func(*sandbox, *conversation) bool { return true }
	},
	"updates-overwrite-the-title": updates(func(v *conversation) { v.title = "Conversation " + v.id }),
	"updates-drop-the-branch":     updates(func(v *conversation) { v.repo, v.branch = nil, nil }),
	"updates-move-the-creation":   updates(func(v *conversation) { v.created = time.Now() }),
}

// theSecret answers with the secret of a user's first provider.
func (c *call) theSecret(u *user) answer {
	return c.s.b.secrets.form(c, u.providers["github"])
}

// tokenFrom takes the access token from somewhere else too.
func tokenFrom(where func(c *call) string) func(*behaviour) {
	return func(b *behaviour) {
		before := b.secrets.token
		b.secrets.token = func(c *call) string {
			if text := before(c); text != "" {
				return text
			}
			return where(c)
		}
	}
}

// forgedIs changes what is answered to a token that is none of this server; head is what it says of itself.
func forgedIs(holds func(c *call, head tokenHead) bool, change func(c *call) answer) func(*behaviour) {
	return func(b *behaviour) {
		before := b.secrets.forged
		b.secrets.forged = func(c *call, token string) answer {
			var head tokenHead
			first, _, _ := strings.Cut(token, ".")
			text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(first, "="))
			if err == nil && json.Unmarshal(text, &head) == nil && holds(c, head) {
				return change(c)
			}
			return before(c, token)
		}
	}
}

// A tokenHead is the header of a token that nobody has checked.
type tokenHead struct {
	Algorithm string `json:"alg"`
	Key       string `json:"kid"`
}

var secretFaults = map[string]func(*behaviour){
	"users-need-no-access-token": func(b *behaviour) {
		before := b.secrets.none
		b.secrets.none = func(c *call) answer {
			if c.user == nil {
				return before(c)
			}
			return c.theSecret(c.user)
		}
	},
	"no-access-token-crashes": func(b *behaviour) {
		b.secrets.none = func(*call) answer {
			crash("no token")
			return answer{}
		}
	},
	"unknown-key-id-crashes": forgedIs(func(c *call, head tokenHead) bool { return head.Algorithm != "none" && head.Key != c.s.secrets.id }, func(*call) answer {
		crash("a key that there is not")
		return answer{}
	}),
	"unsigned-tokens-are-good": forgedIs(func(_ *call, head tokenHead) bool { return strings.EqualFold(head.Algorithm, "none") }, func(c *call) answer {
		return c.theSecret(c.s.users[0])
	}),
	"signatures-of-its-own-key-are-not-checked": func(b *behaviour) {
		before := b.secrets.forged
		b.secrets.forged = func(c *call, token string) answer {
			var said claims
			signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.HS256})
			if err != nil || signed.Signatures[0].Header.KeyID != c.s.secrets.id {
				return before(c, token)
			}
			if json.Unmarshal(signed.UnsafePayloadWithoutVerification(), &said) != nil || !b.secrets.lives(said, time.Now()) {
				return before(c, token)
			}
			return c.theSecret(c.s.users[0])
		}
	},
	"signatures-are-not-checked": forgedIs(func(c *call, head tokenHead) bool { return head.Algorithm == "HS256" }, func(c *call) answer {
		return c.theSecret(c.s.users[0])
	}),
	"secret-of-no-provider": func(b *behaviour) {
		b.secrets.provider = func(_ *call, said claims) string { return "ProviderType." + said.Provider }
	},
	"expired-tokens-are-good": func(b *behaviour) { b.secrets.lives = func(claims, time.Time) bool { return true } },
	"provider-from-the-query": func(b *behaviour) {
		before := b.secrets.provider
		b.secrets.provider = func(c *call, said claims) string {
			if asked, given := c.query().text("provider_type"); given {
				return asked
			}
			return before(c, said)
		}
	},
	"access-token-as-bearer": tokenFrom(func(c *call) string { return c.bearer() }),
	"access-token-as-query": tokenFrom(func(c *call) string {
		text, _ := c.query().text("access_token")
		return text
	}),
	"access-token-as-cookie": tokenFrom(func(c *call) string {
		for _, cookie := range c.r.Cookies() {
			if _, is := c.s.readToken(cookie.Value); is {
				return cookie.Value
			}
		}
		return ""
	}),
	"session-key-gets-secrets": func(b *behaviour) {
		before := b.secrets.none
		b.secrets.none = func(c *call) answer {
			if box := c.speaker(); box != nil {
				return c.theSecret(box.owner)
			}
			return before(c)
		}
	},
}

var organizationFaults = map[string]func(*behaviour){
	"organization-is-ignored": func(b *behaviour) {
		own := func(c *call, _ string, owner *user) bool { return c.user == owner }
		b.privacy.listed, b.privacy.counted, b.privacy.fetched = own, own, own
	},
	"organization-of-the-owner-opens": func(b *behaviour) {
		listed, fetched := b.privacy.listed, b.privacy.fetched
		b.privacy.listed = func(c *call, kind string, owner *user) bool { return len(owner.orgs) > 0 || listed(c, kind, owner) }
		b.privacy.fetched = func(c *call, kind string, owner *user) bool { return len(owner.orgs) > 0 || fetched(c, kind, owner) }
	},
	"members-overwrite": func(b *behaviour) {
		before := b.webhooks.mayUpdate
		b.webhooks.mayUpdate = func(box *sandbox, v *conversation) bool { return before(box, v) || sees(box.owner, v.owner) }
	},
	"organization-claim-is-ignored": func(b *behaviour) { b.secrets.belongs = func(*user, string) bool { return true } },
}
