// SPDX-License-Identifier: Apache-2.0

// Package pointer takes JSON Pointers (RFC 6901) apart, and puts them together.
package pointer

import "strings"

var (
	escaped   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaped = strings.NewReplacer("~1", "/", "~0", "~")
)

// Token is the name of a member as it stands in a pointer: "a~1b" for a/b.
func Token(name string) string { return escaped.Replace(name) }

// Name is the name of the member that a token of a pointer stands for.
func Name(token string) string { return unescaped.Replace(token) }

// Names are the names and numbers that a pointer leads along, from the outermost on; none where it is the whole document.
func Names(pointer string) []string {
	tokens := strings.Split(pointer, "/")[1:]
	for i, token := range tokens {
		tokens[i] = Name(token)
	}
	return tokens
}
