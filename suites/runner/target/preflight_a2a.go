// SPDX-License-Identifier: Apache-2.0

package target

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// WellKnownCard is where an agent publishes its card (A2A 1.0 section 8.2).
const WellKnownCard = "/.well-known/agent-card.json"

// lookA2A is the preflight of a plain A2A server: its card says everything else.
func (f *Preflight) lookA2A(ctx context.Context) *report.Reason {
	if stop := f.FindAgent(ctx); stop != nil {
		return stop
	}
	if f.Card == nil {
		return f.wrongAgentURL(ctx)
	}
	return f.credentialsA2A(ctx)
}

// FindAgent reads the card of a plain A2A server. Where the operator gave the URL of a card, that one is read (AMB-26); a
// path that is no card is tried as the home of an agent, before the origin is.
func (f *Preflight) FindAgent(ctx context.Context) *report.Reason {
	given := PlainURL(f.Config.ExecutorURL)
	probes := []*Probe{}
	for _, address := range CardAddresses(given) {
		probes = append(probes, &Probe{URL: address, Identity: cmp.Or(f.CardAs, Anonymous)})
	}
	f.Place = PlaceOf(f.Config, Origin(given), given, "")
	f.Ask(ctx, probes...)
	for _, p := range probes {
		f.redirectedCard(ctx, p, MaxRedirects)
	}
	if stop := f.unreachable(ctx, probes); stop != nil {
		return stop
	}
	described := probes[len(probes)-1]
	for _, p := range probes {
		if p.Answer.Status == 200 && readers.ReadCard(p.Answer.Body) != nil {
			described = p
			break
		}
	}
	f.CardURL = described.URL
	found := described
	if described.Answer.Status != 200 || readers.ReadCard(described.Answer.Body) == nil {
		if before := f.beforeCards(ctx, given); before != nil {
			found = before
		}
	}
	if version, _ := olderCard(jsontext.Parse(found.Answer.Body)); version != "" && found != described {
		f.Card = readers.ReadCard(found.Answer.Body) // not where it must be, which is a finding (A2A-MIG-034), but a card
	} else {
		f.takeCard(described)
	}
	if f.Card == nil {
		return nil
	}
	f.older(described, found)
	f.Facts.marked = f.ofAnother(found.Answer.Body) != ""
	card := jsontext.Parse(found.Answer.Body)
	declarePlainly(f.Card, card)
	f.Interfaces = driven(endpointsOf(card))
	f.Endpoints = firsts(f.Interfaces)
	f.Required, f.Optional = extensionsOf(card)
	for _, e := range f.Interfaces {
		f.lendEndpoint(e)
	}
	if len(probes) > 1 && found == probes[1] {
		f.notBelow(given, probes[0], endpointsOf(card))
	}
	return nil
}

// notBelow tells that the card which is judged is that of the origin, where the URL that was given is neither the home of an agent
// nor that of an interface: a path that was mistyped would go unseen otherwise.
func (f *Preflight) notBelow(given string, below *Probe, interfaces []*Endpoint) {
	for _, e := range interfaces {
		if address := PlainURL(e.URL); address == given || strings.HasPrefix(address, given+"/") || strings.HasPrefix(given, address+"/") {
			return
		}
	}
	f.Facts.astray = true
	note(f.Out, "card", fmt.Sprintf("GET %s: %s", below.URL, Answered(below.Answer)),
		"no card was found below "+given+", and no interface is there: the agent that the card at the origin describes was judged, "+f.CardURL)
}

// MaxRedirects is how many redirects on the same origin may lead to a card (A2A-CARD-001).
const MaxRedirects = 3

// redirectedCard asks for the card where the answer says that it is, at most so many times.
func (f *Preflight) redirectedCard(ctx context.Context, p *Probe, most int) {
	for range most {
		next := f.PlainGet(p.URL, p.Identity).Redirected(p.Answer)
		if next == nil {
			return
		}
		p.Answer = f.Patiently(ctx, next)
	}
}

// CardAddresses are where the card of a given URL can be, the likeliest first.
func CardAddresses(given string) []string {
	u, err := url.Parse(given)
	if err != nil || u.Path == "" {
		return []string{given + WellKnownCard}
	}
	if strings.HasSuffix(u.Path, ".json") {
		return []string{given}
	}
	return []string{given + WellKnownCard, Origin(given) + WellKnownCard}
}

// credentialsA2A judges the credentials that were given, on the first interface.
func (f *Preflight) credentialsA2A(ctx context.Context) *report.Reason {
	f.withhold(ctx)
	if len(f.Endpoints) == 0 {
		return f.onlyElsewhere()
	}
	ask := func(identity string) *Exchange { return f.askForNothing(ctx, f.Endpoints[0], identity) }
	own, nobody := ask("instance"), ask(Anonymous)
	f.Facts.AuthEnabled = f.Config.RequireAuth || nobody.Status == 401 || nobody.Status == 403
	if own.Status != 401 && own.Status != 403 {
		return nil
	}
	p := &Probe{URL: own.Request.URL, Identity: "instance", Answer: own}
	if f.Explicit.Has("instance") {
		return f.unauthorized(p, "the token")
	}
	if f.Card.Declares("security") {
		return f.unauthorized(p, "requests without credentials, and no token was given (--token, or --header for an API key)")
	}
	return nil // that it wants credentials which its card does not declare is a finding (A2A-SEC-006)
}

// askForNothing asks an interface for a task that does not exist: a request that changes nothing, and is let in or not.
func (a *Agent) askForNothing(ctx context.Context, e *Endpoint, identity string) *Exchange {
	return a.CallOf(ctx, &Call{Operation: "GetTask", At: e, Given: true, Params: map[string]any{"id": uuid.NewString()}}, identity)
}
