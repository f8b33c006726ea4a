// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
)

// A server is what serves until it is told to end: both reference servers do.
type server interface {
	Serve() error
	Shutdown(ctx context.Context) error
}

// serve has a server answer, and gives what came of it in the end.
func serve(s server) chan error {
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	return served
}

// stop ends a server, and waits for it, within a limit.
func stop(s server, served <-chan error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := s.Shutdown(ctx)
	select {
	case serveErr := <-served:
		if serveErr != nil && !errors.Is(serveErr, http.ErrServerClosed) && !strings.Contains(serveErr.Error(), "closed") {
			err = errors.Join(err, serveErr)
		}
	case <-ctx.Done():
		err = errors.Join(err, ctx.Err())
	}
	return err
}
