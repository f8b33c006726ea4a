// SPDX-License-Identifier: Apache-2.0

package pulse

import (
	"slices"
	"sync"
	"time"
)

// What is played again as it was late: each row twice at most, and few of a run. A server that answers nothing in time is late everywhere,
// and that is found sooner by playing on.
const (
	MostAgain = 2
	mostOfRun = 8
)

// Hurried says whether the machine was busy, or stood still, for a quarter of the time between two moments or more.
func (p *Pulse) Hurried(from, to time.Time) bool {
	return p.Slowed(from, to)+p.Lost(from, to) >= to.Sub(from)/4 && to.After(from)
}

// Retries are what a run plays again because it was late while the machine was busy, one at a time.
type Retries struct {
	turn  sync.Mutex
	mu    sync.Mutex
	times int
	ids   []string
}

// Again says whether a row of a test may be played again, which waits for its turn then. Who has had it calls what is returned.
func (l *Retries) Again(id string) (done func(), may bool) {
	l.mu.Lock()
	may = l.times < mostOfRun
	if may {
		l.times++
		if !slices.Contains(l.ids, id) {
			l.ids = append(l.ids, id)
		}
	}
	l.mu.Unlock()
	if !may {
		return nil, false
	}
	l.turn.Lock()
	return l.turn.Unlock, true
}

// IDs are the tests of which something was played again, sorted.
func (l *Retries) IDs() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	ids := slices.Clone(l.ids)
	slices.Sort(ids)
	return ids
}
