// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/mutants"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// anyAgent is what a2a-1.0 is proved with: package plain.
var anyAgent = &proof{
	profile:     "a2a-1.0",
	deployments: declaringDeployments(cards),
	faults:      plain.Faults,
	edited:      plain.Edited,
	liberties:   plain.Liberties,
	freed:       plain.EditedFreely,
	homesOnly:   true,
	impostors: []impostor{
		{"answers a right card, and that to everything", cardAnd(func(w http.ResponseWriter, card string) { fmt.Fprint(w, card) }), readsCards},
		{"answers a right card, and an empty object to everything else", cardAnd(func(w http.ResponseWriter, _ string) { fmt.Fprint(w, "{}") }), readsCards},
	},
}

// readsCards says whether a test is about the card, which an impostor may have: what it asks, it asks where cards are.
func readsCards(t *suites.Test) bool {
	return strings.HasPrefix(t.ID, "A2A-CARD-") || !t.Operates && asksForCards(slices.Concat(t.Given, t.Steps))
}

func asksForCards(steps []*suites.Step) bool {
	return !slices.ContainsFunc(steps, func(s *suites.Step) bool {
		switch do := s.Do.(type) {
		case suites.Request:
			return !asksForTheExtendedCard(do) && do.URL != "${card_url}" && do.URL != "${old_card_url}" && !strings.HasPrefix(do.URL, "${origin}/.well-known/") && !strings.HasSuffix(do.URL, "/extendedAgentCard")
		case suites.Block:
			return !asksForCards(do.Inside())
		}
		return true
	})
}

// asksForTheExtendedCard says whether a request does so over JSON-RPC.
func asksForTheExtendedCard(do suites.Request) bool {
	body, _ := do.Body.JSON.(map[string]any)
	return body["method"] == "GetExtendedAgentCard"
}

// cardAnd has a right card with both bindings, and answers the rest.
func cardAnd(rest func(w http.ResponseWriter, card string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		card := fmt.Sprintf(`{"name":"An impostor","description":"Does nothing.","version":"1","capabilities":{},`+
			`"supportedInterfaces":[{"url":"http://%[1]s","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"},`+
			`{"url":"http://%[1]s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"defaultInputModes":["text/plain"],`+
			`"defaultOutputModes":["text/plain"],"skills":[{"id":"none","name":"None","description":"Nothing.","tags":["none"]}]}`, r.Host)
		if r.URL.Path == "/.well-known/agent-card.json" {
			fmt.Fprint(w, card)
			return
		}
		rest(w, card)
	}
}

// A card is one way to set a server up: what its card declares. Every test that fits the card is judged there, so that a
// test that fails what a card does not declare is found.
type card struct {
	name     string
	declares []string // claims, as suites name them
	config   func(*plain.Config)
	only     string // a claim: what does not ask for it is not judged here
	lasting  bool   // work is longer than elsewhere, for the tests that need it

	traffic *mutants.Traffic // stands before the server; nil: nothing does
}

// needWork are the tests that need work of some length: one looks at a webhook while the task is at work, the other at
// when the items of a stream come.
var needWork = []string{"A2A-PUSH-028", "A2A-STREAM-015"}

// Claims that stand together in most cards.
var (
	abilities = []string{"streaming", "pushNotifications", "extensions", "signatures", "provider"}
	secured   = []string{"security", "extendedAgentCard"}
	overREST  = []string{"binding:" + plain.BindingREST}
	overRPC   = []string{"binding:" + plain.BindingRPC}
	overBoth  = slices.Concat(overREST, overRPC, []string{"two-bindings"})
)

// cards in the order in which a test looks for its home.
var cards = slices.Concat(usualCards, cardsOverGRPC())

// cardsOverGRPC are there in builds that drive gRPC.
func cardsOverGRPC() []card {
	if !runner.DrivesGRPC {
		return nil
	}
	return []card{{
		name:     "all three bindings",
		declares: slices.Concat(abilities, secured, overBoth, []string{"binding:" + plain.BindingGRPC}),
		config:   func(c *plain.Config) { c.Bindings = []string{plain.BindingREST, plain.BindingRPC, plain.BindingGRPC} },
	}}
}

var usualCards = []card{
	{
		name:     "default",
		declares: slices.Concat(abilities, secured, overBoth),
	},
	{
		name:     "without credentials",
		declares: slices.Concat(abilities, overBoth),
		config:   withoutCredentials,
	},
	{
		name:     "required extension",
		declares: slices.Concat(abilities, secured, overBoth, []string{"required-extension"}),
		config:   func(c *plain.Config) { c.RequiredExtension, c.OddIDs = true, true }, // whatever ids are made of is lawful
	},
	{
		name:     "tenant",
		declares: slices.Concat(abilities, secured, overBoth, []string{"tenant"}),
		config: func(c *plain.Config) {
			c.Tenant = "self-test"
			c.CardMoved, c.LastSnapshot = http.StatusPermanentRedirect, 20*time.Millisecond // a card elsewhere is lawful, and a last look at a task
		},
	},
	{
		name:     "speaks 0.3 as well",
		declares: slices.Concat(abilities, secured, overBoth, []string{"protocolVersion-0.3", "protocolVersion-0.3:JSONRPC"}),
		config: func(c *plain.Config) {
			c.Legacy = true
			c.LastSnapshot = time.Microsecond // the last look at a task right behind its end
		},
	},
	{
		name:     "JSON-RPC only",
		declares: slices.Concat(abilities, secured, overRPC),
		config:   func(c *plain.Config) { c.Bindings = []string{plain.BindingRPC} },
	},
	{
		// Nobody can be asked at such a host: what is judged is what the card says, and how it is served.
		name:     "at a public host",
		declares: slices.Concat(abilities, secured, overBoth, []string{"public-host"}),
		config:   atPublicHost,
		only:     "public-host",
	},
	{
		name:     "work that lasts",
		declares: slices.Concat(abilities, secured, overBoth),
		config:   func(c *plain.Config) { c.Work = 2500 * time.Millisecond },
		lasting:  true,
	},
	{
		name:     "declares nothing",
		declares: overREST,
		config: func(c *plain.Config) {
			withoutCredentials(c)
			c.Undeclared, c.Bindings = plain.Declarable, []string{plain.BindingREST}
		},
	},
}

// atPublicHost declares a host that others reach, and speaks TLS where it is.
func atPublicHost(c *plain.Config) {
	made, err := certified()
	if err != nil {
		panic(err) // the machine has no randomness
	}
	c.PublicURL, c.Certificate = "https://agent.invalid", &made.pair
}

func withoutCredentials(c *plain.Config) { c.Token, c.SecondToken, c.LimitedToken = "", "", "" }

// secure says whether the card declares security, and so the server has tokens.
func (c card) secure() bool { return slices.Contains(c.declares, "security") }

// fits says whether a test can be judged where a card declares what this one does.
func (c card) fits(t *suites.Test) bool {
	declared := func(claim string) bool { return slices.Contains(c.declares, claim) }
	foreign := func(need string) bool {
		return need == "token:foreign" || need == "token:observe" || need == "token:limited"
	}
	switch {
	case c.lasting != slices.Contains(needWork, t.ID):
		return false
	case c.only != "" && !slices.Contains(t.Applies.Claims, c.only):
		return false
	case slices.ContainsFunc(t.Applies.Lacks, declared):
		return false
	case slices.ContainsFunc(t.Applies.Claims, func(claim string) bool { return !declared(claim) }):
		return false
	case c.secure():
		return !t.Applies.NoAuth
	}
	return !t.Applies.Auth && !slices.ContainsFunc(t.Needs, foreign)
}

func declaringDeployments(cards []card) []deployment {
	all := make([]deployment, len(cards))
	for i, c := range cards {
		all[i] = deployment{
			name: c.name, judges: c.fits,
			serve: func(faults []string, consulted func(point string)) (subject, error) {
				return newAgent(c, faults, consulted)
			},
			behind: func(traffic *mutants.Traffic) (subject, error) {
				mutated := c // the card of this server alone: others are served at the same time
				mutated.traffic = traffic
				return newAgent(mutated, nil, nil)
			},
		}
	}
	return all
}

// permissions are what the operator of the server lets the harness do, and says of its cues.
func permissions() map[string]runner.Hook {
	return map[string]runner.Hook{"oversized-requests": {Value: true}, "protected-action": {Value: true}}
}

// An agent is a server under test.
type agent struct {
	card   card
	tokens map[string]string
	server *plain.Server
	served chan error
	root   string // at which it is found
}

// newAgent sets up a server with a card, and serves; behind a proxy, if there is one.
func newAgent(c card, faults []string, consulted func(point string)) (*agent, error) {
	config := plain.Config{
		Token: tokens["instance"], SecondToken: tokens["foreign"], LimitedToken: tokens["observe"],
		// Long enough for some requests one after the other on a machine that is busy.
		Work:               held(10 * time.Second),
		AllowLoopbackHooks: true, WebhookTimeout: held(20 * time.Second), Consulted: consulted,
		EmptyDeletions: c.secure(), // either answer to a deletion is lawful, and has to pass
	}
	config.Faults, config.Liberties = parted(faults, plain.Liberties())
	if c.config != nil {
		c.config(&config)
	}
	s, root, err := newPlain(config, c.traffic)
	if err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	configured := map[string]string{}
	if c.secure() {
		configured = map[string]string{
			"instance": config.Token, "foreign": config.SecondToken, "observe": config.LimitedToken, "limited": config.LimitedToken,
		}
	}
	return &agent{card: c, server: s, served: serve(s), tokens: configured, root: root}, nil
}

// target is the server as a run is told of it, with everything that its operator configures.
func (a *agent) target() runner.Target {
	t := runner.Target{ExecutorURL: a.root, Tokens: a.tokens, RequireAuth: a.card.secure(), Cues: plain.Cues(), Hooks: permissions(),
		AllowHosts: []string{"127.0.0.1"}} // its gRPC listens at a port of its own
	if strings.HasPrefix(t.ExecutorURL, "https:") {
		t.TLS = askedOverTLS()
	}
	return t
}

// alike takes out the server's address.
func (a *agent) alike(text string) string {
	text = strings.ReplaceAll(text, a.root, "{root}")
	return strings.ReplaceAll(text, a.root[strings.Index(a.root, "//")+2:], "{host}")
}

func (a *agent) close() { stop(a.server, a.served) }
