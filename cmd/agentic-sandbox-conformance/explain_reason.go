// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/report/phrases"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/explain"
	"github.com/roctinam/agentic-sandbox-conformance/suites/needs"
)

// maxListed is how many tests are listed with what they need.
const maxListed = 12

// knownReasons are the codes that explain takes: those of skips, and of blocks.
func knownReasons(p *suites.Profile) []string { return append(needs.Reasons(p), "blocked") }

// explainReason says why tests are skipped for a reason, what to do about it, and which tests of the profiles those are.
func explainReason(w io.Writer, profiles []*suites.Profile, code string) {
	fmt.Fprintf(w, "%s\n\n", code)
	switch kind, name, _ := strings.Cut(strings.TrimPrefix(code, "no-"), ":"); {
	case name != "" && kind != code && (kind == "hook" || kind == "cue" || kind == "token"):
		explainSetting(w, profiles, kind, name)
	case code == "no-session":
		fmt.Fprint(w, "  There is no terminal session to attach to: the contract does not say how one comes to be.\n\n")
		explainSetting(w, profiles, "hook", "create-session")
		fmt.Fprint(w, "Or name sessions that are there, each of which is used once: --session ID, repeatable.\n\n")
	case code == "blocked":
		fmt.Fprint(w, "  The requirement applies, but what has to work before it can be judged did not: it is neither kept nor broken.\n"+
			"  The report names the root cause, and the exchange. What blocks a test is a failure of another one, mostly; start there.\n\n")
	default:
		if remedy, name := phrases.Remedy(code); remedy != "" {
			fmt.Fprintf(w, "What to do\n  %s.\n\n", explain.Plain(strings.ReplaceAll(remedy, "$", name)))
		} else {
			fmt.Fprint(w, "  Decided at run time: there is nothing to judge unless the target does what stands below.\n\n")
		}
	}
	explainWho(w, profiles, code)
}

// explainSetting says what an operator configures under a name, and how: for each profile that has it otherwise.
func explainSetting(w io.Writer, profiles []*suites.Profile, kind, name string) {
	fmt.Fprintf(w, "  No %s %s is configured.\n\n", kind, name)
	var all []docs.Setting
	for _, p := range profiles {
		if l, there := docs.SettingFor(p.Row, kind, name); there && !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	for _, l := range all {
		of := ""
		if l.Profile != "" {
			of = " for " + l.Profile
		}
		fmt.Fprintf(w, "What to configure%s\n  %s.\n", of, explain.Plain(l.What))
		if l.Gets != "" {
			fmt.Fprintf(w, "  It is told: %s.\n", explain.Plain(l.Gets))
		}
		if l.Answers != "" {
			fmt.Fprintf(w, "  It answers: %s.\n", explain.Plain(l.Answers))
		}
		fmt.Fprintf(w, "\nIn the configuration file (%s, or --config FILE; docs/operators.md has a whole one)\n  %ss:\n    %s\n\n", configName, kind, exampleOf(l))
	}
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

// explainWho lists the tests that can be skipped for the reason.
func explainWho(w io.Writer, profiles []*suites.Profile, code string) {
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
		explainMet(w, p, met, code)
	}
	if shown == 0 {
		fmt.Fprint(w, "Tests that it can keep from being measured (0)\n")
	}
}

// explainMet lists the tests of a profile that the reason can meet, with what it depends on.
func explainMet(w io.Writer, p *suites.Profile, met []*suites.Test, code string) {
	of := ""
	if p.Name != defaultProfile {
		of = " of " + p.Name
	}
	fmt.Fprintf(w, "Tests%s that it can keep from being measured (%d)\n", of, len(met))
	for i, t := range met {
		if i == maxListed {
			fmt.Fprintf(w, "  and %d more: coverage lists what each test needs\n", len(met)-i)
			break
		}
		fmt.Fprintf(w, "  %s  %s\n", t.ID, t.Name)
		for s := range needs.Steps(t) {
			for _, skip := range s.SkipUnless {
				if skip.Reason == code {
					explain.GoesOn(w, 2, skip.Unless)
				}
			}
		}
	}
}
