// SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/schemas"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
	"github.com/roctinam/agentic-sandbox-conformance/suites/yamltext"
)

// notForTheFile are flags of init that a configuration does not repeat as they are.
var notForTheFile = []string{"executor-url", "instance", "profile"}

// A draft is a configuration file that is being written.
type draft struct{ strings.Builder }

func (d *draft) comment(format string, args ...any) {
	for line := range strings.Lines(fmt.Sprintf(format, args...)) {
		d.WriteString(strings.TrimRight("# "+console.Escaped(strings.TrimRight(line, "\n")), " ") + "\n")
	}
}

func (d *draft) line(name, value string) { d.WriteString(name + ": " + value + "\n") }

// A First is what the first configuration file for a target is made of.
type First struct {
	Program string         // that writes it
	Flags   *pflag.FlagSet // as they were given
	Seen    *runner.Survey
	Target  runner.Target
}

// Text is a configuration file for a target that has been looked at: what was seen is filled in, what is missing is commented.
func (f *First) Text() string {
	d := &draft{}
	d.WriteString("# yaml-language-server: $schema=" + schemas.Address + "config.schema.json\n")
	d.comment("Configuration of %s, written by init. docs/operators.md explains every entry, explain REASON some.", f.Program)
	d.WriteString("\n")
	f.targetLines(d)
	d.WriteString("\n")
	f.credentialLines(d)
	d.WriteString("\n")
	steps(d, f.Seen)
	return d.String()
}

// given is the value of a flag, wherever it came from.
func (f *First) given(flag string) string { return f.Flags.Lookup(flag).Value.String() }

// targetLines say who is asked, and what was seen there.
func (f *First) targetLines(d *draft) {
	seen := f.Seen
	if card := strings.TrimSpace(seen.Card); card != "" {
		d.comment("Seen: the card of %s%s.", console.Shown(card), declared(seen.Claims))
	} else if profiles.Of(f.given("profile")).LooksAt == "" { // there a card is looked for
		d.comment("Seen: no card that could be read.")
	}
	for _, at := range seen.Interfaces {
		d.comment("Seen: an interface over %s", console.Shown(at))
	}
	d.line("executor-url", yamlText(f.given("executor-url")))
	if seen.ByCard != nil {
		d.comment("The card decided: %s.", seen.ByCard.Because)
	}
	d.comment("Named here, so that no later card decides otherwise.")
	d.line("profile", yamlText(f.given("profile")))
	switch {
	case seen.Chosen:
		d.comment("The first that is ready. Without this line each run takes the first that is ready then.")
		d.line("instance", yamlText(seen.Instance))
	case f.given("instance") != "":
		d.line("instance", yamlText(f.given("instance")))
	}
	if seen.Admin != "" && f.given("admin-url") == "" {
		d.comment("Derived from the URL; fill it in if the admin surface is elsewhere.")
		d.comment("admin-url: %s", yamlText(seen.Admin))
	}
	f.Flags.VisitAll(func(f *pflag.Flag) {
		if !f.Changed || SecretFlags[f.Name] || slices.Contains(notForTheFile, f.Name) || f.Value.String() == "-" {
			return
		}
		list, many := f.Value.(pflag.SliceValue)
		if !many {
			d.line(f.Name, yamlText(f.Value.String()))
			return
		}
		var items []string
		for _, item := range list.GetSlice() {
			items = append(items, yamlText(item))
		}
		d.line(f.Name, "["+strings.Join(items, ", ")+"]")
	})
}

// declared lists the claims of a card, as far as they fit on a line.
func declared(claims []report.Claim) string {
	var names []string
	for _, c := range claims {
		name := c.Name
		if i := strings.Index(name, "/extensions/"); i >= 0 {
			name = name[i+len("/extensions/"):]
		}
		names = append(names, console.Shown(name))
	}
	const most = 12
	if len(names) == 0 {
		return ""
	}
	text := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return ", which declares " + text
}

// credentialLines say who is let in, and where the tokens come from. No token is written.
func (f *First) credentialLines(d *draft) {
	if !f.Seen.Auth {
		d.comment("Seen: requests without credentials are answered. If they should be refused, say so:")
		d.comment("require-auth: true")
	} else {
		d.comment("Seen: requests without credentials are refused.")
	}
	for _, c := range []struct{ identity, flag, what string }{{"instance", "token", "the instance"}, {"admin", "admin-token", "the admin surface"}} {
		file := f.Flags.Lookup(c.flag + "-file")
		if f.Target.Tokens[c.identity] != "" && (!file.Changed || file.Value.String() == "-") {
			d.comment("The token of %s was given and is not written here. Give it again in %s%s,\nor name a file that holds it:", c.what, EnvPrefix, strings.ToUpper(strings.ReplaceAll(c.flag, "-", "_")))
			d.comment("%s-file: FILE", c.flag)
		}
	}
	for _, name := range []string{"header", "public-header"} {
		if lines := f.Flags.Lookup(name).Value.(pflag.SliceValue).GetSlice(); len(lines) > 0 {
			d.comment("Headers were given and are not written here, since they may hold secrets: name a variable of the environment.")
			for _, header := range HeaderNames(lines) {
				d.comment("%s: [\"%s: ${VARIABLE}\"]", name, header)
			}
		}
	}
}

// steps are what is missing, as comments.
func steps(d *draft, seen *runner.Survey) {
	d.comment("As it is, a run measures about %s. Some tests see only while they are played\nthat they do not apply: what they are about does not happen there, or answers do not have that form. A report has the exact share.",
		report.ShareOf(seen.Measured, seen.Requirements))
	sections := map[string][]string{}
	var order []string
	add := func(section string, lines ...string) {
		if section != "" && !slices.Contains(order, section) {
			order = append(order, section)
		}
		sections[section] = append(sections[section], lines...)
	}
	if seen.Second != "" {
		add("hooks", "  # Seen: another instance that takes the same token.", "  second-instance: {value: "+yamlText(seen.Second)+"}")
	}
	if seen.Next != nil {
		if len(seen.Next.Steps) > 0 {
			d.comment("More is measured with what follows: fill in what is written in capitals, and take the # in front of the line away. In this order it adds most:")
		}
		for i := range seen.Next.Steps {
			step := &seen.Next.Steps[i]
			d.comment("  %2d. +%d with %s: then about %s", i+1, step.Adds, step.Title(), report.ShareOf(step.Measured, seen.Requirements))
			stepLines(step.Lines, add)
		}
		// What several steps need stands there once, with what it adds by itself: the shorter ones come first.
		given := map[string]bool{}
		once := func(section string, lines ...string) {
			if entry := section + "\n" + lines[len(lines)-1]; !given[entry] {
				given[entry] = true
				add(section, lines...)
			}
		}
		ifTrue := slices.SortedStableFunc(slices.Values(seen.Next.IfTrue), func(a, b report.Step) int {
			return cmp.Compare(strings.Count(a.Lines, "\n"), strings.Count(b.Lines, "\n"))
		})
		for i := range ifTrue {
			stepLines(ifTrue[i].Lines, once)
		}
		for i := range seen.Next.Cases {
			stepLines(seen.Next.Cases[i].Lines, once)
		}
	}
	for _, line := range sections[""] {
		d.WriteString(line + "\n")
	}
	for _, section := range order {
		d.WriteString("\n" + section + ":\n" + strings.Join(sections[section], "\n") + "\n")
	}
}

// stepLines hands on the lines of a step as comments, each with the section that it stands in.
func stepLines(lines string, add func(section string, lines ...string)) {
	section, remark := "", []string(nil)
	for line := range strings.SplitSeq(strings.TrimRight(lines, "\n"), "\n") {
		text := strings.TrimLeft(line, " ")
		switch indent := line[:len(line)-len(text)]; {
		case indent == "" && strings.HasSuffix(text, ":") && keyNamed(sections, strings.TrimSuffix(text, ":")) != nil:
			section = strings.TrimSuffix(text, ":")
		case strings.HasPrefix(text, "#"):
			remark = append(remark, line)
		default:
			add(section, append(remark, indent+"# "+text)...)
			remark = nil
		}
	}
	if remark != nil {
		add(section, remark...)
	}
}

// plainYAML is what YAML reads as the text that it looks like, or as a number or truth value whose spelling is kept.
var plainYAML = regexp.MustCompile(`^[a-zA-Z0-9/][a-zA-Z0-9:/._-]*$`)

// yamlText is a text as a value of YAML that is read back as it is.
func yamlText(text string) string {
	if plainYAML.MatchString(text) && !strings.HasSuffix(text, ":") && !strings.EqualFold(text, "null") {
		return text
	}
	return yamltext.Quoted(strings.ReplaceAll(text, "${", "$${"))
}
