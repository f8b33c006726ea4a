// SPDX-License-Identifier: Apache-2.0

package pty_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// status is that of a handshake.
func (d *deployed) status(change func(http.Header)) int {
	return d.knock("GET", d.attachURL(d.session(nil)), handshake(change)).StatusCode
}

func header(name string, values ...string) func(http.Header) {
	return func(h http.Header) {
		h.Del("Authorization")
		if name != "" {
			h[http.CanonicalHeaderKey(name)] = values
		}
	}
}

func offer(values ...string) func(http.Header) {
	return func(h http.Header) { h["Sec-Websocket-Protocol"] = values }
}

func refusedUpgrade(status int, change func(http.Header)) breach {
	return func(d *deployed) string { return differs("status", d.status(change), status) }
}

func echoed(want string, change func(http.Header)) breach {
	return func(d *deployed) string {
		got := d.knock("GET", d.attachURL(d.session(nil)), handshake(change)).Header["Sec-Websocket-Protocol"]
		return differs("echo", strings.Join(got, "|"), want)
	}
}

var upgradeBreaches = map[string]breach{
	"upgrade-refused": refusedUpgrade(101, nil),
	"handshake-extra-extension": func(d *deployed) string {
		return differs("extensions", d.knock("GET", d.attachURL(d.session(nil)), handshake(nil)).Header.Get("Sec-WebSocket-Extensions"), "")
	},
	"every-other-handshake-selects-an-extension": func(d *deployed) string {
		d.knock("GET", d.attachURL(d.session(nil)), handshake(nil))
		return differs("extensions", d.knock("GET", d.attachURL(d.session(nil)), handshake(nil)).Header.Get("Sec-WebSocket-Extensions"), "")
	},
	"session-on-demand": func(d *deployed) string {
		return differs("status", d.knock("GET", d.attachURL(newUUIDv7()), handshake(nil)).StatusCode, 404)
	},
	"instance-ignored": func(d *deployed) string {
		url := d.URL() + "/agents/" + newUUIDv7() + "/sessions/" + d.session(nil) + "/attach"
		return differs("status", d.knock("GET", url, handshake(nil)).StatusCode, 404)
	},
	"version-unchecked":        refusedUpgrade(426, func(h http.Header) { h.Set("Sec-WebSocket-Version", "12") }),
	"subprotocol-not-echoed":   echoed(subprotocolJSON, nil),
	"binary-echoes-json":       echoed(subprotocolBinary, offer(subprotocolBinary)),
	"both-tokens-echoed":       echoed(subprotocolBinary, offer("pty-ws.v1, pty-ws.v1.binary")),
	"first-token-only":         refusedUpgrade(101, offer("chat.v2, pty-ws.v1, mqtt")),
	"subprotocol-lenient":      refusedUpgrade(400, offer("chat.v1")),
	"subprotocol-prefix-match": refusedUpgrade(400, offer("pty-ws.v10")),
	"absent-subprotocol-ok":    refusedUpgrade(400, func(h http.Header) { h.Del("Sec-WebSocket-Protocol") }),
	"anonymous-attach":         refusedUpgrade(401, header("")),
	"anonymous-join":           refusedUpgrade(401, header("")),
	"any-token-accepted":       refusedUpgrade(401, header("Authorization", "Bearer nope")),
	"hello-before-auth":        refusedUpgrade(401, header("Authorization", "Bearer nope")),
	"header-token-ignored":     refusedUpgrade(101, nil),
	"separate-token-store":     refusedUpgrade(101, nil),
	"query-token": func(d *deployed) string {
		url := d.attachURL(d.session(nil)) + "?token=" + testToken
		return differs("status", d.knock("GET", url, handshake(header(""))).StatusCode, 401)
	},
	"embedded-token-position":   refusedUpgrade(101, header("Sec-WebSocket-Protocol", "pty-ws.v1, "+embedded(testToken))),
	"bearer-echoed":             echoed(subprotocolJSON, header("Sec-WebSocket-Protocol", "pty-ws.v1, "+embedded(testToken))),
	"bearer-in-front-is-echoed": echoed(subprotocolJSON, header("Sec-WebSocket-Protocol", embedded(testToken)+", pty-ws.v1")),
	"any-principal":             refusedUpgrade(403, header("Authorization", "Bearer "+testForeign)),
	"reauth-by-params": func(d *deployed) string {
		_, b := d.pair(testObserve)
		b.answer(b.send("UpdateServiceParameters", map[string]any{"service_parameters": map[string]any{"authorization": "Bearer " + testToken}}))
		return differs("a role request", b.role(roleController), codePermissionDenied)
	},
	"observe-no-replay": func(d *deployed) string {
		a, _ := d.pair(testToken)
		b := d.open(a.session(), testObserve)
		b.send("pty.join_session", map[string]any{"role": roleObserver}, append(slices.Clone(activating), "replay_from", 1)...)
		return differs("a role", strings.Contains(kindsOf(b.until(0)), kindRole), true)
	},
	"observe-no-tasks": func(d *deployed) string {
		a := d.open(d.session(nil), testObserve)
		return a.answered("ListTasks", map[string]any{})
	},
	"scope-input-unchecked": func(d *deployed) string {
		_, b := d.pair(testObserve)
		b.typeText("marker\n")
		return differs("output", sawText(b.until(200*time.Millisecond), "marker"), false)
	},
	"scope-resize-unchecked": func(d *deployed) string {
		_, b := d.pair(testObserve)
		b.send("pty.session_resize", map[string]any{"cols": 133, "rows": 41})
		return differs("a resize", strings.Contains(kindsOf(b.until(0)), kindResize), false)
	},
	"scope-promotion-unchecked": func(d *deployed) string {
		a := d.open(d.session(nil), testObserve)
		a.join(roleObserver)
		return differs("a role request", a.role(roleController), codePermissionDenied)
	},
	"first-observer-promoted": func(d *deployed) string {
		return differs("role", payloadOf(d.open(d.session(nil), testObserve).join(roleController))["role"], roleObserver)
	},
	"admin-not-control": func(d *deployed) string {
		return differs("role", payloadOf(d.open(d.session(nil), testAdmin).join(roleController))["role"], roleController)
	},
	"card-without-binding": func(d *deployed) string {
		return differs("bindings", d.card()["bindings"] != nil, true)
	},
	"params-as-strings": func(d *deployed) string {
		return differs("max_controllers", strings.Contains(fmt.Sprintf("%#v", d.card()), `"max_controllers":"1"`), false)
	},
}

func (d *deployed) card() map[string]any {
	_, card := d.ask("GET", strings.TrimPrefix(d.InstanceURLs()[0], d.URL())+"/.well-known/agent-card.json", nil)
	return card
}

// role asks for a role and returns the code of the Error or the role that was assigned.
func (c *client) role(role string) string {
	c.t.Helper()
	id := c.send("pty.request_role", map[string]any{"role": role})
	p := payloadOf(c.await("answer to a role request", func(r received) bool {
		return r.env["id"] == id || payloadOf(r.env)["kind"] == kindRole
	}).env)
	if code, _ := p["code"].(string); code != "" {
		return code
	}
	return p["role"].(string)
}
