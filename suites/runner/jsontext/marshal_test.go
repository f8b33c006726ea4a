// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarshal(t *testing.T) {
	t.Parallel()
	long, other := strings.Repeat("x", veryLong), strings.Repeat("y", veryLong+1)
	tests := []struct {
		name  string
		value any
		want  string
	}{
		{"characters that HTML has a use for", map[string]any{"a": "<b> & c"}, `{"a":"<b> & c"}`},
		{"a long text alone", long, `"` + long + `"`},
		{"a long text as a member", map[string]any{"parts": []any{map[string]any{"text": long}, "short"}}, `{"parts":[{"text":"` + long + `"},"short"]}`},
		{"two long texts, one of them twice", []any{long, json.Number("1"), other, long}, `["` + long + `",1,"` + other + `","` + long + `"]`},
		{"a long text that has to be escaped", long + "\"\n", `"` + long + `\"\n"`},
		{"a long text that is not ASCII", long + "é", `"` + long + `é"`},
		{"a long text of HTML, and a number as it is spelled", []any{strings.Repeat("<&>", veryLong), json.Number("1e2")}, `["` + strings.Repeat("<&>", veryLong) + `",1e2]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Marshal(tt.value)
			if err != nil || string(got) != tt.want {
				t.Errorf("%.80q…, %v, want %.80q…", got, err, tt.want)
			}
		})
	}
}

// A value that is marshalled is the caller's, and stays as it is.
func TestMarshalLeavesTheValue(t *testing.T) {
	t.Parallel()
	made := func() any {
		return map[string]any{"parts": []any{map[string]any{"text": strings.Repeat("x", veryLong)}}}
	}
	v := made()
	if _, err := Marshal(v); err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(made(), v) {
		t.Error("the value is another one")
	}
}

// TestMarshalHoldsOneCopyOfALongText bounds what is held beside the text itself: its JSON, and little more.
func TestMarshalHoldsOneCopyOfALongText(t *testing.T) {
	v := map[string]any{"text": strings.Repeat("x", 8*veryLong)}
	made := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Marshal(v); err != nil {
				b.Fatal(err)
			}
		}
	})
	if bytes := made.AllocedBytesPerOp(); bytes > 9*veryLong {
		t.Errorf("%d bytes for a text of %d", bytes, 8*veryLong)
	}
}
