// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

// TestDiffsMatchTheirGoldenFiles writes the comparisons that package report has written as JSON.
func TestDiffsMatchTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"regression", "repaired", "unchanged", "hostile"} {
		text, err := os.ReadFile("../testdata/diff-" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		d := new(report.Diff)
		if err := json.Unmarshal(text, d); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := WriteDiff(&b, d); err != nil {
			t.Fatal(err)
		}
		reporttest.Golden(t, "testdata/diff-"+name+".md", b.String())
		checkInert(t, b.String())
	}
}

func TestALargeDiffStaysSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes large reports")
	}
	t.Parallel()
	run := func(outcome report.Outcome) *report.Run {
		r := &report.Run{Verdict: report.Passed, Suites: report.SuiteSet{Profile: "p", Digest: "x"}}
		for i := range 3000 {
			id := "A-1" + strings.Repeat("x", i)
			result := report.Result{ID: id, Name: "name_of_" + id, Surface: "tasks", Level: "MUST", Requirement: "keep " + id, Outcome: outcome}
			if outcome == report.Fail {
				result.Findings = []report.Finding{{Subject: "status", Problem: strings.Repeat("`", 5000), Severity: report.Fail}}
			}
			r.Results = append(r.Results, result)
		}
		return r
	}
	var b bytes.Buffer
	if err := WriteDiff(&b, report.Compare(run(report.Pass), run(report.Fail), false)); err != nil {
		t.Fatal(err)
	}
	if b.Len() > maxBytes || !strings.Contains(b.String(), "and 2850 more") {
		t.Errorf("the comparison has %d bytes", b.Len())
	}
}

// Whatever two saved reports say, what changed between them can be written.
func FuzzDiff(f *testing.F) {
	const head = `{"schema":"agentic-sandbox-conformance/report/v1","verdict":"pass","suites":{"digest":"a"},"results":[`
	f.Add([]byte(`{}`), []byte(`{}`))
	f.Add([]byte(head+`{"id":"A","outcome":"pass","level":"MUST"}]}`), []byte(head+`{"id":"A","outcome":"fail","waiver":{"reason":"x"}},{"id":"A","outcome":"skip"}]}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		old, err := report.ReadJSON(bytes.NewReader(a))
		if err != nil {
			return
		}
		new, err := report.ReadJSON(bytes.NewReader(b))
		if err != nil {
			return
		}
		if err := WriteDiff(io.Discard, report.Compare(old, new, false)); err != nil {
			t.Error(err)
		}
	})
}
