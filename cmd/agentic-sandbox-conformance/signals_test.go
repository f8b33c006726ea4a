// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"
)

// timeout(1) and supervisors signal twice; the reports are written all the same, so the second signal does not end the program.
func TestTwoSignals(t *testing.T) {
	ctx, stop := untilSignalled(context.Background())
	defer stop()
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Fatalf("%v was not heard", s)
		}
	}
}
