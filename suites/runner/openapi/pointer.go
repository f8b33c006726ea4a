// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"net/url"
	"strconv"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/pointer"
)

// unescape is the name that a token of a pointer in a URI fragment stands for.
func unescape(token string) string { return pointer.Name(unescapePercent(token)) }

func unescapePercent(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// escapePercent is a pointer as a URI fragment without its #.
func escapePercent(pointer string) string { return (&url.URL{Fragment: pointer}).EscapedFragment() }

// index is the number of an element; below nought: it is none.
func index(token string) int {
	i, err := strconv.Atoi(token)
	if err != nil || strconv.Itoa(i) != token {
		return -1
	}
	return i
}
