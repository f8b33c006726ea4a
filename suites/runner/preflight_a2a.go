// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// wellKnownCard is where an agent publishes its card (A2A 1.0 section 8.2).
const wellKnownCard = "/.well-known/agent-card.json"

// lookA2A is the preflight of a plain A2A server: its card says everything else.
func (f *preflight) lookA2A(ctx context.Context) *report.Reason {
	if stop := f.findAgent(ctx); stop != nil {
		return stop
	}
	if f.card == nil {
		return f.wrongAgentURL(ctx)
	}
	return f.credentialsA2A(ctx)
}

// findAgent reads the card of a plain A2A server. Where the operator gave the URL of a card, that one is read (AMB-26); a
// path that is no card is tried as the home of an agent, before the origin is.
func (f *preflight) findAgent(ctx context.Context) *report.Reason {
	given := plainURL(f.target.ExecutorURL)
	probes := []*probe{}
	for _, address := range cardAddresses(given) {
		probes = append(probes, &probe{url: address, identity: anonymous})
	}
	f.place = placeOf(f.target, origin(given), given, "")
	f.ask(ctx, probes...)
	for _, p := range probes {
		f.redirectedCard(ctx, p)
	}
	if stop := f.unreachable(ctx, probes); stop != nil {
		return stop
	}
	described := probes[len(probes)-1]
	for _, p := range probes {
		if p.answer.Status == 200 && readers.ReadCard(p.answer.Body) != nil {
			described = p
			break
		}
	}
	f.cardURL = described.url
	found := described
	if described.answer.Status != 200 || readers.ReadCard(described.answer.Body) == nil {
		if before := f.beforeCards(ctx, given); before != nil {
			found = before
		}
	}
	if version, _ := olderCard(jsontext.Parse(found.answer.Body)); version != "" && found != described {
		f.card = readers.ReadCard(found.answer.Body) // not where it must be, which is a finding (A2A-MIG-034), but a card
	} else {
		f.takeCard(described)
	}
	if f.card == nil {
		return nil
	}
	f.older(described, found)
	card := jsontext.Parse(found.answer.Body)
	declarePlainly(f.card, card)
	f.interfaces = driven(endpointsOf(card))
	f.endpoints = firsts(f.interfaces)
	f.required, f.optional = extensionsOf(card)
	for _, e := range f.interfaces {
		f.lendEndpoint(e)
	}
	if len(probes) > 1 && found == probes[1] {
		f.notBelow(given, probes[0], endpointsOf(card))
	}
	return nil
}

// notBelow tells that the card which is judged is that of the origin, where the URL that was given is neither the home of an agent
// nor that of an interface: a path that was mistyped would go unseen otherwise.
func (f *preflight) notBelow(given string, below *probe, interfaces []*endpoint) {
	for _, e := range interfaces {
		if address := plainURL(e.url); address == given || strings.HasPrefix(address, given+"/") || strings.HasPrefix(given, address+"/") {
			return
		}
	}
	note(f.out, "card", fmt.Sprintf("GET %s: %s", below.url, answered(below.answer)),
		"no card was found below "+given+", and no interface is there: the agent that the card at the origin describes was judged, "+f.cardURL)
}

// mostRedirects is how many redirects on the same origin may lead to a card (A2A-CARD-001).
const mostRedirects = 3

// redirectedCard asks for the card where the answer says that it is.
func (f *preflight) redirectedCard(ctx context.Context, p *probe) {
	for range mostRedirects {
		next := f.plainGet(p.url, p.identity).redirected(p.answer)
		if next == nil {
			return
		}
		p.answer = f.send(ctx, next)
	}
}

// cardAddresses are where the card of a given URL can be, the likeliest first.
func cardAddresses(given string) []string {
	u, err := url.Parse(given)
	if err != nil || u.Path == "" {
		return []string{given + wellKnownCard}
	}
	if strings.HasSuffix(u.Path, ".json") {
		return []string{given}
	}
	return []string{given + wellKnownCard, origin(given) + wellKnownCard}
}

// credentialsA2A judges the credentials that were given, on the first interface.
func (f *preflight) credentialsA2A(ctx context.Context) *report.Reason {
	f.withhold(ctx)
	if len(f.endpoints) == 0 {
		return f.onlyElsewhere()
	}
	ask := func(identity string) *exchange { return f.askForNothing(ctx, f.endpoints[0], identity) }
	own, nobody := ask("instance"), ask(anonymous)
	f.facts.authEnabled = f.target.RequireAuth || nobody.Status == 401 || nobody.Status == 403
	if own.Status != 401 && own.Status != 403 {
		return nil
	}
	p := &probe{url: own.request.URL, identity: "instance", answer: own}
	if f.given("instance") {
		return f.unauthorized(p, "the token")
	}
	if f.card.Declares("security") {
		return f.unauthorized(p, "requests without credentials, and no token was given (--token, or --header for an API key)")
	}
	return nil // that it wants credentials which its card does not declare is a finding (A2A-SEC-006)
}

// askForNothing asks an interface for a task that does not exist: a request that changes nothing, and is let in or not.
func (a *agent) askForNothing(ctx context.Context, e *endpoint, identity string) *exchange {
	return a.callOf(ctx, &call{operation: "GetTask", at: e, given: true, params: map[string]any{"id": uuid.NewString()}}, identity)
}
