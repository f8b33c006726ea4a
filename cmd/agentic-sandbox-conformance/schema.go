// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/schemas"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

func (a *app) schemaCommand() *cobra.Command {
	printers := map[string]func() ([]byte, error){
		"suite":    suites.GenerateSchema,
		"report":   func() ([]byte, error) { return schemas.Read("report.schema.json") },
		"diff":     func() ([]byte, error) { return schemas.Read("diff.schema.json") },
		"coverage": func() ([]byte, error) { return schemas.Read("coverage.schema.json") },
	}
	return &cobra.Command{
		Use:       "schema [suite|report|diff|coverage]",
		Short:     "Print the JSON Schema of suite files, of the JSON report, of a comparison, or of the coverage",
		ValidArgs: []string{"suite", "report", "diff", "coverage"},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("schema prints one schema: suite, report, diff or coverage")
			}
			if len(args) == 1 && printers[args[0]] == nil {
				return usage("there is no schema %q%s; there are suite, report, diff and coverage", args[0], spelling.DidYouMean(args[0], []string{"suite", "report", "diff", "coverage"}))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			which := "suite"
			if len(args) == 1 {
				which = args[0]
			}
			text, err := printers[which]()
			if err != nil {
				return bug(err)
			}
			_, err = a.stdout.Write(text)
			return err
		},
	}
}
