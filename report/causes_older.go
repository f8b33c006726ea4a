// SPDX-License-Identifier: Apache-2.0

package report

import (
	"regexp"
)

// SubjectVersion is the subject of the finding of the preflight that says that the target speaks a version of the protocol
// before the one that is judged.
const SubjectVersion = "protocol version"

// changedInCards are the members of cards that 1.0 has given another name or place, or taken away.
var changedInCards = regexp.MustCompile(`\b(supportedInterfaces|interfaces\.|protocolBinding|url|preferredTransport|additionalInterfaces|protocolVersion|transport` +
	`|securitySchemes|securityRequirements|security|authentication|supports(Authenticated)?Extended(Agent)?Card|stateTransitionHistory)\b`)

// olderFoldings are for a target that speaks an earlier version: what its card has in the form of that version.
func (r *causeRun) olderFoldings() []folding {
	var all []folding
	for i := range r.Preflight {
		p := &r.Preflight[i]
		if p.Cause == "" || p.Severity != Fail || p.Subject != SubjectVersion {
			continue
		}
		all = append(all, folding{kind: CauseOlderVersion,
			key: func(d *symptom) string {
				if d.route != p.Route || d.route == "" || d.status != p.Status || d.status == 200 && !changedInCards.MatchString(d.sentence) {
					return ""
				}
				return p.Cause
			},
			says: func(string, []*symptom) (string, string) {
				return p.Cause, "Declare the interfaces of 1.0 in supportedInterfaces and serve them; docs/migrating-from-0.3.md says what changes."
			}})
	}
	return all
}
