// SPDX-License-Identifier: Apache-2.0

// Package appserver is a small app server that keeps the contract of the profile openhands-v1, or breaks it on request: the V1
// REST API under /api/v1 with conversations, start tasks, events, sandboxes and webhooks, the legacy routes beside it, and the
// OpenAPI document of what is served.
//
// It is written from the documents of the contract alone: it shares no code with the suites or the runner, so that it
// cannot share their mistakes. Every point at which it can be made to break the contract is a member of behaviour;
// conformant() fills in the right behaviour and a fault replaces one part of it. The handlers never ask which faults are on.
//
// No container is started: a sandbox is a record that moves through its states, and the agent server of all of them is a
// stand-in at a port of its own, which records what it is asked.
package appserver

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/lawful"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/points"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/port"
)

// Config says how an app server is set up. The zero Config is the open-source default: no login, one implicit user.
type Config struct {
	Listen    string        // host:port; empty: 127.0.0.1:0
	PublicURL string        // scheme://host[:port] of the front end, which sandboxes are told; empty: the listener's own
	Seed      uint64        // of the lawful unpredictability; 0: random
	Far       time.Duration // all that is sent arrives so much later, as from far away
	Faults    []string
	Log       *slog.Logger // nil: nothing is logged

	Token       string // of the first user; empty: there is no login
	SecondToken string // of the second user
	ThirdToken  string // of the third user
	SharedOrg   bool   // the first user and the third are members of one organization that is active for both; the second is not
	LoginCookie string // the tokens are shown in this cookie; empty: as bearer tokens

	SessionKey  string        // that everybody needs as X-Session-API-Key; empty: there is none
	Older       bool          // without the parameters and members that are younger than the rest
	Later       bool          // events, and what sandboxes tell, are where the layout of 2026 has them
	NoV1        bool          // only the legacy routes are mounted
	FrontEnd    bool          // an unrouted GET answers the page of the web front end
	NoRateLimit bool          // nobody is delayed or refused for asking often
	Empty       bool          // it begins without conversations, start tasks, events and sandboxes
	Step        time.Duration // how long a state of a start or of a sandbox lasts; 0: 200ms
	Data        string        // folder in which events are stored; empty: they are in memory only
	Certificate *tls.Certificate

	// Consulted, if set, is called with the name of every point of behaviour that is asked ("page.limit"), from many
	// goroutines. Edited says which points a fault changes.
	Consulted func(point string)
}

// A Server is an app server with its stand-in for agent servers, and a second listener on which V1 is switched off. Several can
// live in one process.
type Server struct {
	config  Config
	b       *behaviour
	log     *slog.Logger
	lawful  *lawful.Source
	users   []*user
	store   store
	routes  []route
	secrets *keyring
	traffic visitors
	batches atomic.Int64 // of sandboxes, so far

	main   *port.Port
	double *double
	old    *port.Port // V1 is off there; nil: this very server has no V1
	client *http.Client

	stopping context.Context // done when Shutdown begins: streams end
	stop     context.CancelFunc
	running  sync.WaitGroup // starts that go on, and the other listeners
}

// New sets up a server and opens its listeners, so that their URLs are known; Serve answers.
func New(c Config) (*Server, error) {
	c.PublicURL = strings.TrimSuffix(c.PublicURL, "/")
	if c.Step == 0 {
		c.Step = 200 * time.Millisecond
	}
	b := conformant()
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
	s := &Server{
		config: c, b: b, log: c.Log, lawful: lawful.New(c.Seed), secrets: newKeyring(),
		client: &http.Client{Transport: &http.Transport{Proxy: nil, MaxIdleConnsPerHost: 8}, Timeout: 10 * time.Second},
	}
	s.users = usersOf(c)
	s.routes = served(!c.NoV1, c.Later)
	s.stopping, s.stop = context.WithCancel(context.Background())
	if err := s.openAll(); err != nil {
		return nil, errors.Join(err, s.Shutdown(context.Background()))
	}
	if err := s.store.begin(c.Data); err != nil {
		return nil, errors.Join(err, s.Shutdown(context.Background()))
	}
	if !c.Empty {
		s.furnish()
	}
	return s, nil
}

// openAll opens all listeners.
func (s *Server) openAll() error {
	var err error
	if s.main, err = s.open(s.config.Listen, s, s.config.Certificate); err != nil {
		return err
	}
	if s.double, err = s.openDouble(); err != nil || s.config.NoV1 {
		return err
	}
	s.old, err = s.open("", http.HandlerFunc(s.withoutV1), nil)
	return err
}

// Serve answers requests until Shutdown.
func (s *Server) Serve() error {
	for _, other := range []*port.Port{s.double.listener, s.old} {
		if other != nil {
			go func() { // Shutdown ends it, and may have begun to wait for what runs
				if err := other.Serve(); err != nil {
					s.log.Error("a listener beside the server is not served", "url", other.Root, "error", err)
				}
			}()
		}
	}
	return s.main.Serve()
}

// Shutdown ends streams and starts, and waits for what is being answered.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	var errs []error
	for _, l := range []*port.Port{s.main, s.double.its(), s.old} {
		if l != nil {
			errs = append(errs, l.Shutdown(ctx))
		}
	}
	s.running.Wait()
	s.client.CloseIdleConnections()
	return errors.Join(errs...)
}

// URL is the origin of the server, without a slash at its end.
func (s *Server) URL() string { return s.main.Root }

// Seed is the seed of the lawful unpredictability.
func (s *Server) Seed() uint64 { return s.config.Seed }

// open brings up a port.
func (s *Server) open(address string, handler http.Handler, certificate *tls.Certificate) (*port.Port, error) {
	return port.Open(port.Options{Address: address, Certificate: certificate, Far: s.config.Far, Log: s.log}, handler)
}
