// SPDX-License-Identifier: Apache-2.0

// Package porttest has the reference servers answer in tests. No program imports it.
package porttest

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/port"
)

// Limit is how long anything may take that a test waits for.
const Limit = 10 * time.Second

// Serve has a server answer until the test is over. That it does not end well fails the test.
func Serve(t *testing.T, s port.Server) {
	t.Helper()
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), Limit)
		defer cancel()
		http.DefaultClient.CloseIdleConnections()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}
