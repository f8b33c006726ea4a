// SPDX-License-Identifier: Apache-2.0

package suites_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// BenchmarkLoadProfile loads 400 KiB in 20 files, about what the bundled profile grows to.
func BenchmarkLoadProfile(b *testing.B) {
	folder := fstest.MapFS{}
	shared, err := os.ReadFile("agentic-sandbox-v2/shared.yaml")
	if err != nil {
		b.Fatal(err)
	}
	folder["p/shared.yaml"] = &fstest.MapFile{Data: shared}
	size, id := len(shared), 0
	for file := range 20 {
		var text strings.Builder
		fmt.Fprintf(&text, "suite: Suite %d\nsurface: s%d\ntests:\n", file, file)
		for text.Len() < 20<<10 {
			id++
			fmt.Fprintf(&text, benchmarkTest, id, id)
		}
		size += text.Len()
		folder[fmt.Sprintf("p/s%02d.yaml", file)] = &fstest.MapFile{Data: []byte(text.String())}
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		if _, err := suites.LoadProfile(folder, "p"); err != nil {
			b.Fatal(err)
		}
	}
}

const benchmarkTest = `  - id: B-%d
    test: a_test_of_common_size_%d
    must: answer 200 and the task in state canceled when a task that is still open is canceled
    source: v2 migration guide, core REST operations
    applies: {claims: streaming}
    given:
      - use: start_an_open_task
    steps:
      - request: POST ${api}/tasks/${task}/cancel
        header: {Accept: application/json}
        expect:
          status: 200
          header: {Content-Type: {matches: "^application/(a2a\\+)?json"}}
          json:
            id: ${task}
            status.state: {one_of: [canceled, TASK_STATE_CANCELED]}
      - poll: GET ${api}/tasks/${task}
        every: 100ms
        for: 2s
        expect: {task.state: canceled, json: {metadata: {.runtime.kind: {not: {equals: x}}}}}
    broken_by:
      cancel-is-ignored: task.state is "working", want "canceled"
      canceled-task-completes: state is "(completed|failed)"
`

// BenchmarkLoadSelected reads one test of the bundled profile.
func BenchmarkLoadSelected(b *testing.B) {
	for b.Loop() {
		if _, err := suites.LoadSelected(suites.Embedded(), "agentic-sandbox-v2", func(id, _ string) bool { return id == "TASK-001" }); err != nil {
			b.Fatal(err)
		}
	}
}
