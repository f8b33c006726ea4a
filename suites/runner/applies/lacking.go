// SPDX-License-Identifier: Apache-2.0

package applies

import (
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/next"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/verdict"
)

// Next is what the operator can configure so that more is measured; nil where the run ended early: it did not get as far as to know.
func (r *Terms) Next(tests []*suites.Test, results []report.Result) *report.Next {
	plan := next.Plan{Entries: next.Entries{Profile: r.Agent.Profile, Hosts: r.Agent.WithheldHosts()}}
	var longest time.Duration
	for i := range results {
		result := &results[i]
		switch {
		case result.Outcome != report.Skip:
			if !result.Blocked() {
				plan.Measured++
				plan.Partly = append(plan.Partly, next.Lacking{ID: result.ID, Ways: r.lackingRows(tests[i])})
			}
			continue
		case result.Reason == nil:
			continue
		case verdict.EndsRun(result.Reason.Code):
			return nil
		}
		ways := r.lacking(tests[i], result.Reason.Code)
		if len(ways) == 0 {
			continue
		}
		plan.Lacking = append(plan.Lacking, next.Lacking{ID: result.ID, Ways: ways})
		if slices.Contains(ways[0], next.MaxWait) {
			longest = max(longest, r.WaitsFor(tests[i]))
		}
	}
	plan.Entries.MaxWait = shortest(longest)
	return plan.Steps()
}

// Foresee is how many of the tests a run would measure, and what the operator can configure so that it measures more, as far as that can
// be told without playing one.
func (r *Terms) Foresee(tests []*suites.Test) (measured int, more *report.Next) {
	plan := next.Plan{Entries: next.Entries{Profile: r.Agent.Profile, Hosts: r.Agent.WithheldHosts()}}
	var longest time.Duration
	for _, t := range tests {
		if r.Agent.Facts.NoCard != "" && (len(t.Applies.Claims) > 0 || t.Operates) {
			continue
		}
		ways := r.lackingWays(t)
		if reason := r.Reason(t); reason != nil {
			ways = r.lacking(t, reason.Code)
		} else if slices.ContainsFunc(ways, func(way []string) bool { return len(way) == 0 }) {
			plan.Measured++
			plan.Partly = append(plan.Partly, next.Lacking{ID: t.ID, Ways: ways})
			continue
		}
		if len(ways) > 0 {
			plan.Lacking = append(plan.Lacking, next.Lacking{ID: t.ID, Ways: ways})
			longest = max(longest, r.WaitsFor(t))
		}
	}
	plan.Entries.MaxWait = shortest(longest)
	return plan.Measured, plan.Steps()
}

// shortest writes a time without parts that are zero, not below a second: "2m40s", "1m".
func shortest(d time.Duration) string {
	text := (d + time.Second - 1).Truncate(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	return text
}

// HookRefused is the reason to skip what needs a webhook where the target takes none that leads to this machine.
const HookRefused = "hook-refused"

// LacksWebhook says whether the target is on another machine, and nobody has said how it reaches this one.
func (r *Terms) LacksWebhook() bool {
	_, configured := r.Agent.Config.Hooks[hooks.Webhook.Name]
	return !configured && !target.IsLoopback(r.Agent.Place.Root)
}

// reasonAsks is what the operator has to configure where a test was skipped for a reason that does not name it, in each of the ways
// that would do.
var reasonAsks = map[string][]string{
	"no-session":         {next.Session},
	HookRefused:          {"hook:" + hooks.Webhook.Name},
	"shared-credentials": {"hook:second-instance"},
	"other-origin":       {next.AllowHost},
	"no-terminal-echo":   {"hook:" + target.EchoSessionHook, "hook:" + target.ShellSessionHook},
	"no-signing-key":     {next.JWKS},
	"jku-elsewhere":      {next.JWKS},
}

// lacking is what the operator can configure so that a test is measured that was skipped for a reason, in each of the ways that would
// do; none: it is for the target to be otherwise. A test is skipped for the first of what it lacks: the others are found here.
func (r *Terms) lacking(t *suites.Test, code string) [][]string {
	asked := [][]string{}
	need, names := strings.CutPrefix(code, "no-")
	kind, name, _ := strings.Cut(need, ":")
	switch {
	case names && (kind == "hook" || kind == "cue" || kind == "token"):
		lacks, can := r.configures(kind, name)
		if !can {
			return nil
		}
		asked = append(asked, lacks)
	case code == "slow" && t.Slow > 0:
		asked = append(asked, []string{next.MaxWait})
	default:
		for _, what := range reasonAsks[code] {
			asked = append(asked, []string{what})
		}
	}
	if len(asked) == 0 {
		return nil
	}
	ways := r.lackingWays(t)
	if slices.ContainsFunc(ways, func(way []string) bool {
		return slices.ContainsFunc(asked, func(ask []string) bool { return containsAll(way, ask) })
	}) {
		return ways
	}
	var all [][]string // the suites do not say that the test needs what it was skipped for: it turned out
	for _, way := range ways {
		for _, ask := range asked {
			all = append(all, slices.Concat(way, ask))
		}
	}
	return all
}

// lackingWays is what a test lacks of what the suites say that it needs, in each of the ways that would do. One way of nothing: all is
// there. No way: it cannot be configured.
func (r *Terms) lackingWays(t *suites.Test) [][]string {
	common, can := r.lacksAll(t.Needs)
	if !can {
		return nil
	}
	if wait := r.WaitsFor(t); wait > r.MaxWait {
		common = append(common, next.MaxWait)
	}
	if doing(t, func(do suites.Action) bool { hook, is := do.(suites.Hook); return is && hook.Name == hooks.Session }) && !r.HasSessions() {
		common = append(common, next.Session)
	}
	if doing(t, func(do suites.Action) bool { _, is := do.(suites.Listen); return is }) && r.LacksWebhook() {
		common = append(common, "hook:"+hooks.Webhook.Name)
	}
	ways := r.lackingRows(t)
	for i := range ways {
		ways[i] = slices.Concat(common, ways[i])
	}
	return ways
}

// lackingRows is what each row of a test lacks beside the others; one row that lacks nothing is enough.
func (r *Terms) lackingRows(t *suites.Test) [][]string {
	if len(t.Cases) == 0 {
		return [][]string{nil}
	}
	var rows [][]string
	for i := range t.Cases {
		if lacks, can := r.lacksAll(t.Cases[i].Needs); can {
			rows = append(rows, lacks)
		}
	}
	return rows
}

// lacksAll is what has to be configured of what is needed; false: something of it cannot be.
func (r *Terms) lacksAll(needed []string) (lacks []string, can bool) {
	for _, need := range needed {
		kind, name, _ := strings.Cut(need, ":")
		if !r.isLacking(kind, name) {
			continue
		}
		more, can := r.configures(kind, name)
		if !can {
			return nil, false
		}
		lacks = append(lacks, more...)
	}
	return lacks, true
}

// isLacking says whether a need is not met.
func (r *Terms) isLacking(kind, name string) bool {
	switch kind {
	case "cue":
		_, err := r.Agent.Cue(name)
		return err != nil
	case "token":
		if name == "instance" {
			return r.Agent.Facts.AuthEnabled && r.Agent.Token(name) == ""
		}
	}
	return r.Agent.Lacks(kind+":"+name) != nil
}

// configures is what has to be configured so that a need is met; false: that cannot be, or it has been done and did not help.
func (r *Terms) configures(kind, name string) ([]string, bool) {
	switch {
	case kind == "hook" && name == hooks.ClientCert:
		return []string{next.ClientCert}, r.Agent.Place.Plain() != ""
	case kind == "hook" && name == hooks.InstanceToken:
		return r.rolesTold()
	case kind == "hook":
		_, configured := r.Agent.Config.Hooks[name]
		return []string{"hook:" + name}, !configured
	case kind == "cue":
		_, configured := r.Agent.Config.Cues[name]
		return []string{"cue:" + name}, !configured
	}
	return []string{"token:" + name}, r.Agent.Facts.AuthEnabled && !r.Agent.Explicit.Has(name)
}

// rolesTold is what has to be configured so that the token of the instance is known to have no admin rights. A target that refuses that
// token on its admin surface shows it by itself, once it is given another one to compare.
func (r *Terms) rolesTold() ([]string, bool) {
	if !r.Agent.Facts.AuthEnabled {
		return nil, false
	}
	var lacks []string
	for _, identity := range []string{"instance", "admin"} {
		if !r.Agent.Explicit.Has(identity) {
			lacks = append(lacks, "token:"+identity)
		}
	}
	if len(lacks) == 0 || !r.Agent.RefusesStandIn() {
		lacks = append(lacks, "hook:"+hooks.InstanceToken)
	}
	return lacks, true
}

// doing says whether a test does something, other than where it may leave it out.
func doing(t *suites.Test, is func(suites.Action) bool) bool {
	var some func(steps []*suites.Step) bool
	some = func(steps []*suites.Step) bool {
		return slices.ContainsFunc(steps, func(s *suites.Step) bool {
			switch do := s.Do.(type) {
			case suites.Use:
				return !do.Optional && some(do.Steps)
			case suites.If:
				return false
			case suites.Block:
				return some(do.Inside())
			}
			return is(s.Do)
		})
	}
	return some(t.Given) || some(t.Steps)
}

func containsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(name string) bool { return !slices.Contains(all, name) })
}
