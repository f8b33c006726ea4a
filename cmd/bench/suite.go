// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// writeSuite writes a suite file of n tests into dir, as a user would for --suite-dir.
func writeSuite(dir string, n int) error {
	var b bytes.Buffer
	fmt.Fprint(&b, "suite: Benchmark\ncontract: none\nsurface: bench\ntests:\n")
	for i := range n {
		fmt.Fprintf(&b, `  - id: BENCH-%05d
    test: message_%05d_completes
    must: complete the task that a message started
    source: benchmark
    steps:
      - request: GET ${base}/.well-known/agent-card.json
        expect:
          status: 200
          header: {Content-Type: {media_type: application/json}}
          json:
            name: {is_a: string}
            capabilities.streaming: false
            supportedInterfaces: {length: 1}
            skills[0].id: echo
      - request: POST ${api}/messages:send
        json:
          message: {messageId: "${fresh.uuid}", role: user, parts: [{kind: text, text: hello}]}
          configuration: {blocking: false}
        expect: {status: 202}
        keep: {task: task.id}
      - poll: GET ${api}/tasks/${task}
        every: 10ms
        until: {task.state: completed}
        within: 5s
`, i, i)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "bench.yaml"), b.Bytes(), 0o644)
}
