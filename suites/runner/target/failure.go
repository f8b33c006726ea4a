// SPDX-License-Identifier: Apache-2.0

package target

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// passing is what error messages say of one request alone: UUIDs, and longer numbers and digests, as traces and times are.
var passing = regexp.MustCompile(`(?i)[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}|\b[0-9a-f]{12,}\b|[0-9]{6,}`)

// FailureOf reads how an operation failed; nil when it was processed, or nothing came back.
func FailureOf(c *Call, status int, body any) map[string]any {
	return readers.Failure(c.At.Binding, status, body)
}

// ToldBy is everything that a failure tells a caller, in one text: two refusals that are alike tell nothing apart. What the
// request itself named, and what is of one request alone, is left out.
func ToldBy(c *Call, failure map[string]any) string {
	message := readers.MemberText(failure, "message")
	for _, id := range namedBy(c.Params) {
		message = strings.ReplaceAll(message, id, "{id}")
	}
	text := fmt.Sprint(failure["status"])
	for _, name := range []string{"code", "reason"} {
		if v := failure[name]; v != nil && fmt.Sprint(v) != text {
			text += fmt.Sprintf(" %v", v)
		}
	}
	text += ": " + passing.ReplaceAllString(message, "{id}")
	if names := metadataOf(failure); len(names) > 0 {
		text += " (with " + strings.Join(names, ", ") + ")"
	}
	return text
}

// metadataOf names what the details of a failure tell beside its reason. Their values may be of one request alone.
func metadataOf(failure map[string]any) []string {
	var names []string
	details, _ := failure["details"].([]any)
	for _, detail := range details {
		metadata, _ := readers.Member(detail, "metadata").(map[string]any)
		names = append(names, slices.Sorted(maps.Keys(metadata))...)
	}
	return names
}

// namedBy are the ids in a request object.
func namedBy(params any) []string {
	var all []string
	for _, holder := range []any{params, readers.Member(params, "message")} {
		for _, name := range []string{"id", "taskId", "contextId", "messageId"} {
			if id := readers.MemberText(holder, name); id != "" {
				all = append(all, id)
			}
		}
	}
	return all
}
