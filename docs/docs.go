// SPDX-License-Identifier: Apache-2.0

// Package docs holds the pages of the documentation, and reads what the program itself shows of them: so that it says the
// same as they do.
package docs

import (
	_ "embed"
	"strings"
)

//go:embed operators.md
var operators string

// A Lending is something that an operator can lend, as operators.md has it.
type Lending struct {
	Profile string // that it is for; empty: every one that has no entry of its own
	Kind    string // hook, cue or token
	Name    string
	What    string // what is lent: Markdown
	Gets    string // what a hook is told; empty: nothing
	Answers string // what it answers; empty: nothing
	Example string // its line in a configuration file, where the page has one
}

// lists are the tables of operators.md and where an entry stands in a configuration file.
var lists = []struct{ kind, heading, member string }{{"hook", "## Hooks", "hooks:"}, {"cue", "## Cues", "cues:"}, {"token", "## Tokens", "tokens:"}}

// Lendings are the rows of the tables of operators.md, in their order.
func Lendings() []Lending {
	var all []Lending
	for _, list := range lists {
		_, section, _ := strings.Cut(operators, "\n"+list.heading+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		profile := ""
		for line := range strings.Lines(section) {
			if heading, is := strings.CutPrefix(line, "### Cues of "); is {
				profile = strings.TrimSpace(heading)
			}
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
			name := strings.Trim(strings.TrimSpace(cells[0]), "`")
			if len(cells) < 2 || !strings.HasPrefix(strings.TrimSpace(cells[0]), "`") {
				continue
			}
			l := Lending{Profile: profile, Kind: list.kind, Name: name, What: strings.TrimSpace(cells[1])}
			if profile == "" {
				l.Example = example(list.member, name)
			}
			if list.kind == "hook" && len(cells) == 4 {
				l.Gets, l.Answers = told(cells[2]), told(cells[3])
			}
			all = append(all, l)
		}
	}
	return all
}

// LendingFor is what an operator lends for a profile under a name; false: the page does not say.
func LendingFor(profile, kind, name string) (Lending, bool) {
	var found Lending
	for _, l := range Lendings() {
		if l.Kind == kind && l.Name == name && (l.Profile == profile || l.Profile == "" && found.Name == "") {
			found = l
		}
	}
	return found, found.Name != ""
}

// told is a cell, empty where it holds a dash.
func told(cell string) string {
	if cell = strings.TrimSpace(cell); cell == "–" {
		return ""
	}
	return cell
}

// example is the line of an entry in the configuration file that the page shows whole.
func example(member, name string) string {
	_, file, _ := strings.Cut(operators, "```yaml\n")
	file, _, _ = strings.Cut(file, "```")
	_, entries, _ := strings.Cut("\n"+file, "\n"+member+"\n")
	for line := range strings.Lines(entries) {
		if !strings.HasPrefix(line, "  ") {
			return ""
		}
		if strings.HasPrefix(line, "  "+name+":") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
