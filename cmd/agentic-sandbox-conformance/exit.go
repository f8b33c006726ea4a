// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// The exit codes. They are public API: a code never changes its meaning.
const (
	exitPass         = 0
	exitFail         = 1
	exitUsage        = 2
	exitUnreachable  = 3
	exitUnauthorized = 4
	exitIncomplete   = 5
	exitBug          = 70
	exitInterrupted  = 130
)

// exitCodes by verdict.
var exitCodes = map[report.Verdict]int{
	report.Passed:       exitPass,
	report.Failed:       exitFail,
	report.Unreachable:  exitUnreachable,
	report.Unauthorized: exitUnauthorized,
	report.Incomplete:   exitIncomplete,
}

// An exit is an error that carries its exit code. Err is nil when everything has been said already.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// usage is a mistake of whoever wrote the command line, the configuration or a suite.
func usage(format string, args ...any) error {
	return &exit{exitUsage, fmt.Errorf(format, args...)}
}

// bug is a mistake of ours.
func bug(err error) error { return &exit{exitBug, fmt.Errorf("bug: %w", err)} }

// exitCode says how to end because of err. What carries no code of its own was refused by the flag parser.
func exitCode(err error) int {
	var e *exit
	switch {
	case err == nil:
		return exitPass
	case errors.As(err, &e):
		return e.code
	default:
		return exitUsage
	}
}
