// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"fmt"
	"testing"
)

// A run learns some secrets before its first text, and some on its way.
func BenchmarkLearning(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var f Finder
		for i := range 10 {
			f.Learn(fmt.Sprintf("st-secret-%d-4c1f9be2d07a48d6", i))
		}
		f.Clean("a text without any")
	}
}
