// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// signatureFaults are about what is signed and which keys are published; those of the card's content stand in
// faults_card.go.
var signatureFaults = map[string]func(*behaviour){
	"cards-are-rewritten-behind-a-proxy": func(b *behaviour) {
		real := b.card.encode
		b.card.encode = func(c *call, card map[string]any) []byte {
			if c.r.Header.Get("X-Forwarded-Proto") != "https" {
				return real(c, card)
			}
			for _, entry := range card["supportedInterfaces"].([]any) {
				v := entry.(map[string]any)
				v["url"] = strings.Replace(v["url"].(string), "http://", "https://", 1)
			}
			return real(c, card)
		}
	},
	"card-signed-under-the-name-ed25519": func(b *behaviour) {
		b.card.sign = func(in *instance, card map[string]any, payload []byte) {
			header, _ := json.Marshal(map[string]any{"alg": "Ed25519", "kid": in.ID})
			protected := base64.RawURLEncoding.EncodeToString(header)
			signature := ed25519.Sign(in.key(), []byte(protected+"."+base64.RawURLEncoding.EncodeToString(payload)))
			card["signatures"] = []any{map[string]any{
				"protected": protected, "signature": base64.RawURLEncoding.EncodeToString(signature),
			}}
		}
	},
	"second-card-changed-after-signing": func(b *behaviour) {
		b.card.signed = func(in *instance, card map[string]any) {
			if in.second() {
				card["description"] = "Something else."
			}
		}
	},
	"kid-repeated-differently": func(b *behaviour) {
		b.card.signed = func(_ *instance, card map[string]any) {
			card["signatures"].([]any)[0].(map[string]any)["header"] = map[string]any{"kid": "k2"}
		}
	},
	"no-key-set-of-the-instance": func(b *behaviour) {
		b.surfaces.before = func(c *call) (answer, bool) {
			if c.iid == "" || !strings.HasSuffix(c.r.URL.Path, "/.well-known/jwks.json") {
				return answer{}, false
			}
			return c.refuse(noSuchInstance()), true
		}
	},
	"cards-of-any-type-are-unsigned": cardAnswer(func(c *call, a answer) answer {
		if c.r.Header.Get("Accept") != "*/*" || a.status != http.StatusOK {
			return a
		}
		return c.json(http.StatusOK, c.in.unsignedCard())
	}),
	"second-card-unsigned": cardAnswer(func(c *call, a answer) answer {
		if !c.in.second() || a.status != http.StatusOK {
			return a
		}
		return c.json(http.StatusOK, c.in.unsignedCard())
	}),
	"second-key-set-is-empty":        emptyKeySets(func(c *call) bool { return c.in.second() }),
	"key-sets-of-any-type-are-empty": emptyKeySets(func(c *call) bool { return c.r.Header.Get("Accept") == "*/*" }),
	"private-key-in-the-key-set-of-all": func(b *behaviour) {
		b.surfaces.before = func(c *call) (answer, bool) {
			if c.r.URL.Path != "/.well-known/jwks.json" {
				return answer{}, false
			}
			in := c.e.instances.all()[0]
			k := in.jwk()
			k["d"] = base64.RawURLEncoding.EncodeToString(in.seed)
			return keySet(c, []any{k}), true
		}
	},
	"private-key-in-the-card": askedPlainly(func(in *instance, card map[string]any) {
		card["description"] = "-----BEGIN PRIVATE KEY-----\n" + base64.StdEncoding.EncodeToString(in.seed) + "\n-----END PRIVATE KEY-----"
	}),
	"card-tells-the-time": askedPlainly(func(_ *instance, card map[string]any) {
		card["description"] = "It is " + time.Now().Format(time.RFC3339Nano) + "."
	}),
	"card-in-the-404-of-unknown-instances": func(b *behaviour) {
		b.surfaces.before = func(c *call) (answer, bool) {
			if _, known := c.e.instances.find(c.iid); known || c.iid == "" || !strings.HasSuffix(c.r.URL.Path, "/.well-known/agent-card.json") {
				return answer{}, false
			}
			c.in = c.e.instances.all()[0]
			a := agentCard(c)
			a.status = http.StatusNotFound
			return a, true
		}
	},
	"every-third-card-unsigned": func(b *behaviour) {
		var shown atomic.Int64
		real := b.card.answer
		b.card.answer = func(c *call, a answer) answer {
			a = real(c, a)
			if a.status != http.StatusOK || shown.Add(1)%3 != 0 {
				return a
			}
			return c.json(http.StatusOK, c.in.unsignedCard())
		}
	},
}

// emptyKeySets serves some key sets of an instance without their keys.
func emptyKeySets(which func(c *call) bool) func(*behaviour) {
	return func(b *behaviour) {
		b.surfaces.before = func(c *call) (answer, bool) {
			in, known := c.e.instances.find(c.iid)
			if !known || !strings.HasSuffix(c.r.URL.Path, "/.well-known/jwks.json") {
				return answer{}, false
			}
			if c.in = in; !which(c) {
				return answer{}, false
			}
			return keySet(c, []any{}), true
		}
	}
}

// second says whether an instance is the second of the executor's.
func (in *instance) second() bool {
	all := in.e.instances.all()
	return len(all) > 1 && in == all[1]
}
