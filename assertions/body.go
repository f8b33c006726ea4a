// SPDX-License-Identifier: Apache-2.0

package assertions

// Body is the subject `body`: the bytes as they came, and what they say when they are JSON. Words about bytes and
// structure take it; its Bytes decide, so that a parser that repairs or drops something cannot hide it.
type Body struct {
	Bytes []byte
	JSON  any // Missing when Bytes are no JSON
}

// bytesOf returns the raw bytes of a subject that has some.
func bytesOf(got any) ([]byte, bool) {
	switch got := got.(type) {
	case []byte:
		return got, true
	case Body:
		return got.Bytes, true
	case string:
		return []byte(got), true
	}
	return nil, false
}
