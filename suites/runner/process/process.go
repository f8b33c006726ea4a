// SPDX-License-Identifier: Apache-2.0

// Package process runs the commands of the operator: each in a group of processes of its own, and with bounded output.
package process

import (
	"bytes"
	"context"
	"os/exec"
	"time"
)

// MaxOutput is how much is kept of what a hook writes to each of its two streams, in bytes.
const MaxOutput = 1 << 20

// Command is a command of the operator, in a group of processes of its own: when its time is up, or the run is given up,
// whatever it has started is ended with it. What it leaves behind when it ends by itself, such as a server, goes on.
func Command(ctx context.Context, command []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.WaitDelay = 2 * time.Second
	InOwnGroup(cmd)
	cmd.Cancel = func() error { return endGroup(cmd.Process) }
	return cmd
}

// An Output keeps the beginning of what is written to it, and lets the writer go on. It embeds no buffer: the methods
// of one, such as ReadFrom, would keep everything.
type Output struct{ kept bytes.Buffer }

// Write keeps what still fits.
func (b *Output) Write(p []byte) (int, error) {
	if room := MaxOutput - b.kept.Len(); room > 0 {
		b.kept.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// Bytes is what is kept.
func (b *Output) Bytes() []byte { return b.kept.Bytes() }

// Text is what is kept, as a text.
func (b *Output) Text() string { return b.kept.String() }
