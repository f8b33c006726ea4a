// SPDX-License-Identifier: Apache-2.0

package strictjson

import (
	"encoding/json"
	"testing"
)

func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1}`, `{"a":1,"a":2}`, `[]`, `{"a":[{}]} `, `{"op":"x","id":null}{}`, "{\"a\":\"\xff\"}", `{"a":1e400}`, ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		object, err := Object(text)
		if (err == nil) != (object != nil) {
			t.Errorf("object %v, error %v", object, err)
		}
		if err == nil && !json.Valid(text) {
			t.Errorf("took %q, which is no JSON", text)
		}
	})
}
