// SPDX-License-Identifier: Apache-2.0

package port

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// A Server serves on its ports until it is told to end.
type Server interface {
	Serve() error
	Shutdown(ctx context.Context) error
	URL() string
}

// Run has a server answer until ctx is done. It prints one line on stdout once the server accepts connections.
func Run(ctx context.Context, s Server, stdout io.Writer) error {
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
