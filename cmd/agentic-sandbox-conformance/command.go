// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
)

const program = "agentic-sandbox-conformance"

// app is one invocation: where it reads from and writes to.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) (string, bool)
	now            func() time.Time // decides which waivers have expired
	secrets        knownSecrets
}

// execute runs one command line and returns the exit code.
func (a *app) execute(args []string) (code int) {
	a.secrets.learn(commandLine(args, a.env))
	a.stderr = &cleaned{&a.secrets, a.stderr}
	out := &outlet{to: a.stdout}
	a.stdout = out
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(a.stderr, "%s: bug: %v\n%s\n", program, p, debug.Stack())
			a.lastLine(exitBug)
			code = exitBug
		}
	}()
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	command, err := root.ExecuteC()
	if err = out.settle(err); err == nil {
		return exitPass
	}
	code = exitCode(err)
	var e *exit
	if !errors.As(err, &e) || e.err != nil {
		said := console.Lines(err)
		if code == exitUsage {
			said = guarded(said)
		}
		fmt.Fprintf(a.stderr, "%s: %s\n", program, said)
		if isRun(command) {
			a.lastLine(code)
		}
	}
	return code
}

// lastLine is what a gate that reads the last line sees of a run that made no report.
func (a *app) lastLine(code int) {
	fmt.Fprintf(a.stderr, "CONFORMANCE-ERROR code=%d report=none\n", code)
}

func isRun(c *cobra.Command) bool { return c.Name() == "run" || c.Name() == program }

// rootCommand is the command tree. Without a subcommand the root itself is `run`.
func (a *app) rootCommand() *cobra.Command {
	root := a.runCommand()
	root.Use = program + " [URL]"
	root.Short = "Tell whether an executor keeps its contract"
	root.Long = `Run the contract's test suites against a live executor and report what holds.

Without a subcommand this is "run". To see it work without an executor of your own:

  ` + program + ` demo`
	root.SilenceErrors, root.SilenceUsage = true, true
	root.Version = inOneLine(tool())
	root.SetVersionTemplate("{{.Version}}\n")
	root.SuggestionsMinimumDistance = 2
	root.AddCommand(a.runCommand(), a.demoCommand(), a.listCommand(), a.explainCommand(), a.referenceCommand(),
		a.selfTestCommand(), a.lintCommand(), a.schemaCommand(), a.coverageCommand(), a.renderCommand(), a.diffCommand(), a.versionCommand(),
		a.mergeCommand(), a.attestCommand(), a.verifyCommand(), a.doctorCommand(), a.initCommand(), a.manCommand())
	for _, c := range append(root.Commands(), root) {
		offerValues(c)
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand())
	root.InitDefaultCompletionCmd()
	refuseUnknownShell(root)
	return root
}

// flagError adds the flag that was probably meant. Of what was written only the name of a flag is repeated: the rest may
// be a token.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var malformed *pflag.InvalidSyntaxError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &invalid):
		return usage("--%s: %v", invalid.GetFlag().Name, config.Malformed(errors.New("the value is malformed"), invalid.GetFlag()))
	case errors.As(err, &malformed):
		return usage("a flag is malformed; flags are written --name value or --name=value")
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return usage("unknown shorthand flag -%s; %s --help lists the flags", console.Escaped(fmt.Sprintf("%.1s", unknown.GetSpecifiedName())), c.CommandPath())
	case errors.As(err, &unknown):
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if meant := spelling.Nearest(unknown.GetSpecifiedName(), known); meant != "" {
			return usage("%w (did you mean --%s?)", err, meant)
		}
		return usage("%w; %s --help lists the flags", err, c.CommandPath())
	}
	return usage("%w", err)
}

// addressWithoutScheme is what somebody types who leaves http:// out.
var addressWithoutScheme = regexp.MustCompile(`^(localhost|[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+|\[[0-9a-fA-F:.]+\]|[a-zA-Z0-9-]+:[0-9]{1,5})(:[0-9]{1,5})?(/\S*)?$`)

// otherScheme begins addresses that are no http ones.
var otherScheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*://`)

// urlOrNothing takes the URL of an executor in place of --executor-url, and refuses everything else as noArguments does.
func (s *settings) urlOrNothing(c *cobra.Command, args []string) error {
	if len(args) != 1 || !strings.HasPrefix(args[0], "http://") && !strings.HasPrefix(args[0], "https://") {
		return noArguments(c, args)
	}
	if c.Flags().Changed("executor-url") {
		return usage("the executor is given twice: by --executor-url, and as an argument")
	}
	return c.Flags().Set("executor-url", args[0])
}

// noArguments refuses what stands behind the flags, and says what it may have been meant as. With a token on the
// command line the rest of it is not repeated: it may be the second half of the token.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	for name := range config.SecretFlags {
		if c.Flags().Changed(name) {
			return usage("unexpected argument; write a token without \"Bearer\", a header in quotes")
		}
	}
	if strings.Contains(c.Use, "[URL]") && addressWithoutScheme.MatchString(args[0]) {
		return usage("an address needs its scheme: write http:// or https:// in front of it")
	}
	if strings.Contains(c.Use, "[URL]") && otherScheme.MatchString(args[0]) && !strings.HasPrefix(args[0], "http") {
		return usage("an address begins with http:// or https://")
	}
	if c.HasSubCommands() {
		return unknownCommand(c, args[0])
	}
	return usage("%s takes no arguments, but was given %s", c.CommandPath(), unknownWord(args[0]))
}

// otherWordsForInit are what other programs call it.
var otherWordsForInit = []string{"config", "configure", "setup", "new", "create", "initialize", "initialise", "start", "bootstrap"}

func unknownCommand(parent *cobra.Command, name string) error {
	var known []string
	for _, sub := range parent.Commands() {
		known = append(known, sub.Name())
	}
	meant := spelling.DidYouMean(name, known)
	if slices.Contains(otherWordsForInit, name) {
		meant = spelling.DidYouMean("init", known)
	}
	return usage("unknown command %s%s; %s --help lists the commands", unknownWord(name), meant, parent.CommandPath())
}
