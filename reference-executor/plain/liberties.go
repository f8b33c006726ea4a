// SPDX-License-Identifier: Apache-2.0

package plain

import "github.com/roctinam/agentic-sandbox-conformance/reference-executor/points"

// liberties by topic. The comment of each names the sentence that leaves it free, or says that none speaks of it.
var liberties = points.Liberties[behaviour]{
	answerLiberties, cardLiberties, signatureLiberties, errorLiberties, listLiberties, objectLiberties, pushLiberties, sendingLiberties, streamLiberties, taskLiberties,
}

// Liberties returns the names of all liberties, sorted: ways in which a server may behave that keeps A2A 1.0.
func Liberties() []string { return liberties.Names() }

// EditedFreely names the points of behaviour that a liberty changes, as [Edited] does for a fault.
func EditedFreely(name string) (changed []string, whole bool) {
	return liberties.Edited(name, conformant)
}
