// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
	"github.com/roctinam/agentic-sandbox-conformance/schemas"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/policy"
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
	{"targets", "the file of --targets", targetsSchema},
	{"overview", "the JSON overview of --targets and merge", func() ([]byte, error) { return schemas.Read("overview.schema.json") }},
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
			"\nIn a YAML file, a first line names it: # yaml-language-server: $schema=" + schemas.Address + "config.schema.json",
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

// configSchema is that of the configuration file.
func configSchema() ([]byte, error) { return writtenSchema("config", config.Schema(flagsOfRun())) }

// targetsSchema is that of a list of targets.
func targetsSchema() ([]byte, error) {
	return writtenSchema("targets", config.TargetsSchema(flagsOfRun()))
}

// flagsOfRun are the flags that a file can set, and the values of those that have few.
func flagsOfRun() (*pflag.FlagSet, map[string][]string) {
	values := map[string][]string{}
	for _, flag := range []string{"profile", "evidence"} {
		values[flag] = completed[flag](defaultProfile)
	}
	return newSettings(pflag.NewFlagSet("run", pflag.ContinueOnError)).flags, values
}

// baselineSchema is that of --baseline, skipBudgetSchema that of --skip-budget.
func baselineSchema() ([]byte, error) { return writtenSchema("baseline", policy.BaselineSchema()) }

func skipBudgetSchema() ([]byte, error) {
	return writtenSchema("skip-budget", policy.SkipBudgetSchema())
}

// writtenSchema is a JSON Schema under the name of its file.
func writtenSchema(name string, s map[string]any) ([]byte, error) {
	s["$schema"], s["$id"] = "https://json-schema.org/draft/2020-12/schema", schemas.Address+name+".schema.json"
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		return nil, fmt.Errorf("write a schema: %w", err)
	}
	return b.Bytes(), nil
}
