// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
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
		date := time.Now()
		if given := os.Getenv("SOURCE_DATE_EPOCH"); given != "" {
			seconds, err := strconv.ParseInt(given, 10, 64)
			if err != nil {
				return usage("SOURCE_DATE_EPOCH is not a number of seconds")
			}
			date = time.Unix(seconds, 0)
		}
		for _, page := range withPages(c.Root()) {
			path := filepath.Join(args[0], strings.ReplaceAll(page.CommandPath(), " ", "-")+".1")
			if err := os.WriteFile(path, []byte(manPage(page, date.UTC().Format(time.DateOnly))), 0o644); err != nil {
				return usage("write the man pages: %w", err)
			}
		}
		return nil
	}
	return c
}

// withPages is a command and all below it that has a page.
func withPages(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			all = append(all, withPages(sub)...)
		}
	}
	return all
}
