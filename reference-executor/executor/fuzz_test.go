// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzParseBody(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `{"a":1,"a":2}`, `[1e400]`, `{"a":"\ud800"}`, "\xff", `{} {}`, say1("m", "x", "")} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		v, p := parseBody(body)
		if p != nil {
			return
		}
		if !utf8.Valid(body) {
			t.Errorf("%q is taken", body)
		}
		object, ok := v.(map[string]any)
		if !ok {
			return
		}
		s, p := readSending(object)
		if p != nil {
			return
		}
		if m, p := parseMessage(s.message); p == nil && (m.Role == "" || m.Raw["parts"] == nil) {
			t.Errorf("%q is a message", body)
		}
		if _, err := payloadHash(s); err != nil {
			t.Errorf("%q has no hash: %v", body, err)
		}
	})
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"/agents/x/v1/tasks", "/a/../b", "/a/%2e%2e/b", "//a", "/a%2fb", "/a/", "%", "/a\\b", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		segments, plain := split(path)
		if !plain {
			return
		}
		for i, s := range segments {
			if s == ".." || s == "." || strings.ContainsAny(s, "/\\\x00") || s == "" && i < len(segments)-1 {
				t.Errorf("%q has segment %q", path, s)
			}
		}
	})
}

func FuzzReadCursor(f *testing.F) {
	f.Add(writeCursor(1))
	f.Add("not a cursor")
	f.Add("YmVmb3JlOi0x")
	f.Fuzz(func(t *testing.T, value string) {
		if n, p := readCursor(value); p == nil && (n < 1 || writeCursor(n) != value) {
			t.Errorf("%q is the cursor %d", value, n)
		}
	})
}
