// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// A Cause is one thing about the target that several tests met: what forty failures with one reason are folded under.
// Each test keeps its own verdict and findings, and belongs to one cause at most.
//
// Causes follow from the results and the routes of a [Run] alone. What may be different is not folded: a test belongs to
// a cause only when everything that decides its outcome does.
type Cause struct {
	ID    string   `json:"id"` // the same in every run in which the target does the same
	Kind  string   `json:"kind"`
	Says  string   `json:"says"`  // what the target does, in one sentence
	Fix   string   `json:"fix"`   // what to change, in one sentence
	Tests []string `json:"tests"` // the ids of the tests, in suite order
	// Shown are the ids of failures and warnings that show the cause and something else besides, in suite order. They belong to no cause.
	Shown []string `json:"shown,omitempty"`
}

// The kinds of causes, in the order in which they are looked for.
const (
	CauseNoCard        = "no-card"         // there is no agent card that could be read
	CauseOlderVersion  = "older-version"   // the target speaks a version before the one that is judged
	CauseDialect       = "dialect"         // the terminals speak another dialect
	CauseMissingRoute  = "missing-route"   // a route, or all below a path, is not served
	CauseSilentRoute   = "silent-route"    // it never answers
	CauseFailingRoute  = "failing-route"   // it answers every request with the same error
	CauseRoot          = "root"            // what the suites describe as one thing, whose tests say what it makes them say
	CauseMediaType     = "media-type"      // answers are of another media type
	CauseMissingHeader = "missing-header"  // answers lack a header
	CauseHeader        = "header"          // a header has another value
	CauseUnwanted      = "unwanted-member" // answers of a route have a member that must not be there
	CauseErrorShape    = "error-shape"     // error answers have another form
	CauseFinding       = "finding"         // the same finding about the same route, or at the same shared step
	CauseBlocked       = "blocked"         // what tests need first does not work
)

// fewestFolded is how many tests make a cause.
const fewestFolded = 2

// A symptom is one thing that decides the outcome of a test: a finding, or what blocks it.
type symptom struct {
	at, subject, observed, expected, sentence string

	route   string
	status  int
	cause   string // as the runner names it
	blocked bool
}

// symptoms are all that decide the outcome of a result. A waived failure is known, and stands with its waiver.
func (r *Result) symptoms() []symptom {
	var all []symptom
	switch {
	case r.Waived():
	case r.Blocked():
		d := symptom{sentence: r.BlockedBy()}
		if r.Reason != nil && r.Reason.Finding != nil {
			d = r.Reason.Finding.symptom()
		}
		d.blocked, d.cause = true, r.BlockedBy()
		all = append(all, d)
	case r.Outcome == Fail || r.Outcome == Warn:
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Severity == r.Outcome {
				all = append(all, f.symptom())
			}
		}
	}
	return all
}

func (f *Finding) symptom() symptom {
	return symptom{at: f.At, subject: strings.TrimPrefix(f.Subject, "exchange."), observed: f.Observed, expected: f.Expected, sentence: f.Sentence(),
		route: f.Route, status: f.Status, cause: f.Cause}
}

// A folding looks for causes of one kind.
type folding struct {
	kind string
	// key is what symptoms with the same cause share; "" is no cause of this kind.
	key func(*symptom) string
	// anywhere says that the symptoms of a test may be about several routes, as when it asks over each interface: tests that
	// say the same about the same routes share a cause.
	anywhere bool
	// holds says whether those that share a key are a cause; nil: always.
	holds func([]*symptom) bool
	// says describes the cause, given what its tests did.
	says func(key string, symptoms []*symptom) (says, fix string)
}

// A causeRun is a run while its causes are looked for.
type causeRun struct {
	*Run
	symptoms [][]symptom      // of each result
	partly   map[string][]int // by the id of a cause: the results that show it, besides something else
}

// fold computes the causes, and notes with each result the one it belongs to.
func (r *Run) fold() {
	r.Causes = nil
	run := &causeRun{Run: r, symptoms: make([][]symptom, len(r.Results)), partly: map[string][]int{}}
	for i := range r.Results {
		r.Results[i].Cause = ""
		run.symptoms[i] = r.Results[i].symptoms()
	}
	first, rest, last := run.foldings()
	run.foldEach(first)
	run.foldRoots()
	run.foldEach(rest)
	run.foldBehind()
	run.foldEach(last)
	run.noteShown()
	broken, firm := map[string]int{}, map[string]bool{}
	for i := range r.Results {
		if one := &r.Results[i]; one.Outcome == Fail {
			broken[one.Cause]++
			firm[one.Cause] = firm[one.Cause] || !one.Late()
		}
	}
	late := func(c *Cause) bool { return broken[c.ID] > 0 && !firm[c.ID] }
	slices.SortStableFunc(r.Causes, func(a, b Cause) int {
		return cmp.Or(ahead(!late(&a), !late(&b)), broken[b.ID]-broken[a.ID], len(b.Tests)-len(a.Tests), cmp.Compare(a.ID, b.ID))
	})
}

func (r *causeRun) foldEach(foldings []folding) {
	for _, f := range foldings {
		groups, partly := map[string][]int{}, map[string][]int{} // partly: of tests with symptoms of several keys
		var keys []string
		for i := range r.symptoms {
			if len(r.symptoms[i]) == 0 || r.Results[i].Cause != "" {
				continue
			}
			key := f.common(r.symptoms[i])
			if key == "" {
				for k := range r.symptoms[i] {
					if key := f.key(&r.symptoms[i][k]); key != "" && (len(partly[key]) == 0 || partly[key][len(partly[key])-1] != i) {
						partly[key] = append(partly[key], i)
					}
				}
				continue
			}
			if groups[key] == nil {
				keys = append(keys, key)
			}
			groups[key] = append(groups[key], i)
		}
		for _, key := range keys {
			r.foldGroup(&f, key, groups[key], partly[key])
		}
	}
}

// foldGroup makes a cause of the results that share a key, if it is one. Those of partly have something of that key, and something else.
func (r *causeRun) foldGroup(f *folding, key string, members, partly []int) {
	if len(members) < fewestFolded {
		return
	}
	var symptoms []*symptom
	for _, i := range members {
		for k := range r.symptoms[i] {
			symptoms = append(symptoms, &r.symptoms[i][k])
		}
	}
	if f.holds != nil && !f.holds(symptoms) {
		return
	}
	sum := sha256.Sum256([]byte(f.kind + "\x00" + key))
	c := Cause{ID: f.kind + "-" + hex.EncodeToString(sum[:4]), Kind: f.kind}
	c.Says, c.Fix = f.says(key, symptoms)
	c.Says, c.Fix = show.Clip(PlainNames(c.Says), 1000), show.Clip(PlainNames(c.Fix), 1000)
	for _, i := range members {
		r.Results[i].Cause = c.ID
		c.Tests = append(c.Tests, r.Results[i].ID)
	}
	r.Causes = append(r.Causes, c)
	r.partly[c.ID] = append(r.partly[c.ID], partly...)
}

// noteShown notes with each cause which tests show it besides something else, once it is known which belong to none.
func (r *causeRun) noteShown() {
	for k := range r.Causes {
		c := &r.Causes[k]
		for _, i := range r.partly[c.ID] {
			if r.Results[i].Cause == "" {
				c.Shown = append(c.Shown, r.Results[i].ID)
			}
		}
	}
}

// common is the key that all symptoms of a test share.
func (f *folding) common(symptoms []symptom) string {
	if f.anywhere {
		return f.acrossRoutes(symptoms)
	}
	key := ""
	for i := range symptoms {
		k := f.key(&symptoms[i])
		if k == "" || key != "" && k != key {
			return ""
		}
		key = k
	}
	return key
}

// acrossRoutes is what all symptoms of a test say, with the routes that they say it about.
func (f *folding) acrossRoutes(symptoms []symptom) string {
	said, routes := "", make([]string, len(symptoms))
	for i := range symptoms {
		key := f.key(&symptoms[i])
		route, what, _ := strings.Cut(key, "\x00")
		if key == "" || said != "" && what != said {
			return ""
		}
		said, routes[i] = what, route
	}
	slices.Sort(routes)
	return strings.Join(slices.Compact(routes), "\x01") + "\x00" + said
}

// foldings are the kinds of causes that this run can have, in the order in which they are looked for: first what is not
// there at all, and, behind the roots that the suites describe, what answers have in common, and at last what is blocked for a reason that no
// finding names.
func (r *causeRun) foldings() (first, rest, last []folding) {
	card, dialect, routes := slices.Concat(r.olderFoldings(), r.noCardFoldings()), r.dialectFoldings(), r.routeFoldings()
	first = slices.Concat(card, dialect, routes)
	if r.deadAround() { // the card is not all that is not there
		first = slices.Concat(dialect, routes, card)
	}
	rest = []folding{
		{kind: CauseMediaType, key: mediaTypeKey, says: mediaTypeSays},
		{kind: CauseMissingHeader, key: missingHeaderKey, says: missingHeaderSays},
		{kind: CauseHeader, key: headerKey, says: headerSays},
		{kind: CauseUnwanted, key: unwantedKey, says: unwantedSays},
		{kind: CauseErrorShape, key: errorShapeKey, says: errorShapeSays},
		{kind: CauseFinding, key: stepKey, says: findingSays},
		{kind: CauseFinding, key: r.lackedIn().findingKey, anywhere: true, holds: judged, says: findingSays},
	}
	return first, rest, []folding{{kind: CauseBlocked, key: blockedKey, says: blockedSays}}
}

// noCardFoldings are for a target whose card the runner could not read.
func (r *causeRun) noCardFoldings() []folding {
	var all []folding
	for i := range r.Preflight {
		p := &r.Preflight[i]
		if p.Cause == "" || p.Severity != Fail || p.Subject == SubjectVersion {
			continue
		}
		all = append(all, folding{kind: CauseNoCard,
			key: func(d *symptom) string {
				about := d.route == p.Route && d.route != "" && d.status == p.Status
				if d.cause == p.Cause || about && (d.status != 200 || !strings.HasPrefix(d.subject, "header")) {
					return p.Cause
				}
				return ""
			},
			says: func(string, []*symptom) (string, string) {
				return p.Problem, "Serve an AgentCard at " + p.Route + "; if it is somewhere else, --executor-url is not " + r.addressed() + "."
			}})
	}
	return all
}

// dialectFoldings are for what a finding of the runner names as the cause of others.
func (r *causeRun) dialectFoldings() []folding {
	named := map[string]bool{}
	for i := range r.Results {
		for k := range r.Results[i].Findings {
			if f := &r.Results[i].Findings[k]; f.Cause != "" {
				named[f.Cause] = true
			}
		}
	}
	return []folding{{kind: CauseDialect,
		key: func(d *symptom) string {
			if named[d.cause] {
				return d.cause
			}
			return ""
		},
		says: func(key string, _ []*symptom) (string, string) {
			return key, "Speak pty-ws/v1 on the terminals; to see what else there is meanwhile, a diagnostic run reads the compact dialect with --pty-dialect."
		}}}
}

// blockedKey is what blocks a test, or the cause of what blocks others, which the runner names with the failure.
func blockedKey(d *symptom) string { return d.cause }

func blockedSays(key string, symptoms []*symptom) (string, string) {
	if route := symptoms[0].route; route != "" && !slices.ContainsFunc(symptoms, func(d *symptom) bool { return d.route != route }) {
		return key + "; these tests need it first", "Make " + route + " work for them; the exchange shows what was sent and answered."
	}
	return key, "Make this work first; the exchange shows what was sent and answered."
}

// addressed is what --executor-url leads to, in the words of the profile.
func (r *causeRun) addressed() string { return profiles.Of(r.Suites.Profile).Address }
