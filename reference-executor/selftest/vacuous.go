// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// Vacuous is what came of a server that is no executor.
type Vacuous struct {
	Server  string         `json:"server"`
	Verdict report.Verdict `json:"verdict"`
	Passed  []string       `json:"passed,omitempty"` // ids; none is lawful
}

// impostors answer everything alike. A check that passes on one of them has measured nothing.
var impostors = map[string]http.HandlerFunc{
	"answers 404 to everything": http.NotFound,
	"answers 200 with an empty object": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, "{}")
	},
	"answers 200 with a web page": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Welcome</title><h1>It works</h1>")
	},
	"answers 500 to everything": func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "oops", http.StatusInternalServerError)
	},
	"answers 204 to everything": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
	"answers a minimal card to everything": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"capabilities":{},"tasks":[],"items":[],"keys":[],"id":"x","status":{"state":"working"}}`)
	},
}

// An impostor is a server that is told from the contract's by what it does, not by what it says of itself.
type impostor struct {
	name    string
	handler http.HandlerFunc
	lawful  func(*suites.Test) bool // what it may pass, as it really does so; nil: nothing
}

// everyImpostor are those that answer everything alike, and those of the proof, by name.
func (p *proof) everyImpostor() []impostor {
	all := slices.Clone(p.impostors)
	for name, handler := range impostors {
		all = append(all, impostor{name: name, handler: handler})
	}
	slices.SortFunc(all, func(a, b impostor) int { return strings.Compare(a.name, b.name) })
	return all
}

// vacuous is rule 7: nothing passes on an impostor, and the run ends.
func (p *prover) vacuous() error {
	for _, i := range p.proof.everyImpostor() {
		server := httptest.NewServer(i.handler)
		run, err := runner.Run(p.ctx, p.profile, runner.Target{ExecutorURL: server.URL + p.proof.below},
			runner.Options{Jobs: 24, Timeout: 2 * time.Second, HoldFactor: hold, TimeFactor: 0.2, ByTheClock: true, Seed: 1, Rate: unpaced, Evidence: "none",
				Select: func(t *suites.Test) bool { return true }})
		server.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", i.name, err)
		}
		v := Vacuous{Server: i.name, Verdict: run.Verdict}
		for _, r := range run.Results {
			t := p.tests[r.ID]
			if r.Outcome != report.Pass || t != nil && i.lawful != nil && i.lawful(t) {
				continue
			}
			v.Passed = append(v.Passed, r.ID)
			at := r.ID
			if t != nil {
				at = t.At.String()
			}
			p.problem(7, at, "%s passes on a server that %s", r.ID, i.name)
		}
		if run.Verdict == report.Passed {
			p.problem(7, i.name, "the verdict is pass")
		}
		p.vacuums = append(p.vacuums, v)
		p.progress("a server that %s: %s, %d passed", i.name, run.Verdict, len(v.Passed))
	}
	return nil
}
