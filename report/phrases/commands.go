// SPDX-License-Identifier: Apache-2.0

package phrases

import (
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// ToolName is the command that people type.
const ToolName = "agentic-sandbox-conformance"

// Rerun is the command that repeats one test.
func Rerun(r *report.Run, result *report.Result) string {
	if result.Repro != nil && result.Repro.Command != "" {
		return result.Repro.Command
	}
	return ToolName + " --executor-url " + shellWord(r.Target.ExecutorURL) + " --profile " + shellWord(r.Suites.Profile) + " --run " + shellWord(result.ID)
}

// Command is the command that repeats the run. Credentials come from the environment. Its reports stand in a folder of their
// own, so that they do not take the place of the report in which it is read. A target that the command has started itself is gone: its
// URL is not named.
func Command(r *report.Run) string {
	lines := []string{ToolName}
	started := len(r.Target.StartedBy) > 0
	if started {
		var words []string
		for _, word := range r.Target.StartedBy {
			words = append(words, shellWord(word))
		}
		lines = []string{strings.Join(words, " ")}
	}
	hasURL := started
	for _, f := range r.Flags {
		name := strings.TrimLeft(f.Name, "-")
		hasURL = hasURL || name == "executor-url"
		values := []string{f.Value}
		switch {
		case isNamed(f), name == "report-out", started && (name == "executor-url" || slices.Contains(r.Target.StartedBy, "--"+name)):
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
	out := "--report-out rerun/report.md"
	if started {
		out = "--out rerun"
	}
	return strings.Join(append(lines, out), " \\\n  ")
}

// OneOf is what is added to [Command] so that it plays one test.
func OneOf(r *report.Run) string {
	if len(r.Target.StartedBy) > 0 {
		return "--run ID --out rerun/ID"
	}
	return "--run ID --report-out rerun/ID.md"
}

// WholeRun says above [Command] what it does.
func WholeRun(r *report.Run) []Part {
	if len(r.Target.StartedBy) > 0 {
		return []Part{said("The whole run, against a server that the command starts anew, as it did here:")}
	}
	return []Part{said("The whole run. Its credentials come from"), typed("AGENTIC_SANDBOX_CONFORMANCE_TOKEN"), said("and"), typed("AGENTIC_SANDBOX_CONFORMANCE_ADMIN_TOKEN")}
}

// isNamed reports whether a setting cannot be given again from the report: it names what was configured, without its
// value.
func isNamed(f report.Flag) bool {
	switch strings.TrimLeft(f.Name, "-") {
	case "hooks", "cues", "tokens", "header":
		return true
	}
	return f.Value == "(given)"
}

// Configured names what the operator has configured, whose values are not recorded: "hooks restart,create-session".
func Configured(r *report.Run) []string {
	var all []string
	for _, f := range r.Flags {
		if isNamed(f) && f.Value != "(given)" {
			all = append(all, strings.TrimLeft(f.Name, "-")+" "+f.Value)
		}
	}
	return all
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

// MaxCurls is how many requests of one test are shown as commands.
const MaxCurls = 5

// Curls are the requests that a result is about, each once; of cases alike the first.
func Curls(r *report.Result) []string {
	var all []string
	if r.Repro != nil && r.Repro.Curl != "" {
		all = append(all, r.Repro.Curl)
	}
	findings := Alike(r.Findings)
	for i := range findings {
		if f := &findings[i]; f.Curl != "" && f.Severity == r.Outcome && !slices.Contains(all, f.Curl) {
			all = append(all, f.Curl)
		}
	}
	return all
}
