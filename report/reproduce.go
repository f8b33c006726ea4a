// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// toolName is the command that people type.
const toolName = "agentic-sandbox-conformance"

func (m *markdown) reproduce() {
	m.f("## How to reproduce\n\n")
	m.f("The whole run, with credentials from `AGENTIC_SANDBOX_CONFORMANCE_TOKEN` and `AGENTIC_SANDBOX_CONFORMANCE_ADMIN_TOKEN`:\n\n")
	m.f("%s\n", fenced("sh", show.Clip(m.run.command(), 8<<10)))
	if lent := m.run.lent(); len(lent) > 0 {
		m.f("Also configured, in the configuration file or by flags whose values are not recorded: %s.\n\n", prose(strings.Join(lent, "; ")))
	}
	m.f("One test: the same with `--run ID --report-out rerun/ID.md`. What a test asks, in full: `%s explain ID`.\n", toolName)
	m.f("That the tests can fail is shown by `%s self-test`.\n", toolName)
}

// rerun is the command that repeats one test.
func (r *Run) rerun(result *Result) string {
	if result.Repro != nil && result.Repro.Command != "" {
		return result.Repro.Command
	}
	return toolName + " --executor-url " + shellWord(r.Target.ExecutorURL) + " --profile " + shellWord(r.Suites.Profile) + " --run " + shellWord(result.ID)
}

// command is the command that repeats the run. Credentials come from the environment.
func (r *Run) command() string {
	lines := []string{toolName}
	hasURL := false
	for _, f := range r.Flags {
		name := strings.TrimLeft(f.Name, "-")
		hasURL = hasURL || name == "executor-url"
		values := []string{f.Value}
		switch {
		case isLent(f):
			continue
		case name == "suite-dir": // one folder each time
			values = strings.Split(f.Value, ",")
		}
		for _, value := range values {
			lines = append(lines, "--"+oneWord(name)+flagValue(value))
		}
	}
	if !hasURL {
		lines = append(lines, "--executor-url "+shellWord(r.Target.ExecutorURL))
	}
	return strings.Join(lines, " \\\n  ")
}

// isLent reports whether a setting cannot be given again from the report: it names what was lent, without its value.
func isLent(f Flag) bool {
	switch strings.TrimLeft(f.Name, "-") {
	case "hooks", "cues", "tokens", "header":
		return true
	}
	return f.Value == "(given)"
}

// lent names what the operator lent: "hooks restart,create-session".
func (r *Run) lent() []string {
	var lent []string
	for _, f := range r.Flags {
		if isLent(f) && f.Value != "(given)" {
			lent = append(lent, strings.TrimLeft(f.Name, "-")+" "+f.Value)
		}
	}
	return lent
}

// flagValue joins booleans with "=", which flag parsers need.
func flagValue(value string) string {
	if value == "true" || value == "false" {
		return "=" + value
	}
	return " " + shellWord(value)
}

// shellWord quotes a word for a POSIX shell.
func shellWord(s string) string {
	s = show.OneLine(s)
	if s != "" && oneWord(s) == s {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// oneWord drops what a shell could act on.
func oneWord(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-_./:,@%+=", r):
			return r
		}
		return -1
	}, s)
}
