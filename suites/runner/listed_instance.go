// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// listedInstance is the item of a list of instances that is the one with the id, and Missing where it is not listed.
func listedInstance(list any, id string) any {
	items, _ := readers.Member(list, "items").([]any)
	for _, item := range items {
		if listed, _ := readers.Member(item, "id").(string); id != "" && strings.EqualFold(listed, id) {
			return item
		}
	}
	return assertions.Missing
}
