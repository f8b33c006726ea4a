// SPDX-License-Identifier: Apache-2.0

package plaintext

import "fmt"

// Counted is a number of things in words: "1 test", "3 tests".
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
