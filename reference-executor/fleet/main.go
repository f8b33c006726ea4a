// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"io"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/port"
)

// Main runs a server until ctx is done. It prints one line on stdout once it accepts connections.
func Main(ctx context.Context, c Config, stdout io.Writer) error {
	s, err := New(c)
	if err != nil {
		return err
	}
	return port.Run(ctx, s, stdout)
}
