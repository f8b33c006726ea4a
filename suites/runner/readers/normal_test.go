// SPDX-License-Identifier: Apache-2.0

package readers

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOneSpelling: what means the same is the same, and nothing else is.
func TestOneSpelling(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0B6C4D5E-1111-4222-8333-944455566677": "0b6c4d5e111142228333944455566677",
		"0b6c4d5e111142228333944455566677":     "0b6c4d5e111142228333944455566677",
		"0b6c4d5e-111142228333-944455566677":   "0b6c4d5e-111142228333-944455566677",
		"2026-01-02T03:04:05":                  "2026-01-02T03:04:05Z",
		"2026-01-02T03:04:05.120000":           "2026-01-02T03:04:05.12Z",
		"2026-01-02T05:04:05+02:00":            "2026-01-02T03:04:05Z",
		"2026-01-02 05:04:05+0200":             "2026-01-02T03:04:05Z",
		"2026-01-02T03:04:05z":                 "2026-01-02T03:04:05Z",
		"2026-13-02T03:04:05Z":                 "2026-13-02T03:04:05Z",
		"2026-01-02":                           "2026-01-02",
		"at 2026-01-02T03:04:05Z":              "at 2026-01-02T03:04:05Z",
	} {
		if got := Normal(text); got != want {
			t.Errorf("%s is spelled %s, want %s", text, got, want)
		}
	}
	got := Normal(map[string]any{"items": []any{map[string]any{"created_at": "2026-01-02T03:04:05", "n": json.Number("1.0")}, nil}, "more": true})
	want := map[string]any{"items": []any{map[string]any{"created_at": "2026-01-02T03:04:05Z", "n": json.Number("1.0")}, nil}, "more": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
