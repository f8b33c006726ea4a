// SPDX-License-Identifier: Apache-2.0

// Package fleet is a small listener of several agents that keeps the contract of the profile sac, or breaks it on request:
// a fleet card, a card for each agent, messages over HTTP+JSON, an inbox that can be read as a stream, and in front of
// agents proxies with cards of their own.
//
// It is written from the documents of the contract alone: it shares no code with the suites or the runner, so that it
// cannot share their mistakes. Every point at which it can be made to break the contract is a member of behaviour;
// conformant() fills in the right behaviour and a fault replaces one part of it. The handlers never ask which faults are on.
//
// The agents are those whose specs are in the folder specs. All of them answer at once with what they were told.
package fleet

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/lawful"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/points"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/port"
)

// Config says how a listener is set up. The zero Config serves all agents and the proxies on free loopback ports.
type Config struct {
	Listen    string        // host:port; empty: 127.0.0.1:0
	PublicURL string        // scheme://host[:port] of the front end that cards declare; empty: the one that is asked for
	Seed      uint64        // of the lawful unpredictability; 0: random
	Far       time.Duration // all that is sent arrives so much later, as from far away
	Faults    []string
	Log       *slog.Logger // nil: nothing is logged

	Token       string        // of the front end, which everything needs; empty: there is none
	Agents      []string      // that are served, of AgentNames; nil: all
	Envelopes   bool          // message:send takes JSON-RPC envelopes in place of HTTP+JSON, as released servers do
	Forgetful   bool          // inboxes keep nothing: no ids, nothing is told again
	Keepalive   time.Duration // of inboxes in which nothing happens; 0: 15s, negative: none
	NoProxies   bool
	Certificate *tls.Certificate // of the listener and the proxies; nil: they speak no TLS

	// Consulted, if set, is called with the name of every point of behaviour that is asked ("inbox.takes"), from many
	// goroutines. Edited says which points a fault changes.
	Consulted func(point string)
}

// A Server is a listener of agents, with the proxies in front of some. Several can live in one process.
type Server struct {
	config  Config
	b       *behaviour
	log     *slog.Logger
	lawful  *lawful.Source
	members []*agent // in the order of their names
	agents  map[string]*agent
	main    *port.Port
	proxies map[string]*proxy // by what they are for

	stopping context.Context // done when Shutdown begins: streams end
	stop     context.CancelFunc
	running  sync.WaitGroup // proxies
	booting  sync.WaitGroup // proxies that have not read the card of their upstream yet
}

// New sets up a server and opens its listeners, so that their URLs are known; Serve answers.
func New(c Config) (*Server, error) {
	c.PublicURL = strings.TrimSuffix(c.PublicURL, "/")
	if c.Keepalive == 0 {
		c.Keepalive = 15 * time.Second
	}
	b := conformant()
	if c.Envelopes {
		speakEnvelopes(b)
	}
	if err := faults.Break(b, c.Faults); err != nil {
		return nil, err
	}
	if c.Consulted != nil {
		points.Watch(b, c.Consulted)
	}
	for c.Seed == 0 {
		c.Seed = rand.Uint64()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{config: c, b: b, log: c.Log, lawful: lawful.New(c.Seed), agents: map[string]*agent{}, proxies: map[string]*proxy{}}
	if err := s.employ(); err != nil {
		return nil, err
	}
	s.stopping, s.stop = context.WithCancel(context.Background())
	var err error
	if s.main, err = s.open(c.Listen, s); err == nil && !c.NoProxies {
		err = s.openProxies()
	}
	if err != nil {
		return nil, errors.Join(err, s.Shutdown(context.Background()))
	}
	s.booting.Add(len(s.proxies))
	return s, nil
}

// AgentNames are the names of the agents that can be served.
func AgentNames() []string {
	specs, err := readSpecs()
	if err != nil {
		panic("bug: " + err.Error()) // they are part of the program
	}
	all := make([]string, len(specs))
	for i, one := range specs {
		all[i] = one.Metadata.Name
	}
	return all
}

// employ makes the agents of their specs.
func (s *Server) employ() error {
	specs, err := readSpecs()
	if err != nil {
		return err
	}
	known := AgentNames()
	for _, name := range s.config.Agents {
		if !slices.Contains(known, name) {
			return fmt.Errorf("no agent %q%s, want one of %s", name, points.Suggest(name, known), strings.Join(known, ", "))
		}
	}
	for _, one := range specs {
		name := one.Metadata.Name
		if s.config.Agents == nil || slices.Contains(s.config.Agents, name) {
			a := &agent{name: name, spec: one, inbox: &inbox{}}
			s.members, s.agents[name] = append(s.members, a), a
		}
	}
	return nil
}

// Serve answers requests until Shutdown.
func (s *Server) Serve() error {
	for _, p := range s.proxies {
		go func() { // Shutdown ends it, and may have begun to wait for what runs
			p.boot()
			s.booting.Done()
			if err := p.listener.Serve(); err != nil {
				s.log.Error("a proxy is not served", "proxy", p.name, "error", err)
			}
		}()
	}
	return s.main.Serve()
}

// AwaitProxies waits until each proxy has read the card of its upstream, or could not, which takes five seconds at most once
// the server is served. What they have read then they keep.
func (s *Server) AwaitProxies() { s.booting.Wait() }

// Shutdown ends streams, and waits for what is being answered. The proxies end first: a connection of theirs on which nothing
// was asked yet would hold up the listener for seconds.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	var errs []error
	for _, p := range s.proxies {
		errs = append(errs, p.listener.Shutdown(ctx))
	}
	s.running.Wait()
	for _, p := range s.proxies {
		p.client.CloseIdleConnections()
	}
	if s.main != nil {
		errs = append(errs, s.main.Shutdown(ctx))
	}
	return errors.Join(errs...)
}

// URL is where the listener is, without a slash at its end.
func (s *Server) URL() string { return s.main.Root }

// Seed is the seed of the lawful unpredictability.
func (s *Server) Seed() uint64 { return s.config.Seed }

// open brings up a port.
func (s *Server) open(address string, handler http.Handler) (*port.Port, error) {
	return port.Open(port.Options{Address: address, Certificate: s.config.Certificate, Far: s.config.Far, Log: s.log}, handler)
}
