// SPDX-License-Identifier: Apache-2.0

// Package remoteruntime is a stand-in for the remote runtime that an OpenHands app server starts its sandboxes with, so that what is
// said of sandboxes can be measured on a machine without containers. The app server is told of it with RUNTIME=remote,
// SANDBOX_REMOTE_RUNTIME_API_URL, the URL of the stand-in, and SANDBOX_API_KEY, its key.
//
// It starts nothing: a runtime is a record that is pending for a while and then ready. Its agent server is a stand-in too: it takes
// conversations and never works on them, acknowledges every command and runs none, and records what it is asked.
package remoteruntime

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/port"
)

// Config says how a stand-in is set up. The zero Config serves on a free loopback port, to everybody.
type Config struct {
	Listen    string        // host:port; empty: 127.0.0.1:0
	PublicURL string        // scheme://host[:port] at which agent servers are reached; empty: the listener's own
	Key       string        // that X-API-Key has to be; empty: nobody is asked for one
	Pending   time.Duration // until a runtime that was started or resumed is ready; 0: 2s, negative: at once
	ShowKeys  bool          // the session key of a runtime is told while it does not run, too
	Log       *slog.Logger  // nil: nothing is logged
}

// A Server is a remote runtime without runtimes. Several can live in one process.
type Server struct {
	config Config
	log    *slog.Logger
	root   string
	net    net.Listener
	http   *http.Server

	mu       sync.Mutex
	runtimes map[string]*runtime // by session id
	made     int
	recorded []any // of the agent servers
}

// maxBody is how long a request may be.
const maxBody = 1 << 20

// New sets up a stand-in and opens its listener, so that its URL is known; Serve answers.
func New(c Config) (*Server, error) {
	switch {
	case c.Pending == 0:
		c.Pending = 2 * time.Second
	case c.Pending < 0:
		c.Pending = 0
	}
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	at, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s := &Server{config: c, log: c.Log, net: at, root: "http://" + at.Addr().String(), runtimes: map[string]*runtime{}}
	s.http = &http.Server{
		Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	return s, nil
}

// routes are those of the runtime API, of the agent servers, and of the operator.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /start", s.guarded(s.start))
	mux.HandleFunc("GET /sessions/{id}", s.guarded(s.session))
	mux.HandleFunc("POST /pause", s.guarded(s.moved((*runtime).pause)))
	mux.HandleFunc("POST /resume", s.guarded(s.moved((*runtime).resume)))
	mux.HandleFunc("POST /stop", s.guarded(s.moved((*runtime).stop)))
	mux.HandleFunc("GET /list", s.guarded(s.list))
	mux.HandleFunc("GET /alive", func(w http.ResponseWriter, _ *http.Request) { tell(w, http.StatusOK, object{"status": "ok"}) })
	mux.HandleFunc(OperatorPath+"agent-double", s.double)
	mux.HandleFunc(OperatorPath+"stop/{id}", s.stopBySession)
	mux.HandleFunc(agentPath+"{id}/", s.agent)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, "Not Found") })
	return mux
}

// guarded asks for the key.
func (s *Server) guarded(handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if key := s.config.Key; key != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get("X-API-Key")), []byte(key)) != 1 {
			refuse(w, http.StatusUnauthorized, "X-API-Key is not the key of this runtime")
			return
		}
		handle(w, r)
	}
}

// Serve answers requests until Shutdown.
func (s *Server) Serve() error {
	if err := s.http.Serve(s.net); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Shutdown waits for what is being answered.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	if closed := s.net.Close(); !errors.Is(closed, net.ErrClosed) {
		err = errors.Join(err, closed)
	}
	return err
}

// URL is where the runtime API is, without a slash at its end.
func (s *Server) URL() string { return s.root }

// public is where agent servers are reached.
func (s *Server) public() string {
	if s.config.PublicURL != "" {
		return strings.TrimSuffix(s.config.PublicURL, "/")
	}
	return s.root
}

// Main runs a stand-in until ctx is done. It prints one line on stdout once it accepts connections.
func Main(ctx context.Context, c Config, stdout io.Writer) error {
	s, err := New(c)
	if err != nil {
		return err
	}
	return port.Run(ctx, s, stdout)
}

// object is a JSON object as encoding/json reads it.
type object = map[string]any

func tell(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func refuse(w http.ResponseWriter, status int, why string) { tell(w, status, object{"detail": why}) }

// read is the JSON object of a request; nil: it has none.
func read(r *http.Request) object {
	text, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	var o object
	if err != nil || json.Unmarshal(text, &o) != nil {
		return nil
	}
	return o
}
