// SPDX-License-Identifier: Apache-2.0

package conformance_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/conformance"
)

// newAgent stands for the server of whoever tests it: its card says that it is at url.
func newAgent(url string) http.Handler { return http.NotFoundHandler() }

// A server in the process of the test. It gets its URL, which its agent card has to name.
func ExampleRun() {
	// func TestA2A(t *testing.T)
	_ = func(t *testing.T) {
		conformance.Run(t, conformance.Options{
			Profile:    conformance.A2A,
			NewHandler: newAgent,
			Cues: map[string]any{
				"completed":      "say done",
				"input-required": "ask me for a colour",
				"answer":         "blue",
			},
		})
	}
}

// A deployment that runs already, judged as an executor. Its operator restarts it by a command, and its reports are kept with -artifacts.
func ExampleRun_deployment() {
	// func TestExecutor(t *testing.T)
	_ = func(t *testing.T) {
		url := os.Getenv("SANDBOX_URL")
		if url == "" {
			t.Skip("SANDBOX_URL is not set")
		}
		conformance.Run(t, conformance.Options{
			Profile: conformance.AgenticSandbox,
			URL:     url,
			Token:   os.Getenv("SANDBOX_TOKEN"),
			Tokens:  map[string]string{"admin": os.Getenv("SANDBOX_ADMIN_TOKEN")},
			Hooks: map[string]conformance.Hook{
				"echo-session": {Value: true},
				"restart": {Func: func(ctx context.Context, _ map[string]any) (any, error) {
					return nil, exec.CommandContext(ctx, "systemctl", "restart", "agentic-sandbox").Run()
				}},
			},
			Baseline:  "testdata/known-failures.yaml",
			ReportDir: t.ArtifactDir(),
		})
	}
}
