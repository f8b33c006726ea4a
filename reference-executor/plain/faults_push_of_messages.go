// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"net/http"
	"strings"
	"sync"
)

// pushOfMessageFaults break what becomes of the webhooks that come with a message, and keep it for those that are created.
var pushOfMessageFaults = map[string]func(*behaviour){
	"webhooks-of-messages-outlive-their-deletion": func(b *behaviour) { outliving(b, cameWithMessages(b)) },
	"webhooks-of-messages-get-no-credentials": func(b *behaviour) {
		sent := cameWithMessages(b)
		pushHeaders(func(p *pushConfig, h http.Header) {
			if sent(p) {
				h.Del("Authorization")
			}
		})(b)
	},
	"webhooks-of-messages-lose-the-query": func(b *behaviour) {
		sent := cameWithMessages(b)
		b.push.target = func(p *pushConfig) string {
			if bare, _, _ := strings.Cut(p.url, "?"); sent(p) {
				return bare
			}
			return conformantPush.target(p)
		}
	},
}

// cameWithMessages tells which configurations came with a message.
func cameWithMessages(b *behaviour) func(p *pushConfig) bool {
	var sent sync.Map
	b.push.inline = func(t *task, p *pushConfig) bool {
		sent.Store(p, true)
		return conformantPush.inline(t, p)
	}
	return func(p *pushConfig) bool {
		_, found := sent.Load(p)
		return found
	}
}
