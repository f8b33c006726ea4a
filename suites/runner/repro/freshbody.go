// SPDX-License-Identifier: Apache-2.0

package repro

import (
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// freshBody is the body of a request as a word of a command. The target may answer a messageId that it has seen from its
// memory, for a day, so the command makes another one; except where the request repeated a message, when that is the point.
func (c *Commands) freshBody(q *target.Request) (word string, fresh bool) {
	body := c.secrets.Clean(string(q.Body))
	at := target.MessageID.FindAllStringSubmatchIndex(body, 2)
	if q.Repeats || len(at) != 1 {
		return shellWord(body), false
	}
	before, after := shellWord(body[:at[0][2]]), shellWord(body[at[0][3]:])
	return strings.TrimSuffix(before, "'") + target.NewMessageID + strings.TrimPrefix(after, "'"), true
}
