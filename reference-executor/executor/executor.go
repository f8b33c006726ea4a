// SPDX-License-Identifier: Apache-2.0

// Package executor is a small agentic-sandbox v2 executor that keeps the contract, or breaks it on request.
//
// It is written from the contract alone: it shares no code with the suites, the runner or the vocabulary, so that it
// cannot share their mistakes. Every point at which it can be made to break the contract is a member of behaviour;
// conformant() fills in the right behaviour and a fault replaces one part of it. The handlers never ask which faults are
// on.
//
// It is correct but unaccommodating: fresh ids, shuffled JSON members, odd but lawful white space and chunking, so that
// suites cannot be fitted to it. The seed of those choices can be given.
package executor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/far"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/lawful"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/points"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/port"
)

// Config says how an executor is set up. The zero Config is a conformant one without credentials, in memory, on a free
// loopback port.
type Config struct {
	Listen        string // host:port; empty: 127.0.0.1:0
	Profile       string // empty: "agentic-sandbox-v2"
	Token         string // opens the instances' A2A and attach surfaces; with none, and no AdminToken, there is no auth
	AdminToken    string // opens everything
	AdminApart    bool   // AdminToken opens no A2A surface: that is for Token alone
	OperatorToken string // valid, but without admin rights
	ObserveToken  string // attach with scope pty:observe only
	ForeignToken  string // a valid principal with no right to any session
	Data          string // folder for the database and keys; empty: in memory
	Seed          uint64 // of the lawful unpredictability; 0: random
	Faults        []string
	Liberties     []string      // what the contract leaves free and is done otherwise
	Far           time.Duration // all that it sends arrives so much later, as from far away
	PublicURL     string        // scheme://host[:port] that the cards declare; empty: the listener's own
	SunsetDate    string        // AIWG_V1_SUNSET_DATE
	Heartbeat     time.Duration // of idle event streams; 0: 15s
	Ping          time.Duration // between WebSocket pings; 0: 30s
	Reap          time.Duration // a connection without pong for so long is ended; 0: 90s
	Log           *slog.Logger  // nil: nothing is logged

	EnforceExtensions bool // messages:send wants the required extensions activated, as v2.1 will

	AttachPayload bool // cards are signed by a compact JWS that carries what it signs
	JSONRPC       bool // instances speak JSON-RPC as well, and their cards declare it

	ArtifactReads int // how often a second the artifacts of an instance may be listed; more is refused with 429; 0: no limit

	SecondToken      string        // opens the second instance only, and Token then opens the first only
	IdempotencyTTL   time.Duration // how long messages:send remembers; 0: 24h
	KeyframeInterval time.Duration // of terminals, which the cards declare; 0: 5s
	MaxControllers   int           // of a session, which the cards declare; 0: 1
	PTYDialect       string        // what attached clients speak instead of pty-ws/v1: "compact", which breaks the contract; empty: pty-ws/v1
	RetryPause       time.Duration // before the first repetition of a push delivery, then doubled; 0: 1s

	Certificate *tls.Certificate // the listener speaks TLS; nil: plain HTTP
	ClientCAs   *x509.CertPool   // attaching needs a client certificate of one of these; nil: none
	PlainListen string           // host:port of a listener without TLS beside, which leads to the other one; empty: none

	Deliveries Deliveries // stands between the executor and webhooks; nil: nothing does

	// Consulted, if set, is called with the name of every point of behaviour that is asked ("tasks.cancel"), from many
	// goroutines. Edited says which points a fault changes.
	Consulted func(point string)
}

// An Executor serves the contract over HTTP. Several can live in one process.
type Executor struct {
	config  Config
	b       *behaviour
	log     *slog.Logger
	lawful  *lawful.Source
	seed    uint64
	started time.Time

	store    *store
	router   *router
	metrics  metrics
	agenda   *agenda
	push     *pusher
	flights  flights
	admin    *admin
	pty      *pty.Hub
	server   *http.Server
	listener net.Listener
	beside   *plainListener // nil: none
	root     string

	work     sync.Mutex // serialises what happens to tasks, and guards watchers
	watchers watchers

	instances *instances
	pair      [2]string // the two the executor began with

	gone []func(*instance) // called when the runtime of an instance has gone away; set before Serve

	stopping context.Context // done when Shutdown begins: streams end
	stop     context.CancelFunc
}

// New sets up an executor and opens its listener, so that its URL is known; Serve answers.
func New(c Config) (*Executor, error) {
	if c.Profile != "" && c.Profile != "agentic-sandbox-v2" {
		return nil, fmt.Errorf("no profile %q, want agentic-sandbox-v2", c.Profile)
	}
	b := conformant()
	if err := liberties.Take(b, c.Liberties); err != nil {
		return nil, err
	}
	if err := faults.Break(b, c.Faults); err != nil {
		return nil, err
	}
	if err := b.pty.Speak(c.PTYDialect); err != nil {
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
	e := &Executor{
		config: c, b: b, log: c.Log, lawful: lawful.New(c.Seed), seed: c.Seed, started: time.Now(),
		agenda: newAgenda(), watchers: watchers{},
	}
	e.instances = newInstances(e)
	e.stopping, e.stop = context.WithCancel(context.Background())
	if err := e.open(); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

// open brings up everything that needs closing.
func (e *Executor) open() error {
	var err error
	listen := e.config.Listen
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	if e.listener, err = net.Listen("tcp", listen); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if e.config.Far > 0 {
		e.listener = far.Listener(e.listener, e.config.Far)
	}
	e.root = "http://" + e.listener.Addr().String()
	if err := e.secure(); err != nil {
		return err
	}
	e.root += e.b.transport.below()
	if e.store, err = openStore(e.config.Data); err != nil {
		return err
	}
	e.push = newPusher(e)
	e.admin = newAdmin(e)
	if err := e.instances.open(); err != nil {
		return err
	}
	copy(e.pair[:], e.instances.order)
	if err := e.openTerminals(); err != nil {
		return err
	}
	e.router = e.routes()
	e.server = &http.Server{
		Handler:           e,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(e.log.Handler(), slog.LevelDebug),
	}
	port.CloseUnasked(e.server)
	return e.resumeTasks()
}

// Serve answers requests until Shutdown.
func (e *Executor) Serve() error {
	if err := e.server.Serve(e.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Shutdown ends streams and connections, waits for what is being done, and closes the store.
func (e *Executor) Shutdown(ctx context.Context) error {
	e.stop()
	e.push.stop()
	e.shutTerminals()
	err := e.server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, e.server.Close())
	}
	return errors.Join(err, e.close())
}

func (e *Executor) close() error {
	e.stop()
	e.shutTerminals()
	e.agenda.close()
	if e.push != nil {
		e.push.close()
	}
	var err error
	if e.beside != nil {
		err = e.beside.server.Close()
	}
	if e.listener != nil {
		if closed := e.listener.Close(); !errors.Is(closed, net.ErrClosed) {
			err = errors.Join(err, closed)
		}
	}
	if e.store != nil {
		err = errors.Join(err, e.store.close())
	}
	return err
}

// URL is the deployment root, without a slash at its end.
func (e *Executor) URL() string { return e.root }

// InstanceURLs are the base URLs of the instances, the oldest first.
func (e *Executor) InstanceURLs() []string {
	all := e.instances.all()
	urls := make([]string, len(all))
	for i, in := range all {
		urls[i] = e.root + "/agents/" + in.ID
	}
	return urls
}

// Seed is the seed of the lawful unpredictability; giving it to another executor repeats the choices.
func (e *Executor) Seed() uint64 { return e.seed }

// origin is the root without a path.
func (e *Executor) origin() string { return strings.TrimSuffix(e.root, e.b.transport.below()) }

// within is a path as it is below the root; one that is elsewhere leads to nothing.
func (e *Executor) within(path string) string {
	below := e.b.transport.below()
	if below == "" {
		return path
	}
	if inside, is := strings.CutPrefix(path, below); is && strings.HasPrefix(inside, "/") {
		return inside
	}
	return "/"
}

// public is the root that cards and lists declare.
func (e *Executor) public() string {
	if e.config.PublicURL != "" {
		return strings.TrimSuffix(e.config.PublicURL, "/")
	}
	return e.root
}

// Main runs an executor until ctx is done. It prints one line on stdout once it accepts connections. What c leaves open
// is taken from the environment that the contract names: AIWG_V1_SUNSET_DATE and AIWG_IDEMPOTENCY_TTL.
func Main(ctx context.Context, c Config, stdout io.Writer) error {
	if c.SunsetDate == "" {
		c.SunsetDate = os.Getenv("AIWG_V1_SUNSET_DATE")
	}
	if seconds, err := strconv.Atoi(os.Getenv("AIWG_IDEMPOTENCY_TTL")); err == nil && seconds > 0 && c.IdempotencyTTL == 0 {
		c.IdempotencyTTL = time.Duration(seconds) * time.Second
	}
	e, err := New(c)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- e.Serve() }()
	if _, err := fmt.Fprintf(stdout, "reference-executor ready: %s\n", e.InstanceURLs()[0]); err != nil {
		return errors.Join(err, e.Shutdown(ctx))
	}
	select {
	case err := <-served:
		return errors.Join(err, e.close())
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(e.Shutdown(limit), <-served)
}
