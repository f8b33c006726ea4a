// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// cardPath is where an instance describes itself.
const cardPath = ".well-known/agent-card.json"

// answers asks for the first thing, without credentials: is there HTTP, who is in between, what time is it there.
func (d *doctor) answers(ctx context.Context) bool {
	p := &target.Probe{URL: target.Join(d.said.Target, cardPath), Identity: target.Anonymous}
	switch {
	case d.Profile.Finds == profiles.AnAgent:
		p.URL = target.CardAddresses(d.said.Target)[0]
	case d.Profile.Finds == profiles.AServer:
		if d.Profile.Mark == "" { // else the card is where p has it
			p.URL = d.said.Target
		}
	case !d.namesInstance():
		p.URL = target.Join(d.said.Target, ".well-known/jwks.json")
	}
	d.Ask(ctx, p)
	x := p.Answer
	d.first = x
	if d.at.Scheme == "http" && (x.Status == 0 || x.Status == http.StatusBadRequest) {
		if _, err := d.handshake(ctx, &url.URL{Scheme: "http", Host: d.at.Host}); err == nil {
			return d.stop(report.Unreachable, "http", "the port speaks TLS, and the address begins with http://", "give the https:// address")
		}
	}
	if x.Status == 0 {
		do := "is this an HTTP server?"
		if strings.HasPrefix(x.Problem, wire.TLSProblem) {
			do = "" // the problem says it
		}
		return d.stop(report.Unreachable, "http", fmt.Sprintf("GET %s: %s", p.URL, x.Problem), do)
	}
	if x.Status == http.StatusProxyAuthRequired {
		return d.stop(report.Unreachable, "http", fmt.Sprintf("GET %s: %s", p.URL, x.Line), "the proxy wants credentials: HTTP_PROXY=http://user:password@host:port")
	}
	d.well("http", "%s to GET %s in %s", x.Line, p.URL, shortly(x.Took))
	d.between(x.Header)
	d.clock(x)
	if d.Profile.Finds == profiles.AnAgent && d.PlainGet(p.URL, p.Identity).Redirected(x) != nil {
		return true // clients of A2A follow those on the way to a card (A2A-CARD-001)
	}
	if d.Profile.Finds == profiles.AServer && d.Profile.Mark != "" {
		d.marked(p)
	}
	return !d.redirected(x)
}

// marked says whether the card of a server that is taken as it is has what tells its profile from others.
func (d *doctor) marked(p *target.Probe) {
	seen := fmt.Sprintf("GET %s: %s", p.URL, target.Answered(p.Answer))
	if !bytes.Contains(p.Answer.Body, []byte(d.Profile.Mark)) {
		d.say("card", Warning, seen+"; it names nothing of "+d.Profile.Mark, d.Profile.Doubt)
		return
	}
	d.well("card", "%s; it names %s", seen, d.Profile.Mark)
}

// between says who else speaks on the way, as far as headers tell.
func (d *doctor) between(header http.Header) {
	var seen []string
	for _, name := range []string{"Server", "Via", "X-Cache", "X-Served-By", "Cf-Ray", "X-Amz-Cf-Id", "X-Amzn-Trace-Id", "X-Envoy-Upstream-Service-Time"} {
		if value := header.Get(name); value != "" {
			seen = append(seen, name+": "+plaintext.Brief(value))
		}
	}
	if len(seen) == 0 {
		d.note("between", "no header names a server or a proxy")
		return
	}
	d.note("between", "%s", strings.Join(seen, "; "))
}

// redirected says where a redirect leads, and what that would lose. The suites follow none.
func (d *doctor) redirected(x *target.Exchange) bool {
	if x.Status < 300 || x.Status > 399 || x.Status == http.StatusNotModified {
		return false
	}
	to, is := target.Location(x).(string)
	config, err := url.Parse(to)
	asked, err2 := url.Parse(x.Request.URL)
	if !is || err != nil || err2 != nil || config.Host == "" {
		d.say("redirect", Failing, fmt.Sprintf("status is %d, which leads nowhere", x.Status), "give the address at which the executor itself answers")
		return true
	}
	config.User = nil
	seen := fmt.Sprintf("status is %d, and leads to %s", x.Status, config)
	switch {
	case config.Hostname() == asked.Hostname() && asked.Scheme == "http" && config.Scheme == "https":
		secure := *config
		secure.Path, secure.RawPath, secure.RawQuery = d.at.Path, d.at.RawPath, ""
		d.say("redirect", Failing, seen, fmt.Sprintf("give --executor-url %s: redirects are not followed, and a token would have gone in the clear before each", secure.String()))
	case target.Origin(config.String()) != target.Origin(asked.String()):
		d.say("redirect", Failing, seen, "if that is where people log in, exempt the paths of the executor from it: a bearer token must be enough, "+
			"and is never sent to another host; if the executor has moved, give its new address")
	case strings.TrimSuffix(config.Path, "/") == strings.TrimSuffix(asked.Path, "/"):
		d.say("redirect", Failing, seen, "let the proxy serve the path as it was asked for: a redirect that only changes the slash at the end turns a POST into a GET")
	default:
		do := "give the address at which the executor itself answers"
		for _, end := range []string{"/" + cardPath, "/.well-known/jwks.json"} {
			if before, ends := strings.CutSuffix(config.Path, end); ends {
				moved := url.URL{Scheme: config.Scheme, Host: config.Host, Path: before}
				do = "give --executor-url " + moved.String()
			}
		}
		d.say("redirect", Failing, seen, do)
	}
	return true
}

// place finds the instance, as a run does.
func (d *doctor) place(ctx context.Context) bool {
	out := &report.Run{}
	if _, stop := (&target.Preflight{Agent: &d.Agent, Out: out}).FindInstance(ctx); stop != nil {
		if ctx.Err() != nil {
			return false
		}
		return d.stop(report.Unreachable, "instance", strings.TrimPrefix(stop.Detail, "not measured: "), "")
	}
	for _, found := range out.Preflight {
		if d.Place.IID == "" {
			d.say("instance", Warning, found.Problem+": "+found.Observed, "name the instance (--instance), or give its address, .../agents/<instance-id>")
			continue
		}
		d.well("instance", "%s: %s", found.Observed, found.Problem)
	}
	return true
}

// card asks for the description of the instance.
func (d *doctor) card(ctx context.Context) bool {
	p := &target.Probe{URL: target.Join(d.Place.Base, cardPath), Identity: target.Anonymous}
	d.Ask(ctx, p)
	if target.Refused(p) && d.Token("instance") != "" {
		d.say("card", Warning, fmt.Sprintf("GET %s without credentials: status is %d", p.URL, p.Answer.Status), "the contract lets everybody read the card")
		p.Identity = "instance"
		d.Ask(ctx, p)
	}
	x := p.Answer
	if x.Status >= 300 && x.Status <= 399 {
		return !d.redirected(x)
	}
	if x.Status == http.StatusOK {
		if d.Card = readers.ReadCard(x.Body); d.Card != nil {
			d.declared = x.Body
			c := d.Card
			seen := fmt.Sprintf("%q, version %q, SHA-256 %s", plaintext.Brief(c.Name), plaintext.Brief(c.Version), c.Digest)
			if target.SpeaksA2A1(x.Body) && !bytes.Contains(x.Body, []byte(d.Profile.Mark)) {
				d.say("card", Warning, seen+"; it declares A2A 1.0 and names nothing of "+d.Profile.Mark, "a plain A2A server is checked with --profile a2a-1.0")
				return true
			}
			d.well("card", "%s", seen)
			return true
		}
	}
	seen := fmt.Sprintf("GET %s: %s", p.URL, target.Answered(x))
	if x.Status == http.StatusOK {
		seen += ", and the body is no AgentCard: " + target.Begins(x.Body)
	}
	do, other := "is this the address of an executor?", d.elsewhere(ctx)
	switch media, _, _ := mime.ParseMediaType(x.Header.Get("Content-Type")); {
	case other != "":
		do = "an executor answers at " + other + ": give that with --executor-url"
	case target.Refused(p):
		do = "the contract lets everybody read the card; is there a proxy or a login in front of it?"
	case media == "text/html":
		do = "that is a page for people: of a proxy, or of a login; " + do
	case x.Status >= 502 && x.Status <= 504:
		do = "a proxy answers, but cannot reach the executor behind it"
	}
	d.say("card", Failing, seen, do)
	return true
}

// elsewhere looks for the executor at the addresses that the given one begins with: who mistakes the address mostly gives
// too much of it. It returns the address, or "".
func (d *doctor) elsewhere(ctx context.Context) string {
	const most = 6
	above := *d.at
	for range most {
		at := strings.LastIndex(strings.TrimRight(above.Path, "/"), "/")
		if at < 0 {
			return ""
		}
		above.Path, above.RawPath = above.Path[:at], ""
		card := &target.Probe{URL: target.Join(above.String(), cardPath), Identity: target.Anonymous}
		admin := &target.Probe{URL: target.Join(above.String(), "api/v2/admin/instances"), Identity: target.Anonymous}
		d.Ask(ctx, card, admin)
		if card.Answer.Status == http.StatusOK && readers.ReadCard(card.Answer.Body) != nil || target.Refused(admin) || len(target.Ready(admin.Answer)) > 0 {
			return above.String()
		}
	}
	return ""
}

// skew is how far the target's clock is ahead of ours.
type skew struct {
	ahead, within time.Duration
	known         bool
}

// maxSkew is how far the contract lets a clock differ: timestamps of tasks, terminal frames and signed deliveries are
// compared with another clock, with five minutes of room. oddSkew is more than any synchronised clock differs.
const (
	maxSkew = 5 * time.Minute
	oddSkew = 5 * time.Second
)

// clock compares the Date header with our clock.
func (d *doctor) clock(x *target.Exchange) {
	given := x.Header.Get("Date")
	date, err := http.ParseTime(given)
	if err != nil {
		d.say("clock", Warning, "no Date header that could be read", "a server with a clock sends one (RFC 9110, 6.6.1)")
		return
	}
	// The header has no fractions, and was written at some time between our request and its answer.
	middle := x.Began.Add(x.Took / 2)
	s := skew{ahead: date.Add(500 * time.Millisecond).Sub(middle), within: 500*time.Millisecond + x.Took/2, known: true}
	d.skew = s
	off := s.ahead.Abs() - s.within
	word := "ahead of"
	if s.ahead < 0 {
		word = "behind"
	}
	seen := fmt.Sprintf("the target's clock is %s %s ours, give or take %s", shortly(s.ahead.Abs()), word, shortly(s.within))
	switch {
	case off > maxSkew:
		d.say("clock", Failing, seen, "set the clock that is wrong (NTP): the contract compares times of tasks, frames and deliveries with five minutes of room")
	case off > oddSkew:
		d.say("clock", Warning, seen, "let both machines synchronise their clocks (NTP)")
	default:
		d.well("clock", "the target's clock agrees with ours, give or take %s", shortly(max(s.within, s.ahead.Abs())))
	}
}
