// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

func TestHeavyTextsAreNotTakenApart(t *testing.T) {
	t.Parallel()
	text := `"` + strings.Repeat("x", 2*Heavy) + `"`
	for _, test := range []struct {
		name, body string
		missing    bool
	}{
		{"a long text", text, false},
		{"many values", "[" + strings.Repeat("1,", MaxValues*3) + "1]", true},
		{"many values in less than a MiB", "[" + strings.Repeat("1,", MaxValues+1) + "1]", true},
		{"values", "[" + strings.Repeat("1,", MaxValues/2) + "1]", false},
		{"no JSON", strings.Repeat("[", 2*Heavy), true},
		{"cut", text[:len(text)-1], true},
		{"small", "[1,2]", false},
	} {
		if got := assertions.IsMissing(Parse([]byte(test.body))); got != test.missing {
			t.Errorf("%s: missing is %t", test.name, got)
		}
	}
}
