// SPDX-License-Identifier: Apache-2.0

package target

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A Preflight is the first look at a target, and what a report says of it.
type Preflight struct {
	*Agent
	Out    *report.Run
	CardAs string // the identity that asks for the card of an agent; empty: nobody, as section 8.2 has it
}

// A Probe is one request of the preflight.
type Probe struct {
	URL, Identity string
	route         string
	Answer        *Exchange
}

// Ask sends probes at once and waits for all of them.
func (t *Target) Ask(ctx context.Context, probes ...*Probe) {
	var all sync.WaitGroup
	for _, p := range probes {
		p.Answer = &Exchange{Exchange: wire.Exchange{Problem: "a bug of the harness"}}
		all.Go(func() {
			defer t.Guard("asking for " + p.URL)
			p.Answer = t.Patiently(ctx, t.PlainGet(p.URL, p.Identity))
		})
	}
	all.Wait()
	for _, p := range probes {
		if p.route = t.Route("GET", p.URL, nil); !p.Answer.Ours && ctx.Err() == nil {
			t.Routes.Answered(p.route, p.Answer.Status)
		}
	}
}

// PlainGet is a GET as the preflight sends it.
func (t *Target) PlainGet(address, identity string) *Request {
	q := &Request{Request: wire.Request{Method: "GET", URL: address, Limit: t.Limit}, Identity: identity}
	q.Header = append(WithoutHeader(t.OwnHeader(address, identity), "Accept"), suites.Header{Name: "Accept", Value: "application/json"})
	return q
}

// cardRedirects is how many redirects on the same host may lead to the card of an instance (CARD-001).
const cardRedirects = 1

// Look finds out whether the target is there, takes the credentials and serves a card. A reason means that nothing
// can be measured; the report then has the verdict.
func (f *Preflight) Look(ctx context.Context) *report.Reason {
	switch f.Profile.Finds {
	case profiles.AnAgent:
		return f.lookA2A(ctx)
	case profiles.AServer:
		return f.lookPlain(ctx)
	}
	instances, stop := f.FindInstance(ctx)
	if stop != nil {
		return stop
	}
	own := &Probe{URL: Join(f.Place.API, "tasks"), Identity: "instance"}
	nobody := &Probe{URL: own.URL, Identity: Anonymous}
	described := &Probe{URL: Join(f.Place.Base, ".well-known/agent-card.json"), Identity: Anonymous}
	probes := []*Probe{own, nobody, described}
	if instances == nil {
		instances = &Probe{URL: Join(f.Place.Admin, "instances"), Identity: "admin"}
		probes = append(probes, instances)
	}
	f.Ask(ctx, probes...)
	if stop := f.unreachable(ctx, append(probes, instances)); stop != nil {
		return stop
	}
	f.Facts.instances, f.Facts.manages = instancesOf(instances.Answer), lists(instances.Answer)
	f.Facts.AuthEnabled = f.Config.RequireAuth || Refused(nobody)
	if Refused(nobody) && own.Answer.Status == 200 {
		f.Seen.Add("security", "bearer")
	}
	if stop := f.credentials(ctx, own, instances); stop != nil {
		return stop
	}
	f.tellRoles(ctx, instances)
	if Refused(described) { // one requirement of its own; what else there is can be measured all the same
		described.Identity = "instance"
		f.Ask(ctx, described)
	}
	f.redirectedCard(ctx, described, cardRedirects)
	f.takeCard(described)
	f.Facts.plainCard = f.Card != nil && SpeaksA2A1(described.Answer.Body) && !bytes.Contains(described.Answer.Body, []byte(f.Profile.Mark))
	if stop := f.wrongExecutorURL(own, described, instances); stop != nil {
		return stop
	}
	f.wonder(own, described)
	return nil
}

// wonder says it once, and first, when the target looks like another kind of server: what fails then has that one cause.
func (f *Preflight) wonder(own, described *Probe) {
	if status := own.Answer.Status; f.Card == nil || f.Card.Declares("runtime/v1") || status != 404 && status != 405 && status != 501 {
		return
	}
	f.Facts.noTasks = fmt.Sprintf("GET %s answers %d", own.URL, own.Answer.Status)
	problem := "the card names no runtime/v1, and " + f.Facts.noTasks + ": this looks like no agentic-sandbox executor"
	if other := f.ofAnother(described.Answer.Body); other != "" {
		problem += "; " + other
	} else if SpeaksA2A1(described.Answer.Body) {
		problem += "; a server that speaks A2A 1.0 is judged with --profile a2a-1.0"
	}
	note(f.Out, "kind of server", fmt.Sprintf("status is %d", own.Answer.Status), problem)
	f.Facts.Foreign = "; " + problem
}

// SpeaksA2A1 says whether a card has an interface of A2A 1.0.
func SpeaksA2A1(card []byte) bool {
	interfaces, _ := readers.Member(jsontext.Parse(card), "supportedInterfaces").([]any)
	return slices.ContainsFunc(interfaces, func(one any) bool { return strings.HasPrefix(readers.MemberText(one, "protocolVersion"), "1.") })
}

// lookPlain is the first look at a server that is taken as it is: it has none of the executor's own routes.
func (f *Preflight) lookPlain(ctx context.Context) *report.Reason {
	base := PlainURL(f.Config.ExecutorURL)
	f.Place = PlaceOf(f.Config, base, base, f.Config.Instance)
	own := &Probe{URL: Join(base, cmp.Or(f.Profile.LooksAt, "tasks")), Identity: "instance"}
	nobody := &Probe{URL: own.URL, Identity: Anonymous}
	described := &Probe{URL: Join(base, ".well-known/agent-card.json"), Identity: Anonymous}
	probes := []*Probe{own, nobody, described}
	if f.Profile.LooksAt != "" {
		described.Answer = &Exchange{}
		probes = probes[:2]
	}
	f.Ask(ctx, probes...)
	if stop := f.unreachable(ctx, probes); stop != nil {
		return stop
	}
	f.Facts.AuthEnabled = f.Config.RequireAuth || Refused(nobody)
	if Refused(own) && f.Explicit.Has("instance") {
		return f.unauthorized(own, "the token")
	}
	if described.Answer.Status == 200 {
		f.Card = readers.ReadCard(described.Answer.Body)
	}
	return nil
}

// Refused says whether a probe was not let in.
func Refused(p *Probe) bool { return p.Answer.Status == 401 || p.Answer.Status == 403 }

// unreachable is the verdict when nothing answered at all.
func (f *Preflight) unreachable(ctx context.Context, probes []*Probe) *report.Reason {
	if reason := Ended(ctx); reason != nil {
		return reason
	}
	for _, p := range probes {
		if p.Answer.Status != 0 {
			return nil
		}
	}
	first := probes[0]
	for _, p := range probes {
		// A server that refuses the handshake may reset the connection before its alert is read; on another one it was.
		if strings.HasPrefix(p.Answer.Problem, wire.TLSProblem) {
			first = p
			break
		}
	}
	problem := fmt.Sprintf("the target cannot be reached: GET %s: %s", first.URL, first.Answer.Problem)
	if at, err := url.Parse(first.URL); err == nil && first.Answer.Problem == wire.ConnectionRefused {
		problem = fmt.Sprintf("nothing listens at %s: the port is wrong, or the server is not running (GET %s: %s)", at.Host, first.URL, first.Answer.Problem)
	}
	f.Facts.silent = true
	f.Facts.Unasked = report.Unasked{Verdict: report.Unreachable, Because: problem}
	f.Out.Preflight = append(f.Out.Preflight, report.Finding{At: "PREFLIGHT", Subject: "connection", Observed: first.Answer.Problem,
		Expected: "an HTTP answer", Problem: problem, Severity: report.Fail})
	return &report.Reason{Code: "unreachable", Detail: "not measured: " + problem}
}

// unauthorized is the verdict when the target does not take the credentials.
func (f *Preflight) unauthorized(p *Probe, what string) *report.Reason {
	problem := fmt.Sprintf("the target does not take %s: GET %s: status is %d", what, p.URL, p.Answer.Status)
	f.Facts.Unasked = report.Unasked{Verdict: report.Unauthorized, Because: problem}
	f.Out.Preflight = append(f.Out.Preflight, report.Finding{At: "PREFLIGHT", Subject: "credentials",
		Observed: fmt.Sprintf("status is %d", p.Answer.Status), Expected: "neither 401 nor 403", Problem: problem, Severity: report.Fail})
	return &report.Reason{Code: "unauthorized", Detail: "not measured: " + problem}
}

// credentials judges the tokens that were given.
func (f *Preflight) credentials(ctx context.Context, own, instances *Probe) *report.Reason {
	if Refused(own) {
		switch {
		case f.Token("instance") == "":
			return f.unauthorized(own, "requests without credentials, and no token was given (--token)")
		case f.Explicit.Has("instance"):
			if f.Swapped(ctx, own, instances) {
				return f.unauthorized(own, swappedTokens)
			}
			return f.unauthorized(own, "the token")
		}
		return f.unauthorized(own, "the admin token for the instance, and no other was given (--token)")
	}
	if Refused(instances) {
		if f.Explicit.Has("admin") {
			if f.Swapped(ctx, own, instances) {
				return f.unauthorized(instances, swappedTokens)
			}
			return f.unauthorized(instances, "the admin token")
		}
		f.Facts.adminRefused = true
		note(f.Out, "credentials", fmt.Sprintf("GET %s: status is %d", instances.URL, instances.Answer.Status),
			"the admin surface refuses the token that is used as the admin token; tests that need one are skipped (--admin-token)")
	}
	return nil
}

// takeCard reads the card; without one, nothing but the card's own requirements can be judged.
func (f *Preflight) takeCard(described *Probe) {
	x := described.Answer
	var problem string
	switch {
	case x.Status == 0:
		problem = "there is no answer: " + x.Problem
	case x.Status != 200:
		problem = fmt.Sprintf("status is %d, want 200", x.Status)
	default:
		if f.Card = readers.ReadCard(x.Body); f.Card != nil {
			if f.Place.IID == "" {
				f.Place.IID = f.Card.InstanceID
			}
			if keys, named := f.Place.keySetOf(x.Body); named && f.Config.JWKS == "" {
				f.Place.jwks = keys
			}
			return
		}
		problem = "the body is no AgentCard: " + Begins(x.Body)
	}
	f.Facts.NoCard = fmt.Sprintf("PREFLIGHT: the target serves no AgentCard at %s: %s; %s", described.URL, problem, f.Profile.Doubt)
	f.Facts.CardFinding = &report.Finding{At: "PREFLIGHT", Subject: "AgentCard", Observed: problem,
		Expected: "an AgentCard", Problem: strings.TrimPrefix(f.Facts.NoCard, "PREFLIGHT: "), Severity: report.Fail,
		Route: described.route, Status: x.Status, Cause: f.Facts.NoCard}
	f.Out.Preflight = append(f.Out.Preflight, *f.Facts.CardFinding)
}

// Begins quotes the beginning of a body, for people who wonder what answered.
func Begins(body []byte) string {
	const most = 80
	if len(body) == 0 {
		return "it is empty"
	}
	text, _ := plaintext.Printable(string(body[:min(len(body), 4*most)]))
	text = plaintext.OneLine(text)
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "..."
	}
	return fmt.Sprintf("it begins with %q", text)
}

// note is something the preflight found that breaks nothing by itself.
func note(out *report.Run, subject, observed, problem string) {
	out.Preflight = append(out.Preflight, report.Finding{At: "PREFLIGHT", Subject: subject, Observed: observed,
		Problem: problem, Severity: report.Pass})
}
