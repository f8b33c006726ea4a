// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

func TestClaimsAreSaidInWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"streaming":                   "the capability streaming",
		"binding:GRPC":                "an interface over GRPC",
		"binding:JSONRPC or GRPC":     "an interface over JSONRPC or GRPC",
		"protocolVersion-1.0":         "an interface of A2A 1.0",
		"protocolVersion-0.3:JSONRPC": "an interface of A2A 0.3 over JSONRPC",
		"hitl-prompt/v1":              "the extension hitl-prompt/v1",
		"security:bearer":             "the security scheme bearer",
		"required-extension":          "an extension with required: true",
		"https://x.example/mine/v1":   "https://x.example/mine/v1",
		"something-of-ones-own":       "something-of-ones-own",
	} {
		if got := report.ClaimInWords(name); got != want {
			t.Errorf("%s is said as %q, want %q", name, got, want)
		}
	}
}
