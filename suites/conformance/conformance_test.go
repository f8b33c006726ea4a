// SPDX-License-Identifier: Apache-2.0

package conformance_test

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
	"github.com/roctinam/agentic-sandbox-conformance/suites/conformance"
)

// Tokens of the servers under test. They are no secrets, but they look like some: a leak must be recognisable.
const (
	token      = "gt-instance-5b0e7a9c31d84f26"
	adminToken = "gt-admin-e41d6f8802c94b7a"
)

// TestPlainServer: the plain A2A server, given as a handler, keeps what of its profile needs no waits; the self-test plays the whole profile.
func TestPlainServer(t *testing.T) {
	t.Parallel()
	conformance.Run(t, conformance.Options{
		Profile:    conformance.A2A,
		NewHandler: newPlain(t),
		Token:      token,
		Cues:       plain.Cues(),
		Hooks:      map[string]conformance.Hook{"oversized-requests": {Value: true}, "protected-action": {Value: true}},
		TimeFactor: 3, // others use the machine as well
		Run:        []string{"A2A-CARD-*", "A2A-VER-*", "A2A-REST-00*"},
	})
}

// TestReferenceExecutor: the reference executor, given as a handler, keeps its profile likewise.
func TestReferenceExecutor(t *testing.T) {
	t.Parallel()
	conformance.Run(t, conformance.Options{
		Profile:    conformance.AgenticSandbox,
		NewHandler: newExecutor(t),
		Token:      token,
		Tokens:     map[string]string{"admin": adminToken},
		Cues:       executor.Cues(),
		TimeFactor: 3,
		Run:        []string{"CARD-*", "TASK-0*", "ERR-00[1-9]"},
	})
}
