// SPDX-License-Identifier: Apache-2.0

package target

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

func FuzzInstanceOf(f *testing.F) {
	for _, item := range []string{`{"id":"i"}`, `{"agent_card_url":"http://h/agents/i/.well-known/agent-card.json"}`, `[{"instance_id":"i"}]`, `null`, `{"agent_card_url":{}}`} {
		f.Add([]byte(item))
	}
	f.Fuzz(func(t *testing.T, item []byte) {
		instanceOf(jsontext.Parse(item))
	})
}
