// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/points"
)

// liberties by topic. The comment of each names the sentence that leaves it free, or says that none speaks of it.
var liberties = points.Liberties[behaviour]{
	answerLiberties, httpLiberties, refusalLiberties, cardLiberties, taskLiberties, listLiberties, streamLiberties, pushLiberties, hitlLiberties,
	adminLiberties, watchLiberties, ofTerminals(pty.Liberties),
}

// Liberties returns the names of all liberties, sorted: ways in which a server may behave that keeps the contract.
func Liberties() []string { return liberties.Names() }

// EditedFreely names the points of behaviour that a liberty changes, as [Edited] does for a fault.
func EditedFreely(name string) (changed []string, whole bool) {
	return liberties.Edited(name, conformant)
}

// onceAsked does something when the first request arrives.
func onceAsked(b *behaviour, do func(*Executor)) {
	var once sync.Once
	arrives := b.transport.arrives
	b.transport.arrives = func(e *Executor, w http.ResponseWriter, r *http.Request) {
		once.Do(func() { do(e) })
		arrives(e, w, r)
	}
}
