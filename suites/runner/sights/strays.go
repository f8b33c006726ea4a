// SPDX-License-Identifier: Apache-2.0

package sights

import (
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
)

// Strays are the Errors of a connection with an id that no request of ours has had. An executor may send one unasked before it closes the
// connection (pty-ws/v1 section 4), so that they are held back until it is known how the connection goes on.
type strays struct {
	off   bool // we have sent what an Error of any id may answer
	held  []Sight
	later map[string]bool // ids of the requests that were sent since the first of them came, in lower case
}

// maxStrays bounds how many are held back on one connection.
const maxStrays = 16

// isOrphan says whether a message is an Error that must be the answer to a request of ours, and has the id of none. That it has one is another
// requirement.
func (v *conversation) isOrphan(c *observe.Connection, m *observe.Message) bool {
	op, _ := m.JSON["op"].(string)
	id, _ := m.JSON["id"].(string)
	_, answers := v.requests[strings.ToLower(id)]
	byHand := c.HandMade || c.Disturbed()&observe.SentByHand != 0
	return op == "Error" && id != "" && !answers && !byHand && !v.strangely && !v.strays.off && len(v.requests) > 0
}

// hold keeps a sight back, if there is room.
func (s *strays) hold(sight Sight) bool {
	if len(s.held) >= maxStrays {
		return false
	}
	s.held = append(s.held, sight)
	return true
}

// ask remembers a request of ours that is sent while some are held back.
func (s *strays) ask(id string) {
	if len(s.held) == 0 || id == "" {
		return
	}
	if s.later == nil {
		s.later = map[string]bool{}
	}
	s.later[strings.ToLower(id)] = true
}

// proved are those that were held back, once a message answers what we have asked later: the connection has outlived them. They say so.
func (s *strays) proved(m *observe.Message) []Sight {
	id, _ := m.JSON["id"].(string)
	if !s.later[strings.ToLower(id)] {
		return nil
	}
	proved := s.rest()
	for _, one := range proved {
		if about, is := one.Seen.Get("connection").(map[string]any); is {
			about["stray"] = true
		}
	}
	return proved
}

// rest are those that are held back, and are not any more.
func (s *strays) rest() []Sight {
	rest := s.held
	s.held, s.later = nil, nil
	return rest
}
