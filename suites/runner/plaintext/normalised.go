// SPDX-License-Identifier: Apache-2.0

package plaintext

import (
	"regexp"
)

var (
	// SomeID matches a UUID.
	SomeID = regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`)

	// SomeMarker matches what a suite puts where it looks for its own text again.
	SomeMarker = regexp.MustCompile(`marker-[a-z0-9]{12}`)
	someTime   = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9]{2}:[0-9]{2})?`)
	someHex    = regexp.MustCompile(`\b[0-9a-fA-F]{16,}\b`)
)

// Normalised is a text without what differs from one test to the next, so that tests blocked by the same thing are seen
// to be.
func Normalised(s string) string {
	s = SomeID.ReplaceAllString(s, "<id>")
	s = SomeMarker.ReplaceAllString(s, "<marker>")
	s = someTime.ReplaceAllString(s, "<time>")
	return someHex.ReplaceAllString(s, "<id>")
}
