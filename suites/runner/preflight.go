// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A preflight is the first look at a target, and what a report says of it.
type preflight struct {
	*agent
	out *report.Run
}

// A probe is one request of the preflight.
type probe struct {
	url, identity string
	route         string
	answer        *exchange
}

// ask sends probes at once and waits for all of them.
func (s *site) ask(ctx context.Context, probes ...*probe) {
	var all sync.WaitGroup
	for _, p := range probes {
		p.answer = &exchange{Exchange: wire.Exchange{Problem: "a bug of the harness"}}
		all.Go(func() {
			defer s.guard("asking for " + p.url)
			p.answer = s.send(ctx, s.plainGet(p.url, p.identity))
		})
	}
	all.Wait()
	for _, p := range probes {
		if p.route = s.route("GET", p.url, nil); !p.answer.Ours && ctx.Err() == nil {
			s.routes.answered(p.route, p.answer.Status)
		}
	}
}

// plainGet is a GET as the preflight sends it.
func (s *site) plainGet(address, identity string) *request {
	q := &request{Request: wire.Request{Method: "GET", URL: address, Limit: s.limit}, identity: identity}
	q.Header = append(withoutHeader(s.ownHeader(address, identity), "Accept"), suites.Header{Name: "Accept", Value: "application/json"})
	return q
}

// look finds out whether the target is there, takes the credentials and serves a card. A reason means that nothing
// can be measured; the report then has the verdict.
func (f *preflight) look(ctx context.Context) *report.Reason {
	if f.name == plainA2A {
		return f.lookA2A(ctx)
	}
	if f.facts.plain {
		return f.lookPlain(ctx)
	}
	instances, stop := f.findInstance(ctx)
	if stop != nil {
		return stop
	}
	own := &probe{url: join(f.place.api, "tasks"), identity: "instance"}
	nobody := &probe{url: own.url, identity: anonymous}
	described := &probe{url: join(f.place.base, ".well-known/agent-card.json"), identity: anonymous}
	probes := []*probe{own, nobody, described}
	if instances == nil {
		instances = &probe{url: join(f.place.admin, "instances"), identity: "admin"}
		probes = append(probes, instances)
	}
	f.ask(ctx, probes...)
	if stop := f.unreachable(ctx, append(probes, instances)); stop != nil {
		return stop
	}
	f.facts.instances = instancesOf(instances.answer)
	f.facts.authEnabled = f.target.RequireAuth || refused(nobody)
	if refused(nobody) && own.answer.Status == 200 {
		f.seen.add("security", "bearer")
	}
	if stop := f.credentials(own, instances); stop != nil {
		return stop
	}
	f.tellRoles(ctx, instances)
	if refused(described) { // one requirement of its own; what else there is can be measured all the same
		described.identity = "instance"
		f.ask(ctx, described)
	}
	f.takeCard(described)
	if stop := f.wrongExecutorURL(own, described, instances); stop != nil {
		return stop
	}
	f.wonder(own)
	return nil
}

// wonder says it once, and first, when the target looks like another kind of server: what fails then has that one cause.
func (f *preflight) wonder(own *probe) {
	if status := own.answer.Status; f.card == nil || f.card.Declares("runtime/v1") || status != 404 && status != 405 && status != 501 {
		return
	}
	problem := fmt.Sprintf("the card names no runtime/v1, and GET %s answers %d: this looks like no agentic-sandbox executor", own.url, own.answer.Status)
	note(f.out, "kind of server", fmt.Sprintf("status is %d", own.answer.Status), problem)
	f.facts.foreign = "; " + problem
}

// lookPlain is the preflight of a profile that has none of the executor's own routes.
func (f *preflight) lookPlain(ctx context.Context) *report.Reason {
	base := plainURL(f.target.ExecutorURL)
	f.place = placeOf(f.target, base, base, f.target.Instance)
	own := &probe{url: join(base, "tasks"), identity: "instance"}
	nobody := &probe{url: own.url, identity: anonymous}
	described := &probe{url: join(base, ".well-known/agent-card.json"), identity: anonymous}
	f.ask(ctx, own, nobody, described)
	if stop := f.unreachable(ctx, []*probe{own, nobody, described}); stop != nil {
		return stop
	}
	f.facts.authEnabled = f.target.RequireAuth || refused(nobody)
	if refused(own) && f.given("instance") {
		return f.unauthorized(own, "the token")
	}
	if described.answer.Status == 200 {
		f.card = readers.ReadCard(described.answer.Body)
	}
	return nil
}

// isPlain says whether a profile judges something else than an executor.
func isPlain(profile string) bool {
	for _, name := range []string{plainA2A, "sac", "agentweaver", "openhands-v1"} {
		if profile == name {
			return true
		}
	}
	return false
}

// given says whether the operator gave that token, rather than another one that stands in for it.
func (s *site) given(identity string) bool { return s.explicit[identity] != "" }

func refused(p *probe) bool { return p.answer.Status == 401 || p.answer.Status == 403 }

// unreachable is the verdict when nothing answered at all.
func (f *preflight) unreachable(ctx context.Context, probes []*probe) *report.Reason {
	if reason := ended(ctx); reason != nil {
		return reason
	}
	for _, p := range probes {
		if p.answer.Status != 0 {
			return nil
		}
	}
	first := probes[0]
	for _, p := range probes {
		// A server that refuses the handshake may reset the connection before its alert is read; on another one it was.
		if strings.HasPrefix(p.answer.Problem, wire.TLSProblem) {
			first = p
			break
		}
	}
	problem := fmt.Sprintf("the target cannot be reached: GET %s: %s", first.url, first.answer.Problem)
	f.out.Verdict = report.Unreachable
	f.out.Because = problem
	f.out.Preflight = append(f.out.Preflight, report.Finding{At: "PREFLIGHT", Subject: "connection", Observed: first.answer.Problem,
		Expected: "an HTTP answer", Problem: problem, Severity: report.Fail})
	return &report.Reason{Code: "unreachable", Detail: "not measured: " + problem}
}

// unauthorized is the verdict when the target does not take the credentials.
func (f *preflight) unauthorized(p *probe, what string) *report.Reason {
	problem := fmt.Sprintf("the target does not take %s: GET %s: status is %d", what, p.url, p.answer.Status)
	f.out.Verdict = report.Unauthorized
	f.out.Because = problem
	f.out.Preflight = append(f.out.Preflight, report.Finding{At: "PREFLIGHT", Subject: "credentials",
		Observed: fmt.Sprintf("status is %d", p.answer.Status), Expected: "neither 401 nor 403", Problem: problem, Severity: report.Fail})
	return &report.Reason{Code: "unauthorized", Detail: "not measured: " + problem}
}

// credentials judges the tokens that were given.
func (f *preflight) credentials(own, instances *probe) *report.Reason {
	if refused(own) {
		switch {
		case f.token("instance") == "":
			return f.unauthorized(own, "requests without credentials, and no token was given (--token)")
		case f.given("instance"):
			return f.unauthorized(own, "the token")
		}
		return f.unauthorized(own, "the admin token for the instance, and no other was given (--token)")
	}
	if refused(instances) {
		if f.given("admin") {
			return f.unauthorized(instances, "the admin token")
		}
		f.facts.adminRefused = true
		note(f.out, "credentials", fmt.Sprintf("GET %s: status is %d", instances.url, instances.answer.Status),
			"the admin surface refuses what stands in for an admin token; tests that need one are skipped (--admin-token)")
	}
	return nil
}

// takeCard reads the card; without one, nothing but the card's own requirements can be judged.
func (f *preflight) takeCard(described *probe) {
	x := described.answer
	var problem string
	switch {
	case x.Status == 0:
		problem = "there is no answer: " + x.Problem
	case x.Status != 200:
		problem = fmt.Sprintf("status is %d, want 200", x.Status)
	default:
		if f.card = readers.ReadCard(x.Body); f.card != nil {
			if f.place.iid == "" {
				f.place.iid = f.card.InstanceID
			}
			if keys, named := f.keySetOf(x.Body); named && f.target.JWKS == "" {
				f.place.jwks = keys
			}
			return
		}
		problem = "the body is no AgentCard: " + begins(x.Body)
	}
	f.facts.noCard = fmt.Sprintf("PREFLIGHT: the target serves no AgentCard at %s: %s; %s", described.url, problem, f.doubt())
	f.facts.cardFinding = &report.Finding{At: "PREFLIGHT", Subject: "AgentCard", Observed: problem,
		Expected: "an AgentCard", Problem: strings.TrimPrefix(f.facts.noCard, "PREFLIGHT: "), Severity: report.Fail,
		Route: described.route, Status: x.Status, Cause: f.facts.noCard}
	f.out.Preflight = append(f.out.Preflight, *f.facts.cardFinding)
}

// doubt asks the question that an operator who mistook the URL should ask himself.
func (s *site) doubt() string {
	if s.facts.plain {
		return "is this an A2A server?"
	}
	return "is this an agentic-sandbox executor?"
}

// begins quotes the beginning of a body, for people who wonder what answered.
func begins(body []byte) string {
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
