// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"regexp"
	"sync"
)

// A messageID is a messageId that is a UUID, as the suites make them; one of another form may be what a finding is about.
var messageID = regexp.MustCompile(`"messageId"\s*:\s*"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"`)

// newMessageID stands in a command in place of a messageId: the quotes of the word end before it and begin again after it.
// Where there is no uuidgen, as in small containers, Linux makes one itself.
const newMessageID = `'"$(uuidgen 2>/dev/null || cat /proc/sys/kernel/random/uuid)"'`

// mostMessages bounds how many messages a run remembers to have sent.
const mostMessages = 100_000

// sentMessages are the ids of the messages that a run has sent, so that it is known which requests repeat one.
type sentMessages struct {
	mu   sync.Mutex
	sent map[string]bool
}

// repeats notes the message of a request, and says whether it had been sent before.
func (m *sentMessages) repeats(body []byte) bool {
	found := messageID.FindSubmatch(body)
	if found == nil {
		return false
	}
	id := string(found[1])
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sent[id] {
		return true
	}
	if m.sent == nil {
		m.sent = map[string]bool{}
	}
	if len(m.sent) < mostMessages {
		m.sent[id] = true
	}
	return false
}
