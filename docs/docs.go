// SPDX-License-Identifier: Apache-2.0

// Package docs holds the pages of the documentation, and says what the program itself shows of them: the same as they do.
package docs

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

//go:embed operators.md
var operators string

// A Setting is something that an operator can configure, as operators.md has it.
type Setting struct {
	Profile string // that it is for; empty: every one that has no entry of its own
	Kind    string // hook, cue or token
	Name    string
	What    string // what is configured: Markdown
	Gets    string // what a hook is told; empty: nothing
	Answers string // what it answers; empty: nothing
	Example string // its line in a configuration file, where the page has one
}

// Settings are all of them, in the order of the page.
func Settings() []Setting {
	all := hooksOf(profiles.All)
	for _, p := range profiles.All {
		all = append(all, cuesOf(p)...)
	}
	return append(all, tokens()...)
}

// SettingFor is what an operator configures for a profile under a name; false: nobody says.
func SettingFor(p profiles.Profile, kind, name string) (Setting, bool) {
	var all []Setting // what is meant comes first
	switch kind {
	case "hook":
		if h, known := p.Hook(name); known {
			return hookOf(append([]profiles.Profile{p}, profiles.All...), h), true
		}
	case "cue":
		all = append(cuesOf(p), cuesOf(profiles.Of(profiles.Default))...)
	case "token":
		all = tokens()
	}
	if i := slices.IndexFunc(all, func(l Setting) bool { return l.Name == name }); i >= 0 {
		return all[i], true
	}
	return Setting{}, false
}

// hooksOf are the hooks of profiles. What several of them have stands there once.
func hooksOf(rows []profiles.Profile) []Setting {
	var all []Setting
	seen := map[hooks.Hook]bool{}
	for _, p := range rows {
		for _, h := range p.Hooks {
			if !seen[h] {
				all = append(all, hookOf(rows, h))
			}
			seen[h] = true
		}
	}
	return all
}

// hookOf is a hook, with the names of the profiles that have it, unless the default one is among them.
func hookOf(rows []profiles.Profile, h hooks.Hook) Setting {
	l := Setting{Kind: "hook", Name: h.Name, What: h.Does, Gets: h.Gets, Answers: h.Answers}
	var have []string
	for _, p := range rows {
		if slices.Contains(p.Hooks, h) && !slices.Contains(have, p.Name) {
			have = append(have, p.Name)
		}
	}
	if slices.Contains(have, profiles.Default) {
		l.Example = example("hooks:", h.Name)
	} else {
		l.What = strings.Join(have, ", ") + ": " + l.What
	}
	return l
}

// cuesOf are the cues of a profile. Those of the default one are meant where another one has none of that name.
func cuesOf(p profiles.Profile) []Setting {
	var all []Setting
	for _, c := range p.Cues {
		l := Setting{Profile: p.Name, Kind: "cue", Name: c.Name, What: c.Does}
		if p.Name == profiles.Default {
			l.Profile, l.Example = "", example("cues:", c.Name)
		}
		all = append(all, l)
	}
	return all
}

// tokens are the rows of the page's table of tokens.
func tokens() []Setting {
	var all []Setting
	_, section, _ := strings.Cut(operators, "\n## Tokens\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		name := strings.TrimSpace(cells[0])
		if len(cells) < 2 || !strings.HasPrefix(name, "`") {
			continue
		}
		name = strings.Trim(name, "`")
		all = append(all, Setting{Kind: "token", Name: name, What: strings.TrimSpace(cells[1]), Example: example("tokens:", name)})
	}
	return all
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
