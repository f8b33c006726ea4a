// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// Instances lists the ids of all instances of a deployment that look ready, as its admin surface lists them. The error is
// [ErrNoInstance] where there are none, and says what was answered where that is no list.
func Instances(ctx context.Context, profile profiles.Profile, config Target, options Options) ([]string, error) {
	var s target.Target
	s.Open(profile, config, options.limits())
	defer s.Client.Close()
	return s.ReadyInstances(ctx)
}
