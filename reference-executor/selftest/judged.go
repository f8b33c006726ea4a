// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"sort"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// said is an expectation as it was judged on the correct executor.
type said struct {
	test        string
	expectation suites.Expectation
}

// judged remembers which expectations under steps exist, and which have said no.
func (p *trials) judged(j runner.Judgement, correct bool) {
	if j.Given || j.Expectation == nil {
		return
	}
	at := j.Expectation.At.String()
	p.mu.Lock()
	defer p.mu.Unlock()
	if correct {
		p.said[at] = said{j.Test.ID, *j.Expectation}
	}
	if j.Err != nil {
		p.saidNo[at] = true
	}
}

// expectations is rule 3: what no fault tripped must at least reject a subject that is not there.
func (p *prover) expectations() {
	places := make([]string, 0, len(p.said))
	for at := range p.said {
		places = append(places, at)
	}
	sort.Strings(places)
	for _, at := range places {
		if p.saidNo[at] {
			continue
		}
		s := p.said[at]
		if s.expectation.Want.Judge(assertions.Missing) == nil {
			p.problem(3, at, "%s: %s has never said no: no fault trips it, and it accepts a subject that is not there", s.test, s.expectation.Subject)
		}
	}
}
