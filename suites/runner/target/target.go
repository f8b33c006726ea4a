// SPDX-License-Identifier: Apache-2.0

// Package target is the server that suites are played against, as a run knows it: what its operator configures (Config), where everything is
// and what the first look has shown (Target, Preflight), and which interfaces of A2A 1.0 it has and how operations are sent to them
// (Agent). It says what cannot be judged for want of something, with the words that a report shows. It knows nothing of tests that are
// played, of what they expect, and of verdicts on them: that is the runner's.
package target

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A Target is the server under test as a run knows it: where everything is, what its card declares, who is let in, and the way to it.
type Target struct {
	Bugs

	Profile  profiles.Profile // the row of the one that is played
	Config   Config
	Explicit GivenTokens
	Client   *wire.Client
	Limit    time.Duration // of one request
	connect  time.Duration // limit of a connection
	patience int           // tests in a row without an answer, before the target is asked whether it is there

	Place        Place
	Card         *readers.Card // nil: none that could be read
	Facts        Facts
	Seen         Sightings
	Routes       Routes
	Reachability Reachability
	Absences     Absences

	ChosenInstance string   // the instance that the run chose by itself; "": none
	added          sync.Map // origins of other executors that the operator's hooks have answered with, or that --allow-host names
	sentTo         shownTo  // origins that were sent credentials
}

// Open makes the way to a target ready for use.
func (t *Target) Open(profile profiles.Profile, config Config, limits Limits) {
	limits = limits.Filled()
	if limits.Rate == 0 {
		limits.Rate = profile.Rate
	}
	t.Profile, t.Config, t.Explicit = profile, config, config.Tokens
	t.Absences.of = t
	t.Config.Tokens = standIns(config.Tokens)
	t.Client = clientFor(config, limits)
	t.Limit, t.connect = time.Duration(float64(limits.Request)*limits.Factor), limits.Connect
	t.patience = max(fewestSilent, 2*limits.Jobs)
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
	delete(tokens, Anonymous)
	return tokens
}

// Token is the bearer token of an identity; empty means none.
func (t *Target) Token(identity string) string { return t.Config.Tokens[identity] }

// Facts are what the preflight found out.
type Facts struct {
	AuthEnabled  bool            // anonymous requests are refused, or should be
	instanceOnly bool            // the instance's token is refused where the admin's is taken
	adminRefused bool            // the token that stands in for the admin's is not taken
	instances    map[string]bool // that were there before the run
	NoCard       string          // why there is none that could be read
	CardFinding  *report.Finding // the same
	Foreign      string          // what makes the target look like no executor at all; the verdict says it
	noTasks      string          // what was answered instead of tasks: "GET https://agent.example/v1/tasks answers 404"
	plainCard    bool            // the card declares A2A 1.0 and bears no mark of the profile that was looked for
	silent       bool            // nobody has answered at all
	manages      bool            // an admin surface lists instances, be it none
	marked       bool            // the card bears the mark of another profile
	astray       bool            // the card is that of the origin, and does not speak of the URL that was given
	Older        string          // that the target speaks a version before 1.0, and what to change; the verdict says it
	Unasked      report.Unasked  // why no test can ask it anything
}

// Bugs are mistakes of the harness that came up: the run goes on, and its error says so.
type Bugs struct {
	mu  sync.Mutex
	all []error
}

// Bug notes a mistake of the harness.
func (b *Bugs) Bug(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, err)
}

// Guard is deferred by goroutines of our own, whose panic would take the whole run along.
func (b *Bugs) Guard(doing string) {
	if v := recover(); v != nil {
		b.Bug(fmt.Errorf("bug: while %s: %v\n%s", doing, v, debug.Stack()))
	}
}

// Err is all of them; nil when there are none.
func (b *Bugs) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return errors.Join(b.all...)
}
