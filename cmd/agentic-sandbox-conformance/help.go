// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
)

// helpCommand is `help`, which refuses a command that does not exist.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print the help of a command",
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(c.Root(), args[0])
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}

// refuseUnknownShell makes `completion` without a shell it knows an error instead of a help text, and takes the Markdown out of its
// help.
func refuseUnknownShell(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		for _, shell := range c.Commands() {
			shell.Long = strings.NewReplacer("#### ", "", "\n\t", "\n  ").Replace(shell.Long)
		}
		c.Args = cobra.ArbitraryArgs
		c.RunE = func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return usage("completion needs a shell: bash, fish, powershell or zsh")
		}
	}
}

// plainUsage is the help of every command but run.
var plainUsage = (&cobra.Command{}).UsageFunc()

// meaningOfExitCodes is what the codes mean that end a run: those of run.
const meaningOfExitCodes = `Exit codes:
  0 everything held   1 a requirement is broken   2 usage or configuration   3 target unreachable
  4 credentials rejected   5 nothing failed, but not everything was measured, or the policy (--strict, --skip-budget,
  --baseline) is not met   70 internal error; do not rely on these results   130 interrupted; the partial report is written
`

// examplesOfRuns are the first runs of most people.
const examplesOfRuns = `An executor, with a token from a file:

  ` + program + ` https://sandbox.example/ --token-file token.txt

Some requirements alone, with a line for each:

  ` + program + ` https://sandbox.example/ --token-file token.txt --run 'TASK-*' --verbose

A gate, which fails on warnings and on what was not measured, and accepts what a file lists:

  ` + program + ` --config gate.yaml --strict --baseline known.yaml`

// runUsage is the help of run: its flags by topic, and for the root the commands.
func runUsage(c *cobra.Command, s *settings) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s [flags]\n", c.CommandPath())
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND [flags]\n\nCommands:\n", c.CommandPath())
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-12s %s\n", sub.Name(), sub.Short)
			}
		}
	}
	fmt.Fprintf(&b, "\nYou can also set every flag in the environment (%sEXECUTOR_URL for --executor-url) or in the\nconfiguration file (executor-url: ...); a flag overrides the environment, which overrides the file.\n\n%s\n", config.EnvPrefix, s.help())
	fmt.Fprintf(&b, "\nExamples:\n\n%s\n", examplesOfRuns)
	fmt.Fprint(&b, "\n"+meaningOfExitCodes)
	return b.String()
}
