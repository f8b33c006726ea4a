// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// Claims holds what the card declares against what was measured of it, and adds what was seen without being declared.
func Claims(a *target.Agent, out *report.Run, tests []*suites.Test) {
	if a.Card != nil {
		out.Claims = append(out.Claims, a.Card.Claims...)
	}
	for _, seen := range a.Seen.All() {
		declared := slices.ContainsFunc(out.Claims, func(c report.Claim) bool {
			return c.Kind == seen.Kind && strings.EqualFold(c.Name, seen.Name)
		})
		if !declared && !(seen.Kind == "binding" && a.Card == nil) {
			out.Claims = append(out.Claims, report.Claim{Name: seen.Name, Kind: seen.Kind})
		}
	}
	topics := make([]topic, len(tests)) // once: a card may declare thousands of things
	for i, t := range tests {
		topics[i] = topicOf(t)
	}
	for i := range out.Claims {
		claim := &out.Claims[i]
		claim.Seen = a.Seen.Has(claim.Kind, claim.Name)
		measure(claim, topics, out.Results)
	}
	slices.SortFunc(out.Claims, func(one, two report.Claim) int {
		return cmp.Or(strings.Compare(one.Kind, two.Kind), strings.Compare(one.Name, two.Name))
	})
}

// measure counts what became of the tests that exercise a claim.
func measure(claim *report.Claim, tests []topic, results []report.Result) {
	why := map[string]int{}
	short := readers.ShortURI(claim.Name)
	for i := range tests {
		if !tests[i].exercises(claim, short) {
			continue
		}
		result := &results[i]
		claim.Tests = append(claim.Tests, tests[i].test.ID)
		switch outcome := result.Outcome; {
		case outcome == report.Pass, brokenOverOthers(claim, result):
			claim.Passed++
		case outcome == report.Fail:
			claim.Failed++
		case outcome == report.Warn:
			claim.Warned++
		default:
			claim.Unmeasured++
			if result.Reason != nil {
				why[cmp.Or(result.Reason.Cause, result.Reason.Code)]++
			}
		}
	}
	if len(claim.Tests) == 0 {
		claim.Why = []string{"no test of this run exercises it"}
		return
	}
	claim.Seen = claim.Seen || claim.Passed > 0
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		claim.Why = append(claim.Why, fmt.Sprintf("%s (%d)", reason, why[reason]))
	}
}

// bindings are as cases of tests name them: those that operations are sent over. Over another one that a card declares nothing is measured.
var bindings = []string{readers.BindingGRPC, "HTTP+JSON", "JSONRPC"}

// brokenOverOthers says whether a test found something, and only in cases that name other bindings than the claimed one.
func brokenOverOthers(claim *report.Claim, result *report.Result) bool {
	found := 0
	for i := range result.Findings {
		f := &result.Findings[i]
		if f.Severity != report.Fail && f.Severity != report.Warn {
			continue
		}
		found++
		if strings.Contains(f.Case, claim.Name) || !slices.ContainsFunc(bindings, func(name string) bool { return strings.Contains(f.Case, name) }) {
			return false
		}
	}
	return claim.Kind == "binding" && found > 0 && (result.Outcome == report.Fail || result.Outcome == report.Warn)
}

// surfacesOf are the surfaces whose tests are about a claim without naming it under `applies`.
var surfacesOf = map[string][]string{
	"streaming": {"sse", "streaming"}, "pushNotifications": {"push"}, "bearer": {"auth", "security"},
	"extendedAgentCard": {"extended-card"},
}

// namedByKind are what tests of plain A2A servers ask for, whose cards declare it under names of their own.
var namedByKind = map[string]string{"security": "security", "extension": "extensions"}

// A topic is what a test says of itself that tells what it is about.
type topic struct {
	test    *suites.Test
	surface string
	file    string // its suite's, without folder and ending
}

func topicOf(t *suites.Test) topic {
	a := topic{test: t, file: strings.TrimSuffix(path.Base(t.At.File), path.Ext(t.At.File))}
	if t.Suite != nil {
		a.surface = t.Suite.Surface
	}
	return a
}

// exercises says whether the test is about something the card can declare. short is the short form of its name.
func (a topic) exercises(claim *report.Claim, short string) bool {
	for _, asked := range a.test.Applies.Claims {
		if strings.EqualFold(asked, claim.Name) || strings.EqualFold(asked, short) || asked == namedByKind[claim.Kind] {
			return true
		}
		if kind, name, is := strings.Cut(asked, ":"); is && strings.EqualFold(kind, claim.Kind) && strings.EqualFold(name, claim.Name) {
			return true
		}
	}
	if slices.Contains(surfacesOf[claim.Name], a.surface) {
		return true
	}
	switch claim.Kind {
	case "extension":
		name, _, _ := strings.Cut(short, "/")
		return isTopic(a.surface, name) || isTopic(a.file, name)
	case "security":
		return a.test.Applies.Auth && claim.Name == "bearer"
	case "binding":
		if t := a.test; t.Operates {
			everywhere := len(t.Over) == 0 || target.OverAll(t)
			return everywhere && slices.Contains(bindings, claim.Name) || slices.Contains(t.Over, claim.Name)
		}
		return usesBinding(slices.Concat(a.test.Given, a.test.Steps), claim.Name)
	}
	return false
}

// isTopic says whether a surface or a suite file is about an extension: "hitl" about hitl-prompt.
func isTopic(name, topic string) bool {
	rest, is := strings.CutPrefix(topic, name)
	return name != "" && is && (rest == "" || rest[0] == '-')
}

// usesBinding says whether some step speaks a binding.
func usesBinding(steps []*suites.Step, binding string) bool {
	for _, step := range steps {
		var is bool
		switch do := step.Do.(type) {
		case suites.Request:
			is = strings.EqualFold(binding, "HTTP+JSON") && strings.Contains(do.URL, "${api}")
		case suites.Poll:
			is = strings.EqualFold(binding, "HTTP+JSON") && strings.Contains(do.URL, "${api}")
		case suites.Stream:
			is = strings.EqualFold(binding, "SSE") || strings.EqualFold(binding, "HTTP+JSON") && strings.Contains(do.URL, "${api}")
		case suites.Open:
			is = strings.EqualFold(binding, "WebSocket") || strings.Contains(binding, "pty-ws")
		case suites.Block:
			is = usesBinding(do.Inside(), binding)
		}
		if is {
			return true
		}
	}
	return false
}
