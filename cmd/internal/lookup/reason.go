// SPDX-License-Identifier: Apache-2.0

package lookup

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/explain"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/needs"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// maxListed is how many tests are listed with what they need, and one more where it is the last: its line is as long as the one that
// would speak of it.
const maxListed = 12

// knownReasons are the codes that explain takes: those of skips, and of blocks.
func knownReasons(p *suites.Profile) []string { return append(needs.Reasons(p), "blocked") }

// reason says why tests are skipped for a reason, what to do about it, and which tests of the profiles those are.
func (l *Lookup) reason(profiles []*suites.Profile, code string) {
	w := l.W
	fmt.Fprintf(w, "%s\n\n", code)
	switch kind, name, _ := strings.Cut(strings.TrimPrefix(code, "no-"), ":"); {
	case name != "" && kind != code && (kind == "hook" || kind == "cue" || kind == "token"):
		l.setting(profiles, kind, name)
	case code == "no-session":
		explain.Paragraph(w, 1, "There is no terminal session to attach to: the contract does not say how one comes to be.")
		fmt.Fprintln(w)
		l.setting(profiles, "hook", "create-session")
		fmt.Fprint(w, "Or name sessions that are there, each of which is used once: --session ID, repeatable.\n\n")
	case code == "blocked":
		explain.Paragraph(w, 1, "The requirement applies, but what has to work before it can be judged did not: it is neither kept nor broken.")
		explain.Paragraph(w, 1, "The report names the root cause, and the exchange. What blocks a test is a failure of another one, mostly; start there.")
		fmt.Fprintln(w)
	default:
		tellMeaning(w, code)
	}
	listTests(w, profiles, code)
}

// tellMeaning says what a reason means, as the page on reports has it, and what can be done about it.
func tellMeaning(w io.Writer, code string) {
	remedy, name := phrases.Remedy(code)
	says := name != "" && strings.HasPrefix(remedy, "nothing to configure: ") // and why, by name
	if means := docs.ReasonMeans(code); means != "" && !says {
		explain.Paragraph(w, 1, sentenceOf(means))
		fmt.Fprintln(w)
	}
	if remedy == "" {
		explain.Paragraph(w, 1, "Decided at run time by what the target does; the conditions are listed below the tests.")
		fmt.Fprintln(w)
		return
	}
	fmt.Fprintln(w, "What to do")
	explain.Paragraph(w, 1, sentenceOf(strings.ReplaceAll(remedy, "$", name)))
	fmt.Fprintln(w)
}

// sentenceOf makes a sentence of a part of the documentation.
func sentenceOf(markdown string) string {
	text := explain.Plain(markdown)
	if strings.HasPrefix(text, "--") || text == "" {
		return text + "."
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// setting says what an operator configures under a name, and how: for each profile that has it otherwise.
func (l *Lookup) setting(profiles []*suites.Profile, kind, name string) {
	w := l.W
	own, is := hooks.OperationCalled(name)
	if is = is && kind == "hook"; is {
		explain.Paragraph(w, 1, sentenceOf(own.Lacks))
	} else {
		explain.Paragraph(w, 1, fmt.Sprintf("No %s %s is configured.", kind, name))
	}
	fmt.Fprintln(w)
	var all []docs.Setting
	for _, p := range profiles {
		if setting, there := docs.SettingFor(p.Row, kind, name); there && !slices.Contains(all, setting) {
			all = append(all, setting)
		}
	}
	for _, setting := range all {
		of := ""
		if setting.Profile != "" {
			of = " for " + setting.Profile
		}
		fmt.Fprintf(w, "What to configure%s\n", of)
		explain.Paragraph(w, 1, explain.Plain(setting.What)+".")
		if setting.Gets != "" {
			explain.Paragraph(w, 1, "It is told: "+explain.Plain(setting.Gets)+".")
		}
		if setting.Answers != "" {
			explain.Paragraph(w, 1, "It answers: "+explain.Plain(setting.Answers)+".")
		}
		if is && own.Name == hooks.ClientCert { // it is given by flags
			fmt.Fprintln(w)
			continue
		}
		fmt.Fprintf(w, "\nIn the configuration file (%s, or --config FILE; docs/operators.md has a whole one)\n  %ss:\n", l.Program.ConfigName, kind)
		for i, line := range flowLines(exampleOf(setting), maxConfigLine) {
			fmt.Fprintf(w, "%s%s\n", []string{"    ", "      "}[min(i, 1)], line)
		}
		fmt.Fprintln(w)
	}
}

// maxConfigLine is the longest line of the configuration file that is shown, without what it is indented by.
const maxConfigLine = 110

// flowLines breaks a line of YAML behind commas, where one in the flow style may be broken.
func flowLines(text string, most int) []string {
	var lines []string
	for len(text) > most {
		at := lastComma(text, most)
		if at < 0 {
			break
		}
		lines, text = append(lines, text[:at+1]), strings.TrimSpace(text[at+1:])
	}
	return append(lines, text)
}

// lastComma finds the last comma with a blank behind it among the first bytes of a line of YAML that is not inside quotes; -1: there
// is none.
func lastComma(text string, most int) int {
	at, quote := -1, byte(0)
	for i := 0; i < most; i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ',' && text[i+1] == ' ':
			at = i
		}
	}
	return at
}

// exampleOf is a line of the configuration file that configures it.
func exampleOf(l docs.Setting) string {
	switch {
	case l.Example != "":
		return l.Example
	case l.Kind == "cue":
		return l.Name + `: "what you would tell the agent so that it does this"`
	case l.Kind == "token":
		return fmt.Sprintf("%s: ${SANDBOX_%s_TOKEN}", l.Name, strings.ToUpper(strings.ReplaceAll(l.Name, "-", "_")))
	case strings.Contains(l.What, "`{value: true}`"):
		return l.Name + ": {value: true}"
	}
	return l.Name + `: {command: [program, argument]}   # or {url: "https://...", method: POST}, or {value: ...}`
}

// listTests lists the tests that can be skipped for the reason.
func listTests(w io.Writer, profiles []*suites.Profile, code string) {
	if code == "blocked" || slices.Contains(needs.AnyTest, code) {
		fmt.Fprint(w, "Tests that it can keep from being measured\n  any\n")
		return
	}
	shown := 0
	for _, p := range profiles {
		var met []*suites.Test
		for _, t := range p.Tests() {
			if slices.Contains(needs.ReasonsOf(t), code) {
				met = append(met, t)
			}
		}
		if len(met) == 0 {
			continue
		}
		if shown++; shown > 1 {
			fmt.Fprintln(w)
		}
		listMet(w, p, met, code)
	}
	if shown == 0 {
		fmt.Fprint(w, "Tests that it can keep from being measured (0)\n")
	}
}

// listMet lists the tests of a profile that the reason can meet, with what it depends on; those of which it depends on the
// same stand together.
func listMet(w io.Writer, p *suites.Profile, met []*suites.Test, code string) {
	of := ""
	if p.Name != profiles.Default {
		of = " of " + p.Name
	}
	fmt.Fprintf(w, "Tests%s that it can keep from being measured (%d)\n", of, len(met))
	rest := 0
	if len(met) > maxListed+1 {
		met, rest = met[:maxListed], len(met)-maxListed
	}
	for len(met) > 0 {
		depends := dependsOn(met[0], code)
		var others []*suites.Test
		for _, t := range met {
			if dependsOn(t, code) == depends {
				fmt.Fprintf(w, "  %s  %s\n", t.ID, t.Name)
			} else {
				others = append(others, t)
			}
		}
		fmt.Fprint(w, depends)
		met = others
	}
	if rest > 0 {
		fmt.Fprintf(w, "  and %d more: coverage lists what each test needs\n", rest)
	}
}

// dependsOn says under which conditions a test is skipped for a reason, each once.
func dependsOn(t *suites.Test, code string) string {
	var all []string
	for s := range needs.Steps(t) {
		for _, skip := range s.SkipUnless {
			var b strings.Builder
			if skip.Reason != code {
				continue
			}
			if explain.Skipped(&b, 2, skip); !slices.Contains(all, b.String()) {
				all = append(all, b.String())
			}
		}
	}
	return strings.Join(all, "")
}
