// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
)

// manPage is the page of a command, in the macros of man(7). It is made from the help: what is indented there stands as it is, and
// the exit codes are a list.
func manPage(c *cobra.Command, date string) string {
	var b strings.Builder
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	// Neither hyphenated nor adjusted: a name that is cut in two cannot be copied.
	// The title is that of the program: twice in a line, those of the commands are too long.
	fmt.Fprintf(&b, ".TH %s 1 %s \"%s\" \"User Commands\"\n.nh\n.ad l\n", inRoff(strings.ToUpper(program)), date, inRoff(tool().Version))
	fmt.Fprintf(&b, ".SH NAME\n%s\n", strings.Replace(prose(name+" \x00 "+c.Short), "\x00", `\-`, 1))
	path, arguments := c.CommandPath(), strings.TrimPrefix(c.UseLine(), c.CommandPath())
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n%s\n", inRoff(path), prose(arguments))
	if c.HasAvailableSubCommands() && c.Runnable() {
		fmt.Fprintf(&b, ".PP\n.B %s\n.I COMMAND\n[flags]\n", inRoff(path))
	}
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	text, codes, _ := strings.Cut(text, "\nExit codes:\n")
	if isRun(c) {
		_, codes, _ = strings.Cut(meaningOfExitCodes, "\n")
	}
	b.WriteString(".SH DESCRIPTION\n" + paragraphs(text))
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range withPages(c)[1:] {
			if sub.Parent() == c {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", inRoff(sub.Name()), prose(sub.Short))
			}
		}
	}
	b.WriteString(".SH OPTIONS\n" + options(c))
	if codes != "" {
		b.WriteString(".SH EXIT STATUS\n")
		for _, code := range oneExitCode.FindAllStringSubmatch(separated.ReplaceAllString(codes, "\n$1"), -1) {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", code[1], prose(code[2]))
		}
	}
	if c.Flags().Lookup("config") != nil {
		fmt.Fprintf(&b, ".SH ENVIRONMENT\n%s\n", prose(fmt.Sprintf("Every flag can be set in the environment, as %sEXECUTOR_URL for --executor-url; "+
			"a flag overrides the environment, which overrides the configuration file.", config.EnvPrefix)))
		fmt.Fprintf(&b, ".SH FILES\n.TP\n.I %s\n%s\n", inRoff(config.FileName), prose("The configuration file in the current folder: flags, tokens, hooks and cues. init writes one."))
	}
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + paragraphs(c.Example))
	}
	b.WriteString(".SH SEE ALSO\n" + seeAlso(c))
	return b.String()
}

var (
	intoAFile    = regexp.MustCompile(`^(.*) > ([^"]*)/([^"/]+)$`)
	beforeAQuote = regexp.MustCompile(`^(.*) > (".*)$`)
	beforeAFlag  = regexp.MustCompile(`^(.{20,64}) (--.*)$`)
	separated    = regexp.MustCompile(`(?m)(?:^  |   )(\d+ )`)
	oneExitCode  = regexp.MustCompile(`(?m)^(\d+) ((?:[^\n]|\n  )*)`)
)

// paragraphs of a help text. Those that are indented are lines of a program or a table, and stay lines.
func paragraphs(text string) string {
	var b strings.Builder
	for i, p := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		switch {
		case strings.HasPrefix(p, "  "):
			fmt.Fprintf(&b, ".PP\n.RS 2\n.nf\n%s\n.fi\n.RE\n", asItIs(p))
		case i == 0:
			b.WriteString(prose(p) + "\n")
		default:
			b.WriteString(".PP\n" + prose(p) + "\n")
		}
	}
	return b.String()
}

// options are the flags of a command, under the topics that its help has.
func options(c *cobra.Command) string {
	var topics []string
	byTopic := map[string]string{}
	c.InitDefaultHelpFlag()
	c.Flags().SortFlags = false
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		topic := strings.Join(f.Annotations[topicOfFlag], "")
		if !slices.Contains(topics, topic) {
			topics = append(topics, topic)
		}
		byTopic[topic] += option(f)
	})
	slices.SortStableFunc(topics, func(a, b string) int { return min(len(a), 1) - min(len(b), 1) })
	var b strings.Builder
	for _, topic := range topics {
		if topic != "" {
			fmt.Fprintf(&b, ".SS %s\n", inRoff(topic))
		}
		b.WriteString(byTopic[topic])
	}
	return b.String()
}

func option(f *pflag.Flag) string {
	value, usage := pflag.UnquoteUsage(f)
	head := `\fB` + inRoff("--"+f.Name) + `\fR`
	if f.Shorthand != "" {
		head = `\fB` + inRoff("-"+f.Shorthand) + `\fR, ` + head
	}
	if value != "" {
		head += ` \fI` + inRoff(value) + `\fR`
	}
	if d := strings.Trim(f.DefValue, "[]"); !slices.Contains([]string{"", "false", "0", "0s"}, d) && !strings.Contains(usage, "(default") {
		usage += " (default: " + d + ")"
	}
	return ".TP\n" + head + "\n" + prose(usage) + "\n"
}

// seeAlso names the commands above and below.
func seeAlso(c *cobra.Command) string {
	var names []string
	if c.HasParent() {
		names = append(names, c.Parent().CommandPath())
	}
	for _, sub := range withPages(c)[1:] {
		if sub.Parent() == c {
			names = append(names, sub.CommandPath())
		}
	}
	var b strings.Builder
	for i, name := range names {
		comma := ","
		if i == len(names)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, ".BR %s (1)%s\n", inRoff(strings.ReplaceAll(name, " ", "-")), comma)
	}
	return b.String()
}

// prose is text that is filled. Its lines are those that a reader of the source finds bearable.
func prose(text string) string {
	var b strings.Builder
	width := 0
	for _, word := range strings.Fields(text) {
		shown := inRoff(word)
		if len(word) > 40 {
			shown = betweenParts.Replace(shown)
		}
		switch {
		case width == 0:
			shown = guardedLine(shown)
		case width+1+len(shown) > 78:
			b.WriteByte('\n')
			width = 0
			shown = guardedLine(shown)
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(shown)
		width += len(shown)
	}
	return b.String()
}

// betweenParts is where a word that is longer than a line may be cut.
var betweenParts = strings.NewReplacer("/", `/\:`, "|", `|\:`)

// asItIs is a block whose lines stay. A command that is wider than a page is written in several lines, as the shells allow it.
func asItIs(block string) string {
	var lines []string
	for _, line := range strings.Split(block, "\n") {
		line = strings.TrimPrefix(line, "  ")
		if len(line) > 68 {
			line = intoAFile.ReplaceAllString(line, "cd $2\n$1 \\\n  > $3")
			line = beforeAQuote.ReplaceAllString(line, "$1 \\\n  > $2")
			line = strings.Replace(line, " | ", " |\n  ", 1)
			line = beforeAFlag.ReplaceAllString(line, "$1 \\\n  $2")
		}
		for _, l := range strings.Split(line, "\n") {
			lines = append(lines, guardedLine(inRoff(l)))
		}
	}
	return strings.Join(lines, "\n")
}

// guardedLine keeps a line from being a request to the formatter.
func guardedLine(line string) string {
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		return `\&` + line
	}
	return line
}

// inRoff keeps the characters that a shell reads from being made typographic ones.
var inRoff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace
