// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"net"
	"net/url"
	"syscall"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

const (
	// startTime is how long an executor that a hook has started may take until it listens. One that has not by then is one that does not
	// start, which may be the very thing that is judged.
	startTime = 10 * time.Second
	lookEvery = 50 * time.Millisecond
)

// AwaitExecutor waits until the executor whose url a hook has answered with listens, ten seconds at most: a script may end before what it
// has started in the background listens. It does not wait where nothing is refused, nor for what a hook answers that starts none.
func (o *Operator) AwaitExecutor(ctx context.Context, name string, result any) {
	if known, _ := o.target.Profile.Hook(name); known.Form != hooks.AnURL && name != target.ShortTTLHook {
		return
	}
	address, _ := readers.Member(result, "url").(string)
	if u, err := url.Parse(address); err == nil && u.Hostname() != "" {
		listening(ctx, func(ctx context.Context) error { return connects(ctx, net.JoinHostPort(u.Hostname(), wire.Port(u))) })
	}
}

// listening asks again and again while the answer is that the connection is refused.
func listening(ctx context.Context, connects func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for errors.Is(connects(ctx), syscall.ECONNREFUSED) {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// connects makes a connection and closes it.
func connects(ctx context.Context, address string) error {
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}
