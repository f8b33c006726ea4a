// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A probe is one request of the preflight.
type probe struct {
	url, identity string
	route         string
	answer        *exchange
}

// ask sends probes at once and waits for all of them.
func (r *run) ask(ctx context.Context, probes ...*probe) {
	var all sync.WaitGroup
	for _, p := range probes {
		p.answer = &exchange{Exchange: wire.Exchange{Problem: "a bug of the harness"}}
		all.Go(func() {
			defer r.guard("asking for " + p.url)
			p.answer = r.send(ctx, r.plainGet(p.url, p.identity))
		})
	}
	all.Wait()
	for _, p := range probes {
		if p.route = r.route("GET", p.url, nil); !p.answer.Ours && ctx.Err() == nil {
			r.routes.answered(p.route, p.answer.Status)
		}
	}
}

// plainGet is a GET as the preflight sends it.
func (r *run) plainGet(address, identity string) *request {
	q := &request{Request: wire.Request{Method: "GET", URL: address, Limit: scale(r.options.Timeout, r.options.TimeFactor)}, identity: identity}
	q.Header = append(withoutHeader(r.ownHeader(address, identity), "Accept"), suites.Header{Name: "Accept", Value: "application/json"})
	return q
}

// preflight finds out whether the target is there, takes the credentials and serves a card. A reason means that nothing
// can be measured; the report then has the verdict.
func (r *run) preflight(ctx context.Context, out *report.Run) *report.Reason {
	if r.name == plainA2A {
		return r.preflightA2A(ctx, out)
	}
	if r.facts.plain {
		return r.preflightPlain(ctx, out)
	}
	instances, stop := r.findInstance(ctx, out)
	if stop != nil {
		return stop
	}
	own := &probe{url: join(r.place.api, "tasks"), identity: "instance"}
	nobody := &probe{url: own.url, identity: anonymous}
	described := &probe{url: join(r.place.base, ".well-known/agent-card.json"), identity: anonymous}
	probes := []*probe{own, nobody, described}
	if instances == nil {
		instances = &probe{url: join(r.place.admin, "instances"), identity: "admin"}
		probes = append(probes, instances)
	}
	r.ask(ctx, probes...)
	if stop := unreachable(ctx, out, append(probes, instances)); stop != nil {
		return stop
	}
	r.facts.instances = instancesOf(instances.answer)
	r.facts.authEnabled = r.target.RequireAuth || refused(nobody)
	if refused(nobody) && own.answer.Status == 200 {
		r.seen.add("security", "bearer")
	}
	if stop := r.credentials(out, own, instances); stop != nil {
		return stop
	}
	r.tellRoles(ctx, instances)
	if refused(described) { // one requirement of its own; what else there is can be measured all the same
		described.identity = "instance"
		r.ask(ctx, described)
	}
	r.takeCard(out, described)
	if stop := r.wrongExecutorURL(out, own, described, instances); stop != nil {
		return stop
	}
	r.wonder(out, own)
	return nil
}

// wonder says it once, and first, when the target looks like another kind of server: what fails then has that one cause.
func (r *run) wonder(out *report.Run, own *probe) {
	if status := own.answer.Status; r.card == nil || r.card.Declares("runtime/v1") || status != 404 && status != 405 && status != 501 {
		return
	}
	problem := fmt.Sprintf("the card names no runtime/v1, and GET %s answers %d: this looks like no agentic-sandbox executor", own.url, own.answer.Status)
	r.note(out, "kind of server", fmt.Sprintf("status is %d", own.answer.Status), problem)
	r.facts.foreign = "; " + problem
}

// preflightPlain is the preflight of a profile that has none of the executor's own routes.
func (r *run) preflightPlain(ctx context.Context, out *report.Run) *report.Reason {
	base := plainURL(r.target.ExecutorURL)
	r.place = placeOf(r.target, base, base, r.target.Instance)
	own := &probe{url: join(base, "tasks"), identity: "instance"}
	nobody := &probe{url: own.url, identity: anonymous}
	described := &probe{url: join(base, ".well-known/agent-card.json"), identity: anonymous}
	r.ask(ctx, own, nobody, described)
	if stop := unreachable(ctx, out, []*probe{own, nobody, described}); stop != nil {
		return stop
	}
	r.facts.authEnabled = r.target.RequireAuth || refused(nobody)
	if refused(own) && r.given("instance") {
		return unauthorized(out, own, "the token")
	}
	if described.answer.Status == 200 {
		r.card = readers.ReadCard(described.answer.Body)
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
func (r *run) given(identity string) bool { return r.explicit[identity] != "" }

func refused(p *probe) bool { return p.answer.Status == 401 || p.answer.Status == 403 }

// unreachable is the verdict when nothing answered at all.
func unreachable(ctx context.Context, out *report.Run, probes []*probe) *report.Reason {
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
	out.Verdict = report.Unreachable
	out.Because = problem
	out.Preflight = append(out.Preflight, report.Finding{At: "PREFLIGHT", Subject: "connection", Observed: first.answer.Problem,
		Expected: "an HTTP answer", Problem: problem, Severity: report.Fail})
	return &report.Reason{Code: "unreachable", Detail: "not measured: " + problem}
}

// unauthorized is the verdict when the target does not take the credentials.
func unauthorized(out *report.Run, p *probe, what string) *report.Reason {
	problem := fmt.Sprintf("the target does not take %s: GET %s: status is %d", what, p.url, p.answer.Status)
	out.Verdict = report.Unauthorized
	out.Because = problem
	out.Preflight = append(out.Preflight, report.Finding{At: "PREFLIGHT", Subject: "credentials",
		Observed: fmt.Sprintf("status is %d", p.answer.Status), Expected: "neither 401 nor 403", Problem: problem, Severity: report.Fail})
	return &report.Reason{Code: "unauthorized", Detail: "not measured: " + problem}
}

// credentials judges the tokens that were given.
func (r *run) credentials(out *report.Run, own, instances *probe) *report.Reason {
	if refused(own) {
		switch {
		case r.token("instance") == "":
			return unauthorized(out, own, "requests without credentials, and no token was given (--token)")
		case r.given("instance"):
			return unauthorized(out, own, "the token")
		}
		return unauthorized(out, own, "the admin token for the instance, and no other was given (--token)")
	}
	if refused(instances) {
		if r.given("admin") {
			return unauthorized(out, instances, "the admin token")
		}
		r.facts.adminRefused = true
		r.note(out, "credentials", fmt.Sprintf("GET %s: status is %d", instances.url, instances.answer.Status),
			"the admin surface refuses what stands in for an admin token; tests that need one are skipped (--admin-token)")
	}
	return nil
}

// takeCard reads the card; without one, nothing but the card's own requirements can be judged.
func (r *run) takeCard(out *report.Run, described *probe) {
	x := described.answer
	var problem string
	switch {
	case x.Status == 0:
		problem = "there is no answer: " + x.Problem
	case x.Status != 200:
		problem = fmt.Sprintf("status is %d, want 200", x.Status)
	default:
		if r.card = readers.ReadCard(x.Body); r.card != nil {
			if r.place.iid == "" {
				r.place.iid = r.card.InstanceID
			}
			if keys, named := r.keySetOf(x.Body); named && r.target.JWKS == "" {
				r.place.jwks = keys
			}
			return
		}
		problem = "the body is no AgentCard: " + begins(x.Body)
	}
	r.facts.noCard = fmt.Sprintf("PREFLIGHT: the target serves no AgentCard at %s: %s; %s", described.url, problem, r.doubt())
	r.facts.cardFinding = &report.Finding{At: "PREFLIGHT", Subject: "AgentCard", Observed: problem,
		Expected: "an AgentCard", Problem: strings.TrimPrefix(r.facts.noCard, "PREFLIGHT: "), Severity: report.Fail,
		Route: described.route, Status: x.Status, Cause: r.facts.noCard}
	out.Preflight = append(out.Preflight, *r.facts.cardFinding)
}

// doubt asks the question that an operator who mistook the URL should ask himself.
func (r *run) doubt() string {
	if r.facts.plain {
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
	text, _ := printable(string(body[:min(len(body), 4*most)]))
	text = oneLine(text)
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "..."
	}
	return fmt.Sprintf("it begins with %q", text)
}

// note is something the preflight found that breaks nothing by itself.
func (r *run) note(out *report.Run, subject, observed, problem string) {
	out.Preflight = append(out.Preflight, report.Finding{At: "PREFLIGHT", Subject: subject, Observed: observed,
		Problem: problem, Severity: report.Pass})
}
