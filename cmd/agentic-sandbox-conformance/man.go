// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand is `man FOLDER`, which writes the man pages: one for each command. Packages are made with it. It is not listed among the
// commands, because nobody who runs the program needs it every day.
func (a *app) manCommand() *cobra.Command {
	c := &cobra.Command{
		Use:    "man FOLDER",
		Short:  "Write the man pages, one for each command, into a folder",
		Hidden: true,
		Long: `Write the man pages, one for each command, into a folder that is there:

  ` + program + ` man /usr/local/share/man/man1

Their date is today, or that of SOURCE_DATE_EPOCH.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("which folder? %s FOLDER, for example ~/.local/share/man/man1", c.CommandPath())
			}
			return nil
		},
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		root := c.Root()
		root.DisableAutoGenTag = true
		for _, c := range append(root.Commands(), root) {
			if isRun(c) {
				c.Long += "\n\n" + meaningOfExitCodes
			}
		}
		err := doc.GenManTree(root, &doc.GenManHeader{Title: strings.ToUpper(program), Section: "1", Source: program + " " + tool().Version, Manual: "User Commands"}, args[0])
		if err != nil {
			return usage("write the man pages: %w", err)
		}
		return nil
	}
	return c
}
