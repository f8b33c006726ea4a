// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"
)

func TestDocsLink(t *testing.T) {
	t.Parallel()
	for docs, is := range map[string]bool{
		"https://docs.example/v1.2.3/requirements/agentic-sandbox-v2/card.html#CARD-011": true,
		"http://localhost:8000/latest/requirements/a2a-1.0/a2a-card.html#A2A-CARD-001":   true,
		"https://github.com/x/y/blob/v1.2.3-rc.1/docs/requirements.md#CARD-011":          true,
		"":                                 false,
		"javascript:alert(1)":              false,
		"data:text/html,x":                 false,
		"//docs.example/x":                 false,
		"https:///x":                       false,
		"https://me:secret@docs.example/x": false,
		"https://docs.example/\"><script>": false,
		"https://docs.example/a) [b](https://x.exampl":         false,
		"https://docs.example/a b":                             false,
		"https://docs.example/\n::error::x":                    false,
		"https://docs.example/\u202ex":                         false,
		"https://docs.example/" + strings.Repeat("x", maxDocs): false,
	} {
		want := ""
		if is {
			want = docs
		}
		if got := (&Result{Docs: docs}).DocsLink(); got != want {
			t.Errorf("%.80q leads to %.80q, want %.80q", docs, got, want)
		}
	}
}
