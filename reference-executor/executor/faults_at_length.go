// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"slices"
	"unicode/utf8"
)

// atLengthFaults keep the contract for what is short and what is usual; they break it behind the first buffer, and in members
// that need not be there.
var atLengthFaults = map[string]func(*behaviour){
	"characters-are-cut-after-four-kibibytes": func(b *behaviour) {
		b.sse.frame = func(s *eventStream, ev event) []byte {
			text := s.frame(ev)
			for i := 4 << 10; i < len(text); i++ {
				if !utf8.RuneStart(text[i]) {
					return slices.Delete(text, i, i+1)
				}
			}
			return text
		}
	},
	"runtime-host-from-the-client": runtimeMeta(func(t task, metadata map[string]any, _ *instance) {
		if len(t.Messages) == 0 {
			return
		}
		given, _ := t.Messages[0]["metadata"].(map[string]any)
		if host, is := given["runtime.host"]; is {
			metadata["runtime.host"] = host
		}
	}),
}
