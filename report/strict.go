// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// notForThisTarget are the reasons to skip a test, or their beginnings, that say that the requirement does not apply to
// this target, or that the target lawfully does without what it is about. Every other reason says that a requirement may
// apply and was not measured; so does a reason that is not known here, like those of suites of one's own that do not
// begin with "when-present:".
var notForThisTarget = []string{
	"claim:", "declared:", "when-present:", "reserved-", "deferred", "production", "auth-disabled", "auth-enabled", "not-declared", "not-present", "not-served",
	"not-supported", "not-advertised", "delete-is-served", "delete-not-served", "enforced", "hmac-refused", "auth-refused", "bare-messages", "json-rpc-codes", "key-file",
	"keys-from-a-file", "no-binary", "no-choice-of-process", "no-goodbye", "no-hashes", "no-idempotency-metrics", "no-scope", "no-storage", "no-tls", "no-ttl",
	"no-v1-metric", "nothing-refused", "payload-detached", "single-controller", "strict", "supported", "ttl-without-effect",
	"admin-surface-is-open", "open-to-everybody", "closed-sessions-archived", "few-observers", "without-contexts", "no-grpc-form", "no-timestamp", "one-context-for-all",
}

// NotForThisTarget reports whether a skip for this reason says that the requirement does not apply to the target, rather
// than that it was not measured.
func NotForThisTarget(code string) bool {
	return slices.ContainsFunc(notForThisTarget, func(known string) bool {
		return code == known || strings.ContainsAny(known[len(known)-1:], ":-") && strings.HasPrefix(code, known)
	})
}

// strict is everything that keeps a run from being a certificate: what was not measured though it may apply, what was
// warned about, and what makes the run itself worth less.
func strict(run *Run) []string {
	var unmet []string
	add := func(format string, args ...any) { unmet = append(unmet, fmt.Sprintf(format, args...)) }
	named := func(g Group) string { return show.FirstOf(g.IDs(), 20) }
	for _, g := range run.groupBy(outcomeIs(Warn), func(*Result) string { return "" }) {
		add("%s: %s", show.Plural(len(g.Results), "warning", "warnings"), named(g))
	}
	for _, g := range run.groupBy((*Result).Blocked, func(*Result) string { return "" }) {
		add("%s: %s", show.Plural(len(g.Results), "test is blocked", "tests are blocked"), named(g))
	}
	for _, g := range run.Skips() {
		if !NotForThisTarget(g.Key) {
			add("%s not measured, %s: %s", show.Plural(len(g.Results), "test was", "tests were"), g.Key, named(g))
		}
	}
	for _, g := range run.Surfaces() {
		open := slices.ContainsFunc(g.Results, func(r *Result) bool {
			return r.Blocked() || r.Outcome == Skip && (r.Reason == nil || !NotForThisTarget(r.Reason.Code))
		})
		var s Summary
		for _, r := range g.Results {
			s.Add(r)
		}
		if open && s.Measured() == 0 {
			add("nothing was measured on %s", g.Key)
		}
	}
	for _, p := range run.Partial {
		if !bySelection(p) {
			add("the run is partial: %s", p)
		}
	}
	if run.Diagnostic != "" {
		add("the run is a diagnosis: %s", run.Diagnostic)
	}
	for _, w := range run.Warnings {
		add("about this run: %s", w)
	}
	return unmet
}

// bySelection reports whether a run is partial because the operator asked for a part, which the report says anyway.
func bySelection(partial string) bool {
	return slices.Contains([]string{"--run", "--skip", "--surface", "--level"}, partial) || strings.HasSuffix(partial, " were selected")
}
