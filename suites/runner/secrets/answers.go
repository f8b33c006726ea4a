// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"encoding/json"
	"regexp"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
)

// ofAnswer bounds how many credentials are looked for in one answer.
const ofAnswer = 200

// Handed learns the credentials that a target hands out in its answers under the name of a member, such as the keys of sessions, so that no
// report shows them. What does not look like a credential stays: a word of the target's must not blacken the reports.
func (r *Redactor) Handed(member string) observe.Observer {
	under := regexp.MustCompile(`"` + regexp.QuoteMeta(member) + `"\s*:\s*("(?:[^"\\]|\\.)+")`)
	return observe.Observer{Exchange: func(x *observe.Exchange) {
		for _, found := range under.FindAllSubmatch(x.Body, ofAnswer) {
			var secret string
			if json.Unmarshal(found[1], &secret) == nil && isOpaque(secret) {
				r.secrets.Learn(secret)
			}
		}
	}}
}
