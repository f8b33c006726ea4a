// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A run is one profile being played against one target.
type run struct {
	profile *suites.Profile
	target  Target
	options Options // with the defaults filled in
}

// token is the bearer token of an identity; empty means none.
func (r *run) token(identity string) string { return r.target.Tokens[identity] }

// hook asks what the operator lent under that name.
func (r *run) hook(ctx context.Context, name string, with map[string]any) (any, error) {
	return nil, fmt.Errorf("hook %s was not lent", name)
}

func play(ctx context.Context, profile *suites.Profile, target Target, options Options) (*report.Run, error) {
	return &report.Run{}, nil
}
