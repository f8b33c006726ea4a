// SPDX-License-Identifier: Apache-2.0

package executor

import "github.com/google/uuid"

// answerLiberties are about the form of answers.
var answerLiberties = map[string]func(*behaviour){
	// RFC 9457, 3.2: problem types may have more members, and clients ignore those that they do not know.
	"problems-have-more-members": func(b *behaviour) {
		b.errors.document = func(c *call, p *problem, d map[string]any) {
			conformantErrors.document(c, p, d)
			d["trace"] = map[string]any{"id": uuid.NewString(), "sampled": false}
			d["retryable"] = nil
		}
	},
}
