// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures"
)

// The hash is that of the contract's own vector, so that harness and executor cannot be wrong in the same way.
func TestPayloadHashIsThatOfTheContract(t *testing.T) {
	t.Parallel()
	text, err := fixtures.Read("idempotency/body.json")
	if err != nil {
		t.Fatal(err)
	}
	want, err := fixtures.Read("idempotency/sha256.txt")
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if err := json.Unmarshal(text, &body); err != nil {
		t.Fatal(err)
	}
	s, p := readSending(body)
	if p != nil {
		t.Fatal(p)
	}
	if hash, err := payloadHash(s); err != nil || hash != strings.TrimSpace(string(want)) {
		t.Errorf("the hash is %s (%v), want %s", hash, err, want)
	}
}
