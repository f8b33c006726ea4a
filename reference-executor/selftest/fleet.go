// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/fleet"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/mutants"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// agentFleet is what sac is proved with: package fleet.
var agentFleet = &proof{
	profile:     "sac",
	deployments: fleetsAs(fleetSetups),
	faults:      fleet.Faults,
	edited:      fleet.Edited,
	homesOnly:   true,
	leftOut:     "when-present:this-form-of-messages", // a listener takes one
}

// A fleetSetup is one way to set a fleet up.
type fleetSetup struct {
	name   string
	judges func(*suites.Test) bool
	config func(*fleet.Config)
	target func(*runner.Target)

	traffic *mutants.Traffic // stands before the listener and the proxies; nil: nothing does
}

// fleetSetups in the order in which a test looks for its home.
var fleetSetups = []fleetSetup{
	{
		name:   "default",
		judges: func(t *suites.Test) bool { return !t.Applies.Production },
	},
	{
		name:   "production",
		judges: func(t *suites.Test) bool { return t.Applies.Production },
		config: func(c *fleet.Config) {
			made, err := certified()
			if err != nil {
				panic(err) // the machine has no randomness
			}
			c.Certificate = &made.pair
		},
		target: func(t *runner.Target) { t.TLS, t.Production = askedOverTLS(), true },
	},
	{
		name: "speaking envelopes",
		judges: func(t *suites.Test) bool {
			return strings.HasPrefix(t.ID, "SAC-INBOX-") || slices.Contains([]string{"SAC-MSG-003", "SAC-MSG-004", "SAC-MSG-005", "SAC-MSG-006"}, t.ID)
		},
		config: func(c *fleet.Config) { c.Envelopes = true },
	},
}

func fleetsAs(setups []fleetSetup) []deployment {
	all := make([]deployment, len(setups))
	for i, s := range setups {
		all[i] = deployment{
			name: s.name, judges: s.judges,
			serve: func(faults []string, consulted func(point string)) (subject, error) {
				return newFleet(s, faults, consulted)
			},
			behind: func(traffic *mutants.Traffic) (subject, error) {
				mutated := s // the settings of this server alone: others are served at the same time
				mutated.traffic = traffic
				return newFleet(mutated, nil, nil)
			},
		}
	}
	return all
}

// proxiesAsked are the hooks that ask for a proxy.
var proxiesAsked = []string{"agent-proxy", "dead-upstream-proxy", "dirty-upstream-proxy"}

// A fleetSubject is a fleet under test.
type fleetSubject struct {
	setup  fleetSetup
	server *fleet.Server
	served chan error
	fronts map[string]string // the addresses as the run is told them, by those that are served
}

// newFleet sets up a fleet, and serves; behind proxies of traffic, if there is some.
func newFleet(s fleetSetup, faults []string, consulted func(point string)) (*fleetSubject, error) {
	config := fleet.Config{Faults: faults, Consulted: consulted, Keepalive: held(15 * time.Second)}
	if s.config != nil {
		s.config(&config)
	}
	if s.traffic != nil && config.Certificate != nil {
		return nil, errNoProxy
	}
	server, err := fleet.New(config)
	if err != nil {
		return nil, fmt.Errorf("start the fleet: %w", err)
	}
	f := &fleetSubject{setup: s, server: server, served: serve(server), fronts: map[string]string{}}
	server.AwaitProxies() // so that what they ask of their upstreams counts as asked before any test
	for _, own := range f.addresses() {
		if s.traffic == nil {
			f.fronts[own] = own
			continue
		}
		front, err := s.traffic.Front()
		if err != nil {
			f.close()
			return nil, err
		}
		front.To(own, nil)
		f.fronts[own] = front.URL()
	}
	return f, nil
}

// addresses are those of the listener and of the proxies.
func (f *fleetSubject) addresses() []string {
	all := []string{f.server.URL()}
	for _, hook := range proxiesAsked {
		if url, is := f.server.Says(hook)["url"].(string); is {
			all = append(all, url)
		}
	}
	return all
}

// target is the fleet as a run is told of it, with everything that its operator configures.
func (f *fleetSubject) target() runner.Target {
	t := runner.Target{
		ExecutorURL: f.fronts[f.server.URL()],
		AllowHosts:  []string{"127.0.0.1"}, // the proxies listen at ports of their own
		Hooks: map[string]runner.Hook{
			"echo-handler":    {Value: true},
			"inbox-replay":    {Value: true},
			"inbox-keepalive": {Value: true},
			"push-channel":    {Value: true},
			"agent-spec":      {URL: f.server.URL() + fleet.SpecPath, Method: http.MethodPost, Parallel: true},
		},
	}
	for _, hook := range slices.Concat(proxiesAsked, []string{"no-push-channel", "fresh-default-agent", "relaxed-agent", "allowlisted-agent"}) {
		if said := f.server.Says(hook); said != nil {
			if url, is := said["url"].(string); is {
				said["url"] = f.fronts[url]
			}
			t.Hooks[hook] = runner.Hook{Value: said}
		}
	}
	if f.setup.target != nil {
		f.setup.target(&t)
	}
	return t
}

// alike takes out the addresses.
func (f *fleetSubject) alike(text string) string {
	for i, own := range f.addresses() {
		for _, address := range []string{f.fronts[own], own} {
			text = strings.ReplaceAll(text, address, fmt.Sprintf("{address %d}", i))
			_, host, _ := strings.Cut(address, "//")
			text = strings.ReplaceAll(text, host, fmt.Sprintf("{host %d}", i))
		}
	}
	return text
}

func (f *fleetSubject) close() { stop(f.server, f.served) }
