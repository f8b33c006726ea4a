// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/schemas"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// printedSchemas are those that the program prints, by what they describe.
var printedSchemas = []struct {
	name, of string
	text     func() ([]byte, error)
}{
	{"suite", "suite files", suites.GenerateSchema},
	{"config", "the configuration file", configSchema},
	{"baseline", "the file of --baseline", baselineSchema},
	{"skip-budget", "the file of --skip-budget", skipBudgetSchema},
	{"report", "the JSON report", func() ([]byte, error) { return schemas.Read("report.schema.json") }},
	{"diff", "the JSON of diff", func() ([]byte, error) { return schemas.Read("diff.schema.json") }},
	{"coverage", "the JSON of coverage", func() ([]byte, error) { return schemas.Read("coverage.schema.json") }},
}

func (a *app) schemaCommand() *cobra.Command {
	var names []string
	var about strings.Builder
	for _, s := range printedSchemas {
		names = append(names, s.name)
		about.WriteString("  " + s.name + strings.Repeat(" ", 12-len(s.name)) + s.of + "\n")
	}
	there := strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	return &cobra.Command{
		Use:   "schema [" + strings.Join(names, "|") + "]",
		Short: "Print the JSON Schema of a file that this program reads or writes",
		Long: "Print a JSON Schema, with which editors complete, explain and check (default: suite):\n\n" + about.String() +
			"\nIn a YAML file, a first line names it: # yaml-language-server: $schema=" + schemaAddress + "config.schema.json",
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("schema prints one schema; there are %s", there)
			}
			if len(args) == 1 && !slices.Contains(names, args[0]) {
				return usage("there is no schema %q%s; there are %s", args[0], spelling.DidYouMean(args[0], names), there)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			which := 0
			if len(args) == 1 {
				which = slices.Index(names, args[0])
			}
			text, err := printedSchemas[which].text()
			if err != nil {
				return bug(err)
			}
			_, err = a.stdout.Write(text)
			return err
		},
	}
}
