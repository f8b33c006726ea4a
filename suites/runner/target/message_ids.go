// SPDX-License-Identifier: Apache-2.0

package target

import (
	"regexp"
	"sync"
)

// MessageID is a messageId that is a UUID, as the suites make them; one of another form may be what a finding is about.
var MessageID = regexp.MustCompile(`"messageId"\s*:\s*"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"`)

// NewMessageID stands in a command in place of a messageId: the quotes of the word end before it and begin again after it.
// Where there is no uuidgen, as in small containers, Linux makes one itself.
const NewMessageID = `'"$(uuidgen 2>/dev/null || cat /proc/sys/kernel/random/uuid)"'`

// maxMessages bounds how many messages a run remembers to have sent.
const maxMessages = 100_000

// SentMessages are the ids of the messages that a run has sent, so that it is known which requests repeat one.
type SentMessages struct {
	mu   sync.Mutex
	sent map[string]bool
}

// Repeats notes the message of a request, and says whether it had been sent before.
func (m *SentMessages) Repeats(body []byte) bool {
	found := MessageID.FindSubmatch(body)
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
	if len(m.sent) < maxMessages {
		m.sent[id] = true
	}
	return false
}
