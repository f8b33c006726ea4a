// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnvelopesAreWrittenAlikeHoweverLarge(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"small":                strings.Repeat("x", 100),
		"large and plain":      strings.Repeat("x", largeText),
		"large, with escapes":  strings.Repeat("x\"\\\n", largeText),
		"large, beyond ASCII":  strings.Repeat("ż", largeText),
		"large, with HTML":     strings.Repeat("<&>", largeText),
		"two of them and less": strings.Repeat("y", 2*largeText),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := map[string]any{"op": "X", "payload": map[string]any{"parts": []any{map[string]any{"text": text}, text, json.Number("1e2")}}}
			written, err := MarshalLarge(want)
			if err != nil {
				t.Fatal(err)
			}
			var got map[string]any
			decoder := json.NewDecoder(strings.NewReader(string(written)))
			decoder.UseNumber()
			if err := decoder.Decode(&got); err != nil {
				t.Fatal(err)
			}
			if !cmp.Equal(got, want) {
				t.Error("what was written is not what was given")
			}
		})
	}
}
