// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bytes"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/strictjson"
)

func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(`{"op":"ping","id":"01900000-0000-7000-8000-000000000000","ts":"2026-01-01T00:00:00Z","payload":{"client_ts":"x"},"replay_from":3,"extensions":["urn:a"],"service_parameters":{"trace_id":"t"}}`))
	f.Add([]byte(`{"op":7,"payload":[]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseEnvelope(&conformantReading, text)
		if err != nil && (err.code != codeInvalidRequest || err.message == "") {
			t.Errorf("refused with %v", err)
		}
		if err == nil && (r.op == "" || !uuidV7.MatchString(r.id) || r.payload == nil) {
			t.Errorf("took %+v", r)
		}
		copied := bytes.Clone(text)
		if parsed, failed := strictjson.Object(copied); failed == nil {
			coerce(parsed)
		}
	})
}
