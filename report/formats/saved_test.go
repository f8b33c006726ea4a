// SPDX-License-Identifier: Apache-2.0

package formats

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

// Every other format is rendered from the JSON report alone.
func TestWhatWasSavedIsWrittenAlike(t *testing.T) {
	t.Parallel()
	for name, sample := range reporttest.Samples {
		run, err := report.ReadJSON(strings.NewReader(reporttest.Rendered(t, report.WriteJSON, sample())))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, f := range Formats {
			if diff := cmp.Diff(reporttest.Rendered(t, f.Write, sample()), reporttest.Rendered(t, f.Write, run)); diff != "" {
				t.Errorf("%s as %s differs when read from JSON:\n%s", name, f.Name, diff)
			}
		}
	}
}

// A saved report can be anything; what is read of it can be written.
func FuzzSavedReports(f *testing.F) {
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"schema":"agentic-sandbox-conformance/report/v1","verdict":"pass","results":[{"id":"A","outcome":"pass"}]}`))
	f.Add([]byte(`{"schema":"agentic-sandbox-conformance/report/v1","verdict":"fail","startedAt":"2026-01-01T00:00:00Z","results":[{"id":"A","outcome":"blocked","reason":null,"evidence":[{"kind":"response","header":"a\nb"}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := report.ReadJSON(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, format := range Formats {
			if err := format.Write(io.Discard, run.Settled()); err != nil && format.Name != "json" {
				t.Errorf("%s: %v", format.Name, err)
			}
		}
	})
}
