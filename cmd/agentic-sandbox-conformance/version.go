// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// version and commit are set by a release build: -ldflags "-X main.version=v2.0.0 -X main.commit=...".
var version, commit string

// tool is this program as reports name it.
func tool() report.Tool {
	t := report.Tool{Name: program, Version: version, Commit: commit}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	if t.Version == "" {
		t.Version = info.Main.Version
	}
	if t.Version == "" {
		t.Version = "(devel)"
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && t.Commit == "" {
			t.Commit = setting.Value
		}
	}
	return t
}

// inOneLine is what "version" and --version print.
func inOneLine(t report.Tool) string {
	line := program + " " + t.Version
	if t.Commit != "" {
		line += " (" + t.Commit + ")"
	}
	if runner.DrivesGRPC {
		line += ", with gRPC"
	}
	return line
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "version", Short: "Print the version", Args: noArguments}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	c.RunE = func(*cobra.Command, []string) error {
		t := tool()
		if asJSON {
			return a.printJSON(struct {
				report.Tool
				Go       string `json:"go"`
				Platform string `json:"platform"`
				GRPC     bool   `json:"grpc"` // operations of A2A can be sent over gRPC
			}{t, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, runner.DrivesGRPC})
		}
		fmt.Fprintln(a.stdout, inOneLine(t))
		return nil
	}
	return c
}

// printJSON writes v to standard output for another program.
func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return bug(err)
	}
	return nil
}
