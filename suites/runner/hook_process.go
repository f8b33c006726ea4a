// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"context"
	"os/exec"
	"time"
)

// mostHookOutput is how much is kept of what a hook writes to each of its two streams, in bytes.
const mostHookOutput = 1 << 20

// hookProcess is a command of the operator, in a group of processes of its own: when its time is up, or the run is given up,
// whatever it has started is ended with it. What it leaves behind when it ends by itself, such as a server, goes on.
func hookProcess(ctx context.Context, command []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.WaitDelay = 2 * time.Second
	inOwnGroup(cmd)
	cmd.Cancel = func() error { return endGroup(cmd.Process) }
	return cmd
}

// A bounded buffer keeps the beginning of what is written to it, and lets the writer go on. It embeds no buffer: the methods
// of one, such as ReadFrom, would keep everything.
type bounded struct{ kept bytes.Buffer }

// Write keeps what still fits.
func (b *bounded) Write(p []byte) (int, error) {
	if room := mostHookOutput - b.kept.Len(); room > 0 {
		b.kept.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

func (b *bounded) bytes() []byte { return b.kept.Bytes() }

func (b *bounded) text() string { return b.kept.String() }
