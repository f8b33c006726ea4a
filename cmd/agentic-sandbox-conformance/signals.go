// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// impatience is how long after the first signal a second Ctrl-C means that nobody wants to wait for a report. Before that, one signal
// has come twice: to the process, and to its group.
const impatience = time.Second

// untilSignalled is a context that the first SIGINT, SIGTERM or SIGHUP ends. Reports are written then, whatever else comes: timeout(1)
// and supervisors signal twice. Only a further SIGINT, of somebody at a terminal who has waited a moment, ends the program at once.
func untilSignalled(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	signals, done := make(chan os.Signal, 8), make(chan struct{})
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		var first time.Time
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				if first.IsZero() {
					first = time.Now()
				}
				if s == syscall.SIGINT && time.Since(first) > impatience {
					os.Exit(exitInterrupted)
				}
				cancel()
			}
		}
	}()
	return ctx, sync.OnceFunc(func() {
		signal.Stop(signals)
		close(done)
		cancel()
	})
}

// readPatience is how long after the first signal what the operator gives may still come: files take no time, and the report of a run
// that is ended while it begins is worth waiting for.
const readPatience = 2 * time.Second

// endsUnread ends the program when its context does, unless what the operator gives has been read by then: a token that nobody types, or
// a pipe that nobody writes to, would keep it for ever. read says that all of it has been read.
func (a *app) endsUnread(ctx context.Context) (read func()) {
	done := make(chan struct{})
	go func() {
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		select {
		case <-done:
		case <-time.After(readPatience):
			fmt.Fprintf(a.stderr, "%s: interrupted while it waited for a file or standard input\n", program)
			a.lastLine(exitInterrupted)
			os.Exit(exitInterrupted)
		}
	}()
	return sync.OnceFunc(func() { close(done) })
}
