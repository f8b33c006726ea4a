// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// Why a run ended early.
var (
	errTimeIsUp = errors.New("time-is-up")
	errFailFast = errors.New("fail-fast")
)

// ended says why a run ended before its tests did, as a reason to skip them; nil while it goes on.
func ended(ctx context.Context) *report.Reason {
	if ctx.Err() == nil {
		return nil
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTimeIsUp):
		return &report.Reason{Code: "time-is-up", Detail: "the time allowed for the run was used up (--max-time)"}
	case errors.Is(cause, errFailFast):
		return &report.Reason{Code: "fail-fast", Detail: "not run: an earlier test failed (--fail-fast)"}
	}
	return &report.Reason{Code: "interrupted", Detail: "the run was interrupted before this was measured"}
}
