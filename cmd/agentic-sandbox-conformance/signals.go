// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os/signal"
	"syscall"
)

// untilSignalled is a context that the first SIGINT or SIGTERM ends. The second one ends the program as if nobody
// caught it: whoever asks twice does not want to wait for a report.
func untilSignalled(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
