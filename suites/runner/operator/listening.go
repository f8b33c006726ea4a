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
		_ = listening(ctx, func(ctx context.Context) error { return connects(ctx, net.JoinHostPort(u.Hostname(), wire.Port(u))) })
	}
}

// LeftDown looks whether the target still answers after a hook has failed, for ten seconds at most: a script that was to start it again may have
// left it down. Then the reason is that of all tests which are left, and no deviation of the target's. down is whether it is so.
func (o *Operator) LeftDown(ctx context.Context, name, said string) (down bool) {
	q := o.target.PlainGet(target.Join(o.target.Place.API, "tasks"), "instance")
	err := listening(ctx, func(context.Context) error {
		if x := o.target.Send(ctx, q); x.Status == 0 && !x.InVain && !x.Ours {
			return syscall.ECONNREFUSED
		}
		return nil
	})
	if err == nil || ctx.Err() != nil {
		return false
	}
	o.target.Reachability.Gone.Store(Broken(name, said+"; and the target has not answered since"))
	return true
}

// listening asks again and again while the answer is that the connection is refused, and returns the last one.
func listening(ctx context.Context, connects func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		err := connects(ctx)
		if !errors.Is(err, syscall.ECONNREFUSED) {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
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
