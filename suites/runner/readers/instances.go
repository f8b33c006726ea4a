// SPDX-License-Identifier: Apache-2.0

package readers

import (
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
)

// ListedInstance is the item of a list of instances that is the one with the id, and Missing where it is not listed.
func ListedInstance(list any, id string) any {
	items, _ := Member(list, "items").([]any)
	for _, item := range items {
		if listed, _ := Member(item, "id").(string); id != "" && strings.EqualFold(listed, id) {
			return item
		}
	}
	return assertions.Missing
}
