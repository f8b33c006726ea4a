// SPDX-License-Identifier: Apache-2.0

package pty

import "net/http"

// handshakeFaults do not look at one of the headers that make a request a handshake.
var handshakeFaults = map[string]func(*Behaviour){
	"handshakes-need-no-key":           supposes("Sec-WebSocket-Key", "c3VwcG9zZWQta2V5LTE2Qg=="),
	"handshakes-need-no-version":       supposes("Sec-WebSocket-Version", "13"),
	"anything-may-be-upgraded-to":      supposes("Upgrade", "websocket"),
	"connections-need-not-be-upgraded": supposes("Connection", "Upgrade"),
}

// supposes reads a header as if it held what it has to: one that is missing, and, of those that name what is wanted, one that names
// something else.
func supposes(name, value string) func(*Behaviour) {
	return func(b *Behaviour) {
		was := b.upgrade.handshake
		b.upgrade.handshake = func(u *upgrade) *Refusal {
			names := name == "Upgrade" || name == "Connection"
			if u.r.Header.Get("Sec-WebSocket-Protocol") == "" || !names && len(u.r.Header.Values(name)) > 0 {
				return was(u)
			}
			supposed := *u
			supposed.r = &http.Request{}
			*supposed.r = *u.r
			supposed.r.Header = u.r.Header.Clone()
			supposed.r.Header.Set(name, value)
			return was(&supposed)
		}
	}
}
