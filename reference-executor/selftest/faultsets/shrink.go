// SPDX-License-Identifier: Apache-2.0

package faultsets

import "slices"

// Shrink looks for a part of a set that still does what the whole does, and of which no fault can be left out. still is
// asked whether a part does; it is asked most times at the most, and when they are used up, the smallest part found is
// given (whether it is minimal then is not known).
func Shrink(set []string, most int, still func(part []string) bool) []string {
	ask := func(part []string) bool {
		if most <= 0 || len(part) == 0 {
			return false
		}
		most--
		return still(part)
	}
	for chunk := (len(set) + 1) / 2; ; chunk = (chunk + 1) / 2 {
		for at := 0; at < len(set); {
			end := min(at+chunk, len(set))
			if rest := slices.Concat(set[:at], set[end:]); ask(rest) {
				set = rest
				continue
			}
			at = end
		}
		if chunk <= 1 || most <= 0 {
			return set
		}
	}
}
