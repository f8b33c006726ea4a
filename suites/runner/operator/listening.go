// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"net"
	"net/url"
	"syscall"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

const (
	// StartTime is how long an executor that a hook has started may take until it listens. One that has not by then is one that does not
	// start, which may be the very thing that is judged.
	StartTime = 10 * time.Second
	lookEvery = 50 * time.Millisecond
)

// Listening waits until the executor whose url a hook has answered with listens, StartTime at most: a script may end before what it
// has started in the background does. It does not wait where nothing is refused, and of an answer without a url.
func Listening(ctx context.Context, result any) {
	address, _ := readers.Member(result, "url").(string)
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	ctx, cancel := context.WithTimeout(ctx, StartTime)
	defer cancel()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
		if err == nil {
			conn.Close()
			return
		}
		if !errors.Is(err, syscall.ECONNREFUSED) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}
