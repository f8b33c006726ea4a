// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Main runs a server until ctx is done. It prints one line on stdout once it accepts connections.
func Main(ctx context.Context, c Config, stdout io.Writer) error {
	s, err := New(c)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	if _, err := fmt.Fprintf(stdout, "reference-executor ready: %s\n", s.URL()); err != nil {
		return errors.Join(err, s.Shutdown(ctx))
	}
	limit := context.WithoutCancel(ctx)
	select {
	case err := <-served:
		return errors.Join(err, s.Shutdown(limit))
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(limit, 5*time.Second)
	defer cancel()
	return errors.Join(s.Shutdown(limit), <-served)
}
