// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"fmt"
	"strings"
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

// What a text costs that is broken behind every character, beside one of words: up to a hundred times as much for each byte.
func BenchmarkTextBrokenEverywhere(b *testing.B) {
	var f Finder
	for i := range 10 {
		f.Learn(fmt.Sprintf("st-secret-%d-4c1f9be2d07a48d6", i))
	}
	for name, piece := range map[string]string{"words": "some words of a text ", "broken": "data:1\n"} {
		text := strings.Repeat(piece, 64<<10/len(piece))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				f.Clean(text)
			}
		})
	}
}
