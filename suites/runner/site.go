// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A site is the target as a run knows it: where everything is, what its card declares, who is let in, and the way to it.
type site struct {
	bugs

	name     string // of the profile
	target   Target
	explicit map[string]string // the tokens that the operator gave, without stand-ins
	client   *wire.Client
	limit    time.Duration // of one request
	connect  time.Duration // limit of a connection
	patience int           // tests in a row without an answer, before the target is asked whether it is there

	place  place
	card   *readers.Card // nil: none that could be read
	facts  facts
	seen   sightings
	routes routes
	pulse  pulse

	chosenInstance string   // the instance that the run chose by itself; "": none
	lent           sync.Map // origins of other executors that the operator's hooks have answered with, or that --allow-host names
	sentTo         shownTo  // origins that were sent credentials
}

// open makes the way to a target ready for use.
func (s *site) open(profile string, config Target, limits Limits) {
	s.name, s.target, s.explicit = profile, config, config.Tokens
	s.target.Tokens = standIns(config.Tokens)
	s.client = clientFor(config, limits)
	s.limit, s.connect = limits.Request, limits.Connect
	s.patience = max(fewestSilent, 2*limits.Jobs)
	s.facts.plain = isPlain(profile)
}

// standIns lets the token of the instance and that of the admin stand in for each other when only one was given.
func standIns(given map[string]string) map[string]string {
	tokens := make(map[string]string, len(given)+2)
	for identity, token := range given {
		if token != "" {
			tokens[identity] = token
		}
	}
	switch {
	case tokens["instance"] == "" && tokens["admin"] != "":
		tokens["instance"] = tokens["admin"]
	case tokens["admin"] == "" && tokens["instance"] != "":
		tokens["admin"] = tokens["instance"]
	}
	delete(tokens, anonymous)
	return tokens
}

// token is the bearer token of an identity; empty means none.
func (s *site) token(identity string) string { return s.target.Tokens[identity] }

// facts are what the preflight found out.
type facts struct {
	authEnabled  bool            // anonymous requests are refused, or should be
	instanceOnly bool            // the instance's token is refused where the admin's is taken
	adminRefused bool            // the token that stands in for the admin's is not taken
	instances    map[string]bool // that were there before the run
	plain        bool            // the profile has none of the executor's own routes: nothing is derived or probed but the card
	noCard       string          // why there is none that could be read
	cardFinding  *report.Finding // the same
	foreign      string          // what makes the target look like no executor at all; the verdict says it
	older        string          // that the target speaks a version before 1.0, and what to change; the verdict says it
}

// bugs are mistakes of the harness that came up: the run goes on, and its error says so.
type bugs struct {
	mu  sync.Mutex
	all []error
}

// bug notes a mistake of the harness.
func (b *bugs) bug(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, err)
}

// guard is deferred by goroutines of our own, whose panic would take the whole run along.
func (b *bugs) guard(doing string) {
	if v := recover(); v != nil {
		b.bug(fmt.Errorf("bug: while %s: %v\n%s", doing, v, debug.Stack()))
	}
}

// err is all of them; nil when there are none.
func (b *bugs) err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return errors.Join(b.all...)
}
