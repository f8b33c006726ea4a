// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"sync"
	"time"
)

// A recorder keeps what passed between harness and target during one test. It keeps references; text is made of them
// only when somebody wants to read the evidence.
type recorder struct {
	mu      sync.Mutex
	began   time.Time
	entries []entry
}

type entry struct {
	at           time.Duration
	kind, actor  string
	head, header string
	body         []byte
	size         int64 // full length of the body, when body was cut
}

func (r *recorder) add(e entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.at = time.Since(r.began)
	r.entries = append(r.entries, e)
}

// record keeps one thing that passed between harness and target. kind is one of report.Evidence's; head is one line.
// Secrets may be in it: they are taken out before anything is shown.
func (p *player) record(kind, actor, head, header string, body []byte) {
	p.rec.add(entry{kind: kind, actor: actor, head: head, header: header, body: body, size: int64(len(body))})
}
