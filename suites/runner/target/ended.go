// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// Why a run ended early.
var (
	ErrTimeIsUp = errors.New("time-is-up")
	ErrFailFast = errors.New("fail-fast")
)

// Ended says why a run ended before its tests did, as a reason to skip them; nil while it goes on.
func Ended(ctx context.Context) *report.Reason {
	if ctx.Err() == nil {
		return nil
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, ErrTimeIsUp):
		return &report.Reason{Code: "time-is-up", Detail: "the time allowed for the run was used up (--max-time)"}
	case errors.Is(cause, ErrFailFast):
		return &report.Reason{Code: "fail-fast", Detail: "not run: an earlier test failed (--fail-fast)"}
	}
	return &report.Reason{Code: "interrupted", Detail: "the run was interrupted before this was measured"}
}
