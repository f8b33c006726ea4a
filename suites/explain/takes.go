// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/timebudget"
)

// answer is how long a run waits for an answer of which its step says nothing, where nobody asks for another time.
const answer = 10 * time.Second

// takes says how long a test may take; "" when it waits for nothing.
func takes(t *suites.Test) string {
	budget := timebudget.AsWritten(answer).Of(t, max(1, len(t.Cases))*bindings(t))
	most := budget.Most()
	if most == 0 {
		return ""
	}
	waits := ""
	if budget.Row > 0 {
		waits = fmt.Sprintf("waits %s by its nature", budget.Row)
		if budget.Rows > 1 {
			waits += fmt.Sprintf(" in each of %d rows", budget.Rows)
		}
		waits += ", and "
	}
	return waits + fmt.Sprintf("may take up to %s on a target that keeps it waiting in vain", most)
}

// bindings is over how many bindings, or pairs of them, the operations of a test are sent at most.
func bindings(t *suites.Test) int {
	switch {
	case !t.Operates:
		return 1
	case len(t.Over) == 0:
		return allBindings
	case t.Over[0] == suites.Pairs:
		return allBindings * (allBindings - 1)
	}
	return len(t.Over)
}

// allBindings are HTTP+JSON, JSONRPC and GRPC (A2A 1.0, section 5).
const allBindings = 3
