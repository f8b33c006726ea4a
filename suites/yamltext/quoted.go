// SPDX-License-Identifier: Apache-2.0

package yamltext

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// Quoted writes a text in double quotes, on one line and visible, so that YAML reads it back as it is. What is no UTF-8 becomes U+FFFD.
func Quoted(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(fmt.Sprintf("bug: a text is no JSON: %v", err))
	}
	var b strings.Builder
	for _, r := range string(quoted) {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
