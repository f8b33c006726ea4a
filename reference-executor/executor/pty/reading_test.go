// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"bufio"
	"bytes"
	"encoding/json"
	"testing"

	"github.com/gobwas/ws"
)

func FuzzParseObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1}`, `{"a":1,"a":2}`, `[]`, `{"a":[{}]} `, `{"op":"x","id":null}{}`, "{\"a\":\"\xff\"}", `{"a":1e400}`, ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		object, err := parseObject(text)
		if (err == nil) != (object != nil) {
			t.Errorf("object %v, error %v", object, err)
		}
		if err == nil && !json.Valid(text) {
			t.Errorf("took %q, which is no JSON", text)
		}
	})
}

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
		if parsed, failed := parseObject(copied); failed == nil {
			coerce(parsed)
		}
	})
}

func FuzzWireReader(f *testing.F) {
	whole, begun := ws.MaskFrame(ws.NewTextFrame([]byte("{}"))), ws.MaskFrame(ws.NewTextFrame([]byte("{")))
	begun.Header.Fin = false
	f.Add(ws.MustCompileFrame(whole))
	f.Add(ws.MustCompileFrame(begun))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := wireReader{in: bufio.NewReader(bytes.NewReader(data)), wire: &conformantWire, most: 1 << 16}
		for {
			m, err := r.next()
			if err != nil {
				return
			}
			if len(m.payload) > 1<<16 {
				t.Errorf("message of %d bytes", len(m.payload))
			}
		}
	})
}
