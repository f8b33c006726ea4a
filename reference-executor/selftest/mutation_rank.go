// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/mutants"
)

// refuses matches the kinds of exchanges that are errors.
var refuses = regexp.MustCompile(` [45][0-9][0-9]$| error$`)

// unauthorized matches the kinds of exchanges that credentials decide.
var unauthorized = regexp.MustCompile(` 40[13]$`)

// aboutOrder, aboutTwice and aboutAlike match what tests say that look at the order of things, for what is there twice, and whether
// something is the same wherever it is shown.
var (
	aboutOrder = regexp.MustCompile(`sorted_as|newest_first|increas|decreas|in_order|follow_lifecycle|behind`)
	aboutTwice = regexp.MustCompile(`unique|once_each|greetings|repeats|answered`)
	aboutAlike = regexp.MustCompile(`agree_on|same_card_as|tells_the_same_as|same_members|equals: "?\$\{`)
)

// ranked are tests, those first that are most likely to be about a mutant.
func (p *mutator) ranked(m mutants.Mutant, ids []string) []string {
	score := map[string]int{}
	name, declared := strings.ToLower(lastName(m.Part)), documentedPath(m.Part)
	p.learning.Lock()
	for _, id := range ids {
		s := 100 - min(100, p.weights[id]/20)
		if name != "" && strings.Contains(strings.ToLower(p.texts[id]), name) {
			s += 200
		}
		if declared != "" && strings.Contains(p.texts[id], declared) {
			s += 250
		}
		if refuses.MatchString(m.Kind) && strings.Contains(id, "ERR-") {
			s += 250
		}
		if unauthorized.MatchString(m.Kind) && strings.HasPrefix(id, "AUTH-") {
			s += 250
		}
		if m.Operator == mutants.Swap && aboutOrder.MatchString(p.texts[id]) || m.Operator == mutants.Duplicate && aboutTwice.MatchString(p.texts[id]) {
			s += 250
		}
		if m.Mode != mutants.Always && m.Mode != mutants.Large && aboutAlike.MatchString(p.texts[id]) && strings.Contains(p.texts[id], lastSegment(m.Kind)) {
			s += 250
		}
		s += 1000*min(3, p.killers[m.Kind+m.Part][id]) + 100*min(3, p.killers[m.Part+m.Operator][id]) + 50*min(3, p.killers[m.Kind+m.Operator][id])
		score[id] = s
	}
	p.learning.Unlock()
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(score[b]-score[a], cmp.Compare(a, b)) })
	return ids
}

func (p *mutator) learn(m mutants.Mutant, test string) {
	p.learning.Lock()
	defer p.learning.Unlock()
	for _, key := range []string{m.Kind + m.Part, m.Part + m.Operator, m.Kind + m.Operator} {
		if p.killers[key] == nil {
			p.killers[key] = map[string]int{}
		}
		p.killers[key][test]++
	}
}

// lastName is the last name in a part: "timestamp" of "json.status.timestamp", "Content-Type" of "header Content-Type".
func lastName(part string) string {
	fields := strings.FieldsFunc(part, func(c rune) bool { return strings.ContainsRune(` .[]"`, c) })
	if len(fields) < 2 {
		return ""
	}
	return fields[len(fields)-1]
}

// documentedPath is the path of an OpenAPI document that a part is about, as suites write it: "/sandboxes/{}/pause"; "" of another part.
func documentedPath(part string) string {
	found := inPaths.FindStringSubmatch(part)
	if found == nil {
		return ""
	}
	return inTemplate.ReplaceAllString(found[1], "{}")
}

var (
	inPaths    = regexp.MustCompile(`^json\.paths\["([^"]+)"\]`)
	inTemplate = regexp.MustCompile(`\{[^{}]*\}`)
)

// lastSegment is the last segment of the path in a kind: "agent-card.json" of "GET /agents/{iid}/.well-known/agent-card.json 200".
func lastSegment(kind string) string {
	_, path, _ := strings.Cut(kind, " ")
	path, _, _ = strings.Cut(path, " ")
	return path[strings.LastIndex(path, "/")+1:]
}
