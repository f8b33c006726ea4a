// SPDX-License-Identifier: Apache-2.0

// Package policy reads what an operator asks of a run in files: which failures are accepted for now, and how many skips for
// which reason. A file is read before it is known which tests there are; what is wrong inside it is collected, and said
// together with what the suites show. What a policy then makes of a run is decided by package report.
package policy

import (
	"errors"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// Files are those of a policy; nil is one that was not given.
type Files struct {
	Baseline   *Baseline
	SkipBudget *SkipBudget
}

// Read reads the files of a policy; an empty path is none.
func Read(baseline, skipBudget string) (files Files, err error) {
	var failed []error
	if baseline != "" {
		files.Baseline, err = ReadBaseline(baseline)
		failed = append(failed, err)
	}
	if skipBudget != "" {
		files.SkipBudget, err = ReadSkipBudget(skipBudget)
		failed = append(failed, err)
	}
	return files, errors.Join(failed...)
}

// Gate is the operator's policy, checked against the tests that there are, as it holds at a time.
func (f Files) Gate(profile *suites.Profile, now func() time.Time) (gate report.Gate, err error) {
	var failed []error
	if f.Baseline != nil {
		failed = append(failed, f.Baseline.Against(profile))
		gate.Baseline = f.Baseline.On(now())
	}
	if f.SkipBudget != nil {
		failed = append(failed, f.SkipBudget.Against(profile))
		gate.SkipBudget = f.SkipBudget.Budget()
	}
	return gate, errors.Join(failed...)
}
