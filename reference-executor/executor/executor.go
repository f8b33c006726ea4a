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
	"log/slog"
	"time"
)

// Config says how an executor is set up. The zero Config is a conformant one without credentials, in memory, on a free
// loopback port.
type Config struct {
	Listen        string // host:port; empty: 127.0.0.1:0
	Profile       string // empty: "agentic-sandbox-v2"
	Token         string // opens the instances' A2A and attach surfaces; with none, and no AdminToken, there is no auth
	AdminToken    string // opens everything
	OperatorToken string // valid, but without admin rights
	ObserveToken  string // attach with scope pty:observe only
	ForeignToken  string // a valid principal with no right to any session
	Data          string // folder for the database and keys; empty: in memory
	Seed          uint64 // of the lawful unpredictability; 0: random
	Faults        []string
	PublicURL     string        // scheme://host[:port] that the cards declare; empty: the listener's own
	SunsetDate    string        // AIWG_V1_SUNSET_DATE
	Heartbeat     time.Duration // of idle event streams; 0: 15s
	Ping          time.Duration // between WebSocket pings; 0: 30s
	Reap          time.Duration // a connection without pong for so long is ended; 0: 90s
	Log           *slog.Logger  // nil: nothing is logged
}
