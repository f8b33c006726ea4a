// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/appserver"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/mutants"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// openHands is what openhands-v1 is proved with: package appserver.
var openHands = &proof{
	profile:     "openhands-v1",
	deployments: appServersAs(appServerSetups),
	faults:      appserver.Faults,
	edited:      appserver.Edited,
	homesOnly:   true,
}

// An appServerSetup is one way to set an app server up.
type appServerSetup struct {
	name   string
	judges func(*suites.Test) bool
	config func(*appserver.Config)
	target func(*runner.Target)

	traffic *mutants.Traffic // stands before the server; nil: nothing does
}

// appServerSetups in the order in which a test looks for its home.
var appServerSetups = []appServerSetup{
	{
		name:   "two users",
		judges: func(t *suites.Test) bool { return !t.Applies.Production },
		config: func(c *appserver.Config) { c.Token, c.SecondToken = "token-of-the-first", "token-of-the-second" },
		target: func(t *runner.Target) {
			t.Tokens = map[string]string{"instance": "token-of-the-first", "foreign": "token-of-the-second"}
		},
	},
	{
		name:   "without a login",
		judges: func(t *suites.Test) bool { return !t.Applies.Production },
	},
}

func appServersAs(setups []appServerSetup) []deployment {
	all := make([]deployment, len(setups))
	for i, s := range setups {
		all[i] = deployment{
			name: s.name, judges: s.judges,
			serve: func(faults []string, consulted func(point string)) (subject, error) {
				return newAppServer(s, faults, consulted)
			},
			behind: func(traffic *mutants.Traffic) (subject, error) {
				mutated := s // the settings of this server alone: others are served at the same time
				mutated.traffic = traffic
				return newAppServer(mutated, nil, nil)
			},
		}
	}
	return all
}

// An appServerSubject is an app server under test.
type appServerSubject struct {
	setup  appServerSetup
	server *appserver.Server
	served chan error
	front  string // the address as the run is told it
}

// newAppServer sets up an app server, and serves; behind a proxy of traffic, if there is some.
func newAppServer(s appServerSetup, faults []string, consulted func(point string)) (*appServerSubject, error) {
	config := appserver.Config{Faults: faults, Consulted: consulted, NoRateLimit: true, Step: held(time.Second)}
	if s.config != nil {
		s.config(&config)
	}
	if s.traffic != nil && config.Certificate != nil {
		return nil, errNoProxy
	}
	server, err := appserver.New(config)
	if err != nil {
		return nil, fmt.Errorf("start the app server: %w", err)
	}
	a := &appServerSubject{setup: s, server: server, served: serve(server), front: server.URL()}
	if s.traffic != nil {
		front, err := s.traffic.Front()
		if err != nil {
			a.close()
			return nil, err
		}
		front.To(server.URL(), nil)
		a.front = front.URL()
	}
	return a, nil
}

// target is the server as a run is told of it, with everything that its operator configures.
func (a *appServerSubject) target() runner.Target {
	t := runner.Target{ExecutorURL: a.front, AllowHosts: []string{"127.0.0.1"}, Hooks: map[string]runner.Hook{}}
	for _, hook := range appserver.Hooks() {
		t.Hooks[hook] = runner.Hook{URL: a.server.URL() + appserver.OperatorPath + hook, Method: http.MethodPost, Parallel: true}
	}
	for _, hook := range appserver.Told() {
		t.Hooks[hook] = runner.Hook{Value: a.server.Says(hook, nil)}
	}
	if a.setup.target != nil {
		a.setup.target(&t)
	}
	return t
}

// alike takes out the addresses.
func (a *appServerSubject) alike(text string) string {
	for _, address := range []string{a.front, a.server.URL()} {
		text = strings.ReplaceAll(text, address, "{address}")
		_, host, _ := strings.Cut(address, "//")
		text = strings.ReplaceAll(text, host, "{host}")
	}
	return text
}

func (a *appServerSubject) close() { stop(a.server, a.served) }
