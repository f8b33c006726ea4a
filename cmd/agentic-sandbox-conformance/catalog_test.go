// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
	"github.com/roctinam/agentic-sandbox-conformance/suites/coverage"
	"github.com/roctinam/agentic-sandbox-conformance/suites/needs"
)

// lentFor says which need of a test is the hook of the catalog, where the two are not called alike: messages that bring
// the agent somewhere are cues, tokens are tokens, and what the program can find or do by itself is no need at all.
var lentFor = map[string][]string{
	"scenario-completed":      {"cue:completed"},
	"scenario-failed":         {"cue:failed"},
	"scenario-input-required": {"cue:input-required"},
	"scenario-adapter":        {"cue:adapter-completed", "cue:adapter-failed", "cue:adapter-broken", "cue:adapter-prints"},
	"scenario-long":           {"cue:long"},
	"instance-token":          {"hook:instance-token", "token:instance", "token:observe", "token:foreign"},
	"operator-token":          {"token:operator"},

	"credentials":       {"token:instance"},
	"second-principal":  {"token:foreign"},
	"limited-principal": {"token:observe", "token:operator"},
	"webhook-failing":   {"hook:webhook"},
	"faulty-agent":      {"cue:faulty-agent"},
}

// hasDefault are the cues that stand for something else where nobody configures them.
var hasDefault = []string{"cue:ping", "cue:task-reply"}

// otherwise are the differences between catalog and suites that are right, with the reason.
var otherwise = map[string]string{
	"ADM-013 needs hook:disks, which the catalog does not say":                        "it is the disk listing that the catalog's hook provision may have",
	"TEN-011 applies only when anonymous requests are refused, in the catalog always": "its check says so: without credentials nothing can stand in for them",
	"TEN-012 needs token:foreign, which the catalog does not say":                     "it is reserved, and its future check names the token of another tenant",

	"A2A-SEC-016 needs hook:oversized-requests, which the catalog does not say":            "its check is off unless somebody asks for it",
	"A2A-ERR-018 is played over HTTP+JSON, in the catalog over every binding":              "it is about HTTP statuses",
	"HITL-017 applies when the card declares streaming, in the catalog also otherwise":     "a client can only come back to a stream",
	"PTY-024 needs hook:client-cert, which the catalog does not say":                       "its check has a configured client certificate, which wire.md calls that",
	"PTY-108 does not apply under slow:40, in the catalog it does":                         "its check waits for two pings that are up to 35 s apart each",
	"PTX-014 does not apply under when-declared:max_observers<=64, in the catalog it does": "it is skipped as too-many-observers",
	"PTX-033 does not apply under when-declared:max_controllers>1, in the catalog it does": "it is skipped as single-controller",
	"A2A-CARD-049 is played over HTTP+JSON, in the catalog over every binding":             "answers to POST, which JSON-RPC requests are, are kept by nobody",
	"PTY-022 applies only when anonymous requests are refused, in the catalog always":      "an embedded token says nothing where none is asked for",

	"A2A-REST-005 applies when the card does not declare tenant, in the catalog also otherwise": "without a body nothing can name the tenant",
	"A2A-PUSH-034 applies when the card does not declare tenant, in the catalog also otherwise": "the body that is sent has the url alone, so nothing names the tenant",
	"A2A-REST-015 needs cue:input-required, which the catalog does not say":                     "its check has a task of several turns",
	"A2A-REST-015 needs cue:answer, which the catalog does not say":                             "its check has a task of several turns",
}

// TestSuitesKeepToTheCatalog compares every bundled test with its requirement.
func TestSuitesKeepToTheCatalog(t *testing.T) {
	t.Parallel()
	different := map[string]bool{}
	for _, name := range suites.Profiles() {
		required, err := catalog.Of(name)
		if err != nil {
			t.Fatal(err)
		}
		byID := map[string]catalog.Requirement{}
		for _, r := range required {
			byID[r.ID] = r
		}
		profile, err := loadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		tell := func(at suites.Position, id, problem string) {
			difference := id + " " + problem
			different[difference] = true
			if otherwise[difference] == "" {
				t.Errorf("%s: %s", at, difference)
			}
		}
		for _, s := range profile.Suites {
			for _, test := range s.Tests {
				r, known := byID[test.ID]
				if !known {
					t.Errorf("%s: %s is not in the catalog", test.At, test.ID)
					continue
				}
				for _, problem := range differences(r, test) {
					tell(test.At, test.ID, problem)
				}
			}
			for _, u := range s.Untested {
				r, known := byID[u.ID]
				switch {
				case !known:
					t.Errorf("%s: %s is not in the catalog", u.At, u.ID)
				case strength(r.Level) != strength(string(u.Level)):
					tell(u.At, u.ID, fmt.Sprintf("is %s, in the catalog %s", u.Level, r.Level))
				}
			}
		}
	}
	for difference := range otherwise {
		if !different[difference] {
			t.Errorf("a difference is excused that is not there: %s", difference)
		}
	}
}

// lackOf is a claim without the binding: that an interface declares 0.3 is about those of the binding at hand (wire.md).
func lackOf(claim string) string {
	if strings.HasPrefix(claim, "protocolVersion-0.3:") {
		return "protocolVersion-0.3"
	}
	return claim
}

// differences between a requirement and its test.
func differences(r catalog.Requirement, t *suites.Test) []string {
	var all []string
	tell := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	all = append(all, plainDifferences(r, t)...)
	skips := []string{}
	for s := range needs.Steps(t) {
		for _, skip := range s.SkipUnless {
			skips = append(skips, skip.Reason)
		}
	}
	configures := needs.Of(t)
	explained := map[string]bool{"hook:webhook": true, "session": true, "token:admin": true}
	for _, cue := range hasDefault {
		explained[cue] = true
	}
	has := func(condition string, there bool) {
		if !there {
			tell("does not apply under %s, in the catalog it does", condition)
		}
	}
	claims, lacks := map[string]bool{}, map[string]bool{}
	conditions := r.Conditions()
	for _, condition := range conditions {
		if one := catalog.Alternatives(condition); len(one) > 1 {
			has(condition, anyOf(one, t, configures, explained, claims))
			continue
		}
		kind, what, _ := strings.Cut(condition, ":")
		switch kind {
		case "binding":
			has(condition, boundTo(what, t, claims))
		case "when-not-declared":
			lacks[what] = true
			has(condition, slices.ContainsFunc(t.Applies.Lacks, func(claim string) bool { return lackOf(claim) == what }))
		case "when-https-host":
			claims["public-host"] = true
			has(condition, slices.Contains(t.Applies.Claims, "public-host"))
		case "needs-driver":
			has(condition, cued(what, configures, explained))
		case "when-declared":
			claims[what] = true
			has(condition, slices.Contains(t.Applies.Claims, what) || hasPrefix(skips, "claim:"+what) || hasPrefix(skips, "when-declared"))
		case "when-present":
			has(condition, slices.Contains(skips, condition) || slices.Contains(skips, "not-present") || slices.Contains(skips, "not-supported") ||
				slices.Contains(t.Applies.Claims, strings.Replace(what, "interface-", "binding:", 1)))
			claims[strings.Replace(what, "interface-", "binding:", 1)] = true
		case "when-auth-enabled":
			has(condition, t.Applies.Auth)
		case "when-configured":
			switch what {
			case "no-attach-auth":
				has(condition, t.Applies.NoAuth)
			case "attach-auth":
				has(condition, t.Applies.Auth)
			default:
				need := "token:" + strings.TrimSuffix(what, "-token")
				explained[need] = true
				has(condition, slices.Contains(configures, need))
			}
		case "production-only":
			has(condition, t.Applies.Production)
		case "reserved":
			has(condition, t.Applies.Reserved == what)
		case "deferred-in":
			has(condition, t.Applies.Since != "")
		case "slow":
			limit, _ := time.ParseDuration(what + "s")
			has(condition, t.Slow > 0 && t.Slow <= limit)
		case "needs-hook":
			needs := lentFor[what]
			if needs == nil {
				needs = []string{"hook:" + what}
			}
			found := false
			for _, need := range needs {
				explained[need] = true
				found = found || slices.Contains(configures, need) || need == "token:instance"
			}
			has(condition, found)
		}
	}
	for _, need := range configures {
		if !explained[need] && !slices.Contains(t.Wants, need) { // what a part of the test needs is no condition of the whole
			tell("needs %s, which the catalog does not say", need)
		}
	}
	for _, claim := range t.Applies.Claims {
		if !claims[claim] {
			tell("applies when the card declares %s, in the catalog also otherwise", claim)
		}
	}
	for _, claim := range t.Applies.Lacks {
		if !lacks[lackOf(claim)] {
			tell("applies when the card does not declare %s, in the catalog also otherwise", claim)
		}
	}
	if len(t.Over) > 0 && t.Over[0] != suites.Interfaces && !slices.ContainsFunc(conditions, func(c string) bool { return strings.HasPrefix(c, "binding:") }) {
		tell("is played over %s, in the catalog over every binding", strings.Join(t.Over, ", "))
	}
	auth := slices.Contains(conditions, "when-auth-enabled") || slices.Contains(conditions, "when-configured:attach-auth")
	if t.Applies.Auth && !auth {
		tell("applies only when anonymous requests are refused, in the catalog always")
	}
	if t.Applies.NoAuth && !slices.Contains(conditions, "when-configured:no-attach-auth") {
		tell("applies only when anonymous requests are answered, in the catalog always")
	}
	if t.Applies.Production && !slices.Contains(conditions, "production-only") {
		tell("applies in production only, in the catalog always")
	}
	if t.Applies.Since != "" && !slices.ContainsFunc(conditions, func(c string) bool { return strings.HasPrefix(c, "deferred-in:") }) {
		tell("is only noted until %s, in the catalog it is judged", t.Applies.Since)
	}
	return all
}

// anyOf says whether a test is judged under one of the alternatives of a condition.
func anyOf(alternatives []string, t *suites.Test, configures []string, explained, claims map[string]bool) bool {
	found := false
	for _, one := range alternatives {
		switch kind, what, _ := strings.Cut(one, ":"); kind {
		case "binding":
			found = boundTo(what, t, claims) || t.Operates && len(t.Over) == 0 || found
		case "needs-driver":
			found = cued(what, configures, explained) || found
		}
	}
	return found
}

// boundTo says whether a test is about the binding, or about two.
func boundTo(binding string, t *suites.Test, claims map[string]bool) bool {
	claim := "binding:" + binding
	if binding == "two-or-more" {
		claim = "two-bindings"
	}
	claims[claim] = true
	return slices.Contains(t.Applies.Claims, claim) || slices.Contains(t.Over, binding) || binding == "two-or-more" && slices.Contains(t.Over, suites.Pairs)
}

// cued says whether a cue brings about what the catalog calls by this name.
func cued(what string, configures []string, explained map[string]bool) bool {
	cue := coverage.ConfiguredAs("needs-driver:" + what)
	explained[cue] = true
	if cue == "cue:input-required" { // what is asked has to be answered
		explained["cue:answer"] = true
	}
	return slices.Contains(configures, cue) || slices.Contains(hasDefault, cue)
}

func hasPrefix(list []string, prefix string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, prefix) })
}
