// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"
)

// tokenVariables are the environment variables in which a reader of the report has the tokens.
var tokenVariables = map[string]string{
	"instance": "AGENTIC_SANDBOX_CONFORMANCE_TOKEN",
	"admin":    "AGENTIC_SANDBOX_CONFORMANCE_ADMIN_TOKEN",
}

func tokenVariable(identity string) string {
	if v := tokenVariables[identity]; v != "" {
		return v
	}
	return "AGENTIC_SANDBOX_CONFORMANCE_" + strings.ToUpper(strings.ReplaceAll(identity, "-", "_")) + "_TOKEN"
}
