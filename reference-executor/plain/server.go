// SPDX-License-Identifier: Apache-2.0

// Package plain is a small A2A 1.0 server over HTTP+JSON, JSON-RPC and gRPC that keeps the protocol, or breaks it on request.
//
// It is written from the protocol alone: it shares no code with the suites or the runner, so that it cannot share their
// mistakes. Every point at which it can be made to break the protocol is a member of behaviour; conformant() fills in the
// right behaviour and a fault replaces one part of it. The handlers never ask which faults are on.
//
// Both bindings lead to the same operations: a binding makes a call of a request, and an answer of its outcome. Tasks,
// event streams and push configurations are kept once. What the server says goes through the points of outputBehaviour
// before it is encoded.
//
// The agent behind it is told by the text of a message what to do: "scenario: completed", "scenario: long-running" and so
// on (agent.go); any other text is echoed.
package plain

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/far"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/lawful"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/points"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/port"
)

// The bindings that a server can declare and serve.
const (
	BindingREST = "HTTP+JSON"
	BindingRPC  = "JSONRPC"
)

// Config says how a server is set up. The zero Config declares and serves everything that needs no credentials, on a free
// loopback port.
type Config struct {
	Listen    string        // host:port; empty: 127.0.0.1:0
	Far       time.Duration // all that it sends over HTTP arrives so much later, as from far away
	PublicURL string        // scheme://host[:port] that the card declares; empty: the listener's own
	Seed      uint64        // of the lawful unpredictability; 0: random
	Faults    []string
	Liberties []string     // what the protocol leaves free and is done otherwise
	Log       *slog.Logger // nil: nothing is logged

	Bindings   []string // declared and served, the preferred one first; nil: HTTP+JSON, JSONRPC
	Undeclared []string // of Declarable: not declared, and refused as the protocol says

	Token        string // opens everything; with none there is no security, and no extended card
	SecondToken  string // another principal, with tasks of its own
	LimitedToken string // a principal that may read only

	RequiredExtension bool   // one of the extensions is required
	Legacy            bool   // declares and speaks 0.3 over JSON-RPC as well, at the same url
	Only03            bool   // speaks 0.3 over JSON-RPC only, with a card of 0.3
	Tenant            string // that the interfaces declare

	Work               time.Duration // how long long-running work takes; 0: 3.5s. Other work takes a share of it.
	Certificate        *tls.Certificate
	AllowLoopbackHooks bool          // webhooks may be on this machine
	WebhookTimeout     time.Duration // of an attempt; 0: 10s
	EmptyDeletions     bool          // deletions are answered with 204 and no body, which is as lawful as 200 with {}
	OddIDs             bool          // ids have characters that an address has to escape
	LastSnapshot       time.Duration // how long after its end the Task is shown once more in its streams; 0: never
	CardMoved          int           // 307 or 308: the card is behind a redirect of that status; 0: it is where it is asked for

	Deliver func(transport http.RoundTripper, request *http.Request) (*http.Response, error) // sends to webhooks; nil: the transport does

	// Consulted, if set, is called with the name of every point of behaviour that is asked ("tasks.cancels"), from many
	// goroutines. Edited says which points a fault changes.
	Consulted func(point string)
}

// Declarable is what a Config can leave undeclared.
var Declarable = []string{"streaming", "pushNotifications", "extendedAgentCard", "extensions", "signatures", "provider", "security"}

// A Server serves the protocol over HTTP. Several can live in one process.
type Server struct {
	config   Config
	b        *behaviour
	log      *slog.Logger
	lawful   *lawful.Source
	signer   *signer
	tokens   tokens
	hooks    *hooks
	server   *http.Server
	listener net.Listener
	grpc     *grpcServer // nil: the binding is not served
	root     string

	mu    sync.Mutex // guards what follows, and every task and configuration in it
	tasks map[string]*task
	push  map[string][]*pushConfig // by task

	made sync.Map // cards that were signed and encoded, by their digest

	stopping context.Context // done when Shutdown begins: streams and work end
	stop     context.CancelFunc
	running  sync.WaitGroup // work of the agent
}

// New sets up a server and opens its listener, so that its URL is known; Serve answers.
func New(c Config) (*Server, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	b := conformant()
	if c.OddIDs {
		makeOddIDs(b)
	}
	if err := liberties.Take(b, c.Liberties); err != nil {
		return nil, err
	}
	err := faults.Break(b, c.Faults)
	if err != nil {
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
	s := &Server{config: c, b: b, log: c.Log, lawful: lawful.New(c.Seed), tasks: map[string]*task{}, push: map[string][]*pushConfig{}}
	if s.signer, err = newSigner(s.lawful); err != nil {
		return nil, err
	}
	s.tokens = newTokens()
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.hooks = newHooks(s)
	if err := s.open(); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// check fills in what the Config leaves open and refuses what it cannot mean.
func (c *Config) check() error {
	if c.Bindings == nil {
		c.Bindings = []string{BindingREST, BindingRPC}
	}
	for _, name := range c.Bindings {
		switch {
		case name == BindingREST, name == BindingRPC, name == BindingGRPC && ServesGRPC:
		case name == BindingGRPC:
			return errors.New("this build does not serve the binding GRPC; one without the tag nogrpc does")
		default:
			return fmt.Errorf("no binding %q, want %s, %s or %s", name, BindingREST, BindingRPC, BindingGRPC)
		}
	}
	for _, name := range c.Undeclared {
		if !slices.Contains(Declarable, name) {
			return fmt.Errorf("%q is not what a card declares, want one of %s", name, strings.Join(Declarable, ", "))
		}
	}
	switch {
	case len(c.Bindings) == 0:
		return errors.New("a server needs a binding")
	case (c.Legacy || c.Only03) && !slices.Contains(c.Bindings, BindingRPC):
		return errors.New("version 0.3 is spoken over JSON-RPC, which is not among the bindings")
	case c.Token == "" && (c.SecondToken != "" || c.LimitedToken != ""):
		return errors.New("a second or limited token needs a first one")
	case c.CardMoved != 0 && c.CardMoved != http.StatusTemporaryRedirect && c.CardMoved != http.StatusPermanentRedirect:
		return fmt.Errorf("a card cannot move with status %d, only with 307 or 308", c.CardMoved)
	case c.Work < 0 || c.LastSnapshot < 0 || c.WebhookTimeout < 0:
		return errors.New("a duration is negative")
	}
	if c.Work == 0 {
		c.Work = 3500 * time.Millisecond
	}
	if c.WebhookTimeout == 0 {
		c.WebhookTimeout = 10 * time.Second
	}
	c.PublicURL = strings.TrimSuffix(c.PublicURL, "/")
	return nil
}

// open brings up the listener.
func (s *Server) open() error {
	listen := s.config.Listen
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	var err error
	if s.listener, err = net.Listen("tcp", listen); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if s.config.Far > 0 {
		s.listener = far.Listener(s.listener, s.config.Far)
	}
	s.listener = s.b.http.accepts(s.listener)
	s.root = "http://" + s.listener.Addr().String()
	if s.config.Certificate != nil {
		s.root = "https://" + s.listener.Addr().String()
		s.listener = tls.NewListener(s.listener, s.b.security.tls(&tls.Config{
			Certificates: []tls.Certificate{*s.config.Certificate},
			MinVersion:   tls.VersionTLS12,
			NextProtos:   []string{"http/1.1"},
		}))
	}
	s.root += s.b.http.below()
	s.server = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connection{}, conn)
		},
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	port.CloseUnasked(s.server)
	if s.serves(BindingGRPC) {
		if s.grpc, err = openGRPC(s); err != nil {
			return errors.Join(err, s.listener.Close())
		}
	}
	return nil
}

// Serve answers requests until Shutdown.
func (s *Server) Serve() error {
	if s.grpc != nil {
		go func() { // Shutdown ends it, and may have begun to wait for what runs
			if err := s.grpc.serve(); err != nil {
				s.log.Error("gRPC is not served", "error", err)
			}
		}()
	}
	if err := s.server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Shutdown ends streams, work and deliveries, and waits for what is being answered.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	if s.grpc != nil {
		s.grpc.shutdown(ctx)
	}
	err := s.server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.server.Close())
	}
	if closed := s.listener.Close(); !errors.Is(closed, net.ErrClosed) {
		err = errors.Join(err, closed)
	}
	s.running.Wait()
	s.hooks.close()
	return err
}

// URL is where the server listens, without a slash at its end.
func (s *Server) URL() string { return s.root }

// CardURL is where its card is.
func (s *Server) CardURL() string { return s.root + wellKnown }

// Seed is the seed of the lawful unpredictability.
func (s *Server) Seed() uint64 { return s.config.Seed }

// public is the root that cards declare.
func (s *Server) public() string {
	if s.config.PublicURL != "" {
		return s.config.PublicURL
	}
	return s.root
}

// serves says whether a binding is declared and served.
func (s *Server) serves(binding string) bool { return slices.Contains(s.config.Bindings, binding) }

// declares says whether the Config lets the card declare something of Declarable.
func (s *Server) declares(what string) bool {
	if slices.Contains(s.config.Undeclared, what) {
		return false
	}
	switch what {
	case "security":
		return s.config.Token != ""
	case "extendedAgentCard": // without credentials nobody could be told from the public
		return s.declares("security")
	}
	return true
}
