// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"
)

// An executor that begins to listen after its hook has answered is waited for, and nothing else is.
func TestListening(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for name, row := range map[string]struct {
		answers []error
		asked   int
	}{
		"it listens":                  {[]error{nil}, 1},
		"it listens after a while":    {[]error{refused, refused, refused, nil}, 4},
		"nobody can say":              {[]error{errors.New("no route to host")}, 1},
		"it is not known by then":     {[]error{refused, &net.DNSError{Err: "no such host"}}, 2},
		"it ends with another answer": {[]error{refused, context.DeadlineExceeded}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			_ = listening(t.Context(), func(context.Context) error {
				asked++
				return row.answers[asked-1]
			})
			if asked != row.asked {
				t.Errorf("asked %d times, want %d", asked, row.asked)
			}
		})
	}
}

// Who waits for an executor that does not start is let go with the run.
func TestListeningEndsWithTheRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	_ = listening(ctx, func(context.Context) error {
		if asked++; asked == 2 {
			cancel()
		}
		return syscall.ECONNREFUSED
	})
	if asked != 2 {
		t.Errorf("asked %d times, want 2", asked)
	}
}

// A connection that can be made is made once, and one that cannot says why. Somebody else may be given a port that has become free.
func TestConnects(t *testing.T) {
	t.Parallel()
	refused := false
	for range 10 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if err := connects(t.Context(), listener.Addr().String()); err != nil {
			t.Error(err)
		}
		listener.Close()
		if refused = connects(t.Context(), listener.Addr().String()) != nil; refused {
			break
		}
	}
	if !refused {
		t.Error("ten listeners that are closed were reached")
	}
}
