// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// policyFiles are what the operator asks of a run in files, before it is known which tests there are.
type policyFiles struct {
	baseline *baselineFile
	budget   *budgetFile
}

// policyFiles reads the files of the policy. What is wrong inside them is said by gate, together with what the suites show.
func (s *settings) policyFiles() (files policyFiles, err error) {
	var failed []error
	if s.baseline != "" {
		files.baseline, err = readBaseline(s.baseline)
		failed = append(failed, err)
	}
	if s.skipBudget != "" {
		files.budget, err = readSkipBudget(s.skipBudget)
		failed = append(failed, err)
	}
	return files, together(failed...)
}

// gate is the operator's policy, checked against the tests that there are, as it holds at a time.
func (f policyFiles) gate(profile *suites.Profile, now func() time.Time) (gate report.Gate, err error) {
	var failed []error
	if f.baseline != nil {
		failed = append(failed, f.baseline.against(profile))
		gate.Baseline = f.baseline.on(now())
	}
	if f.budget != nil {
		failed = append(failed, f.budget.against(profile))
		gate.SkipBudget = f.budget.budget()
	}
	return gate, together(failed...)
}

// together is several mistakes of the operator as one.
func together(failed ...error) error {
	if err := errors.Join(failed...); err != nil {
		return usage("%w", err)
	}
	return nil
}
