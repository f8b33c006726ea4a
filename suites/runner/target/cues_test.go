// SPDX-License-Identifier: Apache-2.0

package target

import (
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

// What answers are looked through for, whatever they are.
func FuzzWhatAnswersHold(f *testing.F) {
	for _, body := range []string{`{"parts":[{"text":"x"}]}`, `{"parts":[{}]}`, `null`, `{"kind":{}}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		v := jsontext.Parse(body)
		WithCues(map[string]any{"parts": v})
	})
}
