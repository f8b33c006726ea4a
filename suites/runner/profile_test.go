// SPDX-License-Identifier: Apache-2.0

package runner_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// A profile more is a folder of suites and a row: nothing of the engine knows of greeters.
func TestAProfileIsAFolderAndARow(t *testing.T) {
	t.Parallel()
	greeter := profiles.Profile{Name: "greeter", Finds: profiles.AServer, Judges: "a greeter", Address: "the address of the greeter"}
	folder, err := suites.LoadProfile(os.DirFS("testdata"), greeter.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ what, unknown, want string }{
		{"keeps it all", "404", "GREET-001 pass, GREET-002 pass"},
		{"greets everybody", "200", "GREET-001 pass, GREET-002 fail"},
	} {
		t.Run(row.what, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				switch {
				case q.URL.Path == "/greeting":
					io.WriteString(w, "hello")
				case row.unknown == "200" && strings.HasPrefix(q.URL.Path, "/greeting/"):
					io.WriteString(w, "hello, whoever you are")
				default:
					http.NotFound(w, q)
				}
			}))
			defer server.Close()
			options := runner.Options{}
			run, err := runner.Start(t.Context(), greeter, runner.Target{ExecutorURL: server.URL}, options).Play(folder, options)
			if err != nil {
				t.Fatal(err)
			}
			if got := verdicts(run); got != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
		})
	}
}

func verdicts(run *report.Run) string {
	var all []string
	for _, r := range run.Results {
		all = append(all, r.ID+" "+string(r.Outcome))
	}
	return strings.Join(all, ", ")
}
