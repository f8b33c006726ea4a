// SPDX-License-Identifier: Apache-2.0

package jsontext

// usualValue is how many bytes there are for each value in what executors answer, at least.
const usualValue = 8

// Weight is about how many bytes a body takes that is kept taken apart, beyond what bodies usually do: one of many small
// values takes several times its length.
func Weight(body []byte) int {
	return len(body) + (SizeOfValue-1)*max(0, Values(body)-len(body)/usualValue)
}
