// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
)

// didYouMean is ` (did you mean "x"?)` for the known name that is nearest to the wrong one, and "" when none is near.
func didYouMean(wrong string, known []string) string {
	if best := spelling.Nearest(wrong, known); best != "" {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	return ""
}
