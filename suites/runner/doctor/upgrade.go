// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// passUpgrade says what to set so that upgrades reach the executor.
const passUpgrade = "let every proxy pass the upgrade on: nginx proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection \"upgrade\"; " +
	"Apache mod_proxy_wstunnel (upgrade=websocket); Envoy upgrade_configs websocket; a load balancer that works on HTTP/1.1"

const ptySubprotocol = "pty-ws.v1"

// upgrades asks for a terminal, and listens to what it says first. Without a session that the operator names or lets make it is one that
// does not exist: the executor's own refusal shows as well that the upgrade has reached it, when it is not the refusal of a plain request.
func (d terminals) upgrades(ctx context.Context) bool {
	if d.Card == nil {
		d.note("upgrade", "not checked: there is no card that declares terminals")
		return true
	}
	if c := d.Card; !c.Declares("pty-ws/v1") && !c.Declares("pty-extensions/v1") {
		d.note("upgrade", "not checked: the card declares no terminals")
		return true
	}
	s := d.session(ctx)
	defer s.end()
	if ctx.Err() != nil {
		return false
	}
	address, err := url.Parse(target.Join(d.Place.Base, "sessions/"+url.PathEscape(s.id)+"/attach"))
	if err != nil {
		d.note("upgrade", "not checked: the address of a terminal cannot be made")
		return true
	}
	u := wire.Upgrade{Method: http.MethodGet, Address: address, Limit: d.limits.Request,
		Header: d.HandshakeHeader(address, []string{ptySubprotocol}, "instance")}
	answer, tap := d.Client.Dialer.Shake(ctx, u)
	if ctx.Err() != nil {
		if tap != nil {
			tap.HangUp()
		}
		return false
	}
	if tap != nil {
		patience := min(d.limits.Request, maxPatience)
		h := d.listen(ctx, tap, patience)
		if ctx.Err() != nil {
			return false
		}
		d.upgraded(answer, u)
		d.greeting(s, h, patience)
		return true
	}
	plain := d.PlainGet(address.String(), "instance")
	x := d.Send(ctx, plain)
	d.notUpgraded(answer, x, s, address.Redacted())
	return true
}

// upgraded judges a 101.
func (d terminals) upgraded(answer wire.Handshake, u wire.Upgrade) {
	key := ""
	for _, h := range u.Header {
		if h.Name == "Sec-WebSocket-Key" {
			key = h.Value
		}
	}
	seen := "the upgrade is answered with 101"
	switch chosen := answer.Header.Get("Sec-WebSocket-Protocol"); {
	case answer.Header.Get("Sec-WebSocket-Accept") != wire.AcceptFor(key):
		d.say("upgrade", Failing, seen+", but Sec-WebSocket-Accept is not made of the key that was sent", "something in between answers instead, or changes the headers of the handshake")
	case chosen == "":
		d.say("upgrade", Warning, seen+", but names no subprotocol, though "+ptySubprotocol+" was offered", "does a proxy drop Sec-WebSocket-Protocol?")
	case chosen != ptySubprotocol:
		d.say("upgrade", Warning, fmt.Sprintf("%s and the subprotocol %q, where %s was offered", seen, plaintext.Brief(chosen), ptySubprotocol), "")
	default:
		d.well("upgrade", "%s and the subprotocol %s", seen, chosen)
	}
}

// notUpgraded judges a refusal, by what the same address answers to a plain GET.
func (d terminals) notUpgraded(answer wire.Handshake, plain *target.Exchange, s terminalSession, address string) {
	which, named := s.which, s.given
	seen := fmt.Sprintf("the upgrade for %s is answered with %d", which, answer.Status)
	switch status := answer.Status; {
	case status == 0:
		d.say("upgrade", Failing, fmt.Sprintf("the upgrade for %s gets no answer: %s", which, answer.Problem), passUpgrade)
	case status >= 200 && status <= 299:
		d.say("upgrade", Failing, seen+", as if it were a plain request", passUpgrade)
	case status >= 300 && status <= 399:
		d.say("upgrade", Failing, seen+", a redirect, which no WebSocket client follows", "let the proxy serve the path as it was asked for")
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		d.say("upgrade", Failing, seen+", though the same token opens the tasks", "does a proxy drop the Authorization header of upgrades, or may the token not open terminals (pty:observe)?")
	case status >= 502 && status <= 504:
		d.say("upgrade", Failing, seen+": a proxy could not hand it on", passUpgrade)
	case status == http.StatusBadRequest || status == http.StatusMethodNotAllowed || status == http.StatusUpgradeRequired || status == http.StatusNotImplemented:
		if plain.Status == status {
			d.say("upgrade", Failing, seen+", and so is a plain GET: the headers of the upgrade do not reach the executor", passUpgrade)
			return
		}
		d.say("upgrade", Failing, fmt.Sprintf("%s, a plain GET with %d", seen, plain.Status), "does a proxy change the headers of the handshake? "+passUpgrade)
	case status == http.StatusNotFound && !named && plain.Status != status:
		d.well("upgrade", "%s, a plain GET with %d, so the headers of the upgrade arrive; --session tries a whole one", seen, plain.Status)
	case status == http.StatusNotFound && named:
		do := "is the id right, and the session still open?"
		if s.made {
			do = "does create-session make the sessions of this instance, and does the executor serve the address?"
		}
		and := ", and so is a plain GET"
		if plain.Status != status {
			and = fmt.Sprintf(", a plain GET with %d", plain.Status)
		}
		d.say("upgrade", Failing, fmt.Sprintf("%s at %s%s", seen, address, and), do)
	case status == http.StatusNotFound:
		d.note("upgrade", "%s, and so is a plain GET, so that it is unknown whether upgrades get through; --session names a session that can be attached to", seen)
	default:
		d.say("upgrade", Warning, seen, "")
	}
}

// idleAfter is how long well-known proxies keep a connection on which nothing is said, by what their Server or Via header
// holds.
var idleAfter = []struct {
	says, name string
	after      time.Duration
	setting    string
}{
	{"awselb", "a load balancer of AWS", time.Minute, "idle_timeout.timeout_seconds"},
	{"cloudflare", "Cloudflare", 100 * time.Second, "a plan or a heartbeat"},
	{"envoy", "Envoy", 5 * time.Minute, "stream_idle_timeout, and timeout: 0s on the route"},
	{"nginx", "nginx", time.Minute, "proxy_read_timeout"},
	{"openresty", "nginx", time.Minute, "proxy_read_timeout"},
	{"google", "a load balancer of Google Cloud", 30 * time.Second, "the timeout of the backend service"},
}

// idle reminds of what is not measured: how long a silent connection lives.
func (d *doctor) idle(context.Context) bool {
	said := strings.ToLower(d.first.Header.Get("Server") + " " + d.first.Header.Get("Via"))
	for _, proxy := range idleAfter {
		if strings.Contains(said, proxy.says) {
			d.say("idle", Note, fmt.Sprintf("not measured: %s ends a connection that is silent for %s, unless told otherwise", proxy.name, proxy.after),
				"heartbeats every 15s keep streams open; for terminals see "+proxy.setting)
			return true
		}
	}
	d.say("idle", Note, "not measured: how long a proxy in between keeps a silent connection", "streams and terminals should outlive a minute of silence")
	return true
}
