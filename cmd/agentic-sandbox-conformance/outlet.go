// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
)

// An outlet is standard output, which notes why something could not be written. Most commands print many lines and look at
// none of the errors: what they could not say would end as if it had been said.
type outlet struct {
	to io.Writer

	mu   sync.Mutex
	lost error // of the first write that failed
}

// Write implements io.Writer.
func (o *outlet) Write(text []byte) (int, error) {
	n, err := o.to.Write(text)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.lost == nil {
			o.lost = err
		}
	}
	return n, err
}

// settle gives the end that a command has whose output could not be written: whoever left a pipe has read enough, a disk that is
// full has cut the output; and neither is a mistake of ours.
func (o *outlet) settle(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	left := errors.Is(o.lost, syscall.EPIPE)
	switch code := exitCode(err); {
	case o.lost == nil, left && code != exitBug:
		return err
	case code == exitBug && !errors.Is(err, o.lost):
		return err
	case code == exitPass || code == exitBug:
		return usage("standard output: %w", o.lost)
	default:
		return &exit{max(code, exitUsage), errors.Join(untold(err), fmt.Errorf("standard output: %w", o.lost))}
	}
}

// untold is an error that has not been told yet; nil when it has.
func untold(err error) error {
	var e *exit
	if errors.As(err, &e) && e.err == nil {
		return nil
	}
	return err
}
