// SPDX-License-Identifier: Apache-2.0

// Package budget bounds what a run holds of its target at once, whichever way it came in: answers, event streams, terminals,
// deliveries, and what is kept until the end of the run. Each way has a bound of its own, so that one that is flooded does not
// take the room of the others, and all of them share one, so that several floods together are no more than that.
//
// It counts; what is over is for its owner to end, refuse or leave out, and to say so: nothing passes on a part.
package budget

import "sync/atomic"

// A Budget is what all ways may hold together, in bytes. It may be used by many goroutines at once.
type Budget struct {
	most  int64
	held  atomic.Int64
	own   int64   // what counts here alone
	above *Budget // what is beyond own counts there too; nil: there is none
}

// Of is a budget of so many bytes.
func Of(most int64) *Budget { return &Budget{most: most} }

// Within is a budget of so many bytes of which the first own are its own, and every other one counts in the given budget too, which
// several share: whoever floods takes what is shared, and leaves the others what is their own.
func (b *Budget) Within(own, most int64) *Budget { return &Budget{most: most, own: own, above: b} }

// Held is how many bytes are held.
func (b *Budget) Held() int64 { return b.held.Load() }

// A Part is one way's part of a budget.
type Part struct {
	whole *Budget
	most  int64
	held  atomic.Int64
}

// Part is a part of at most so many bytes. The parts of a budget may have more than it together.
func (b *Budget) Part(most int64) *Part { return &Part{whole: b, most: most} }

// Held is how many bytes of the part are held.
func (p *Part) Held() int64 { return p.held.Load() }

// Add notes n bytes that are held already, and says whether they are within the part and the whole. They count in any case,
// until Give.
func (p *Part) Add(n int64) bool {
	whole := p.whole.add(n)
	return p.held.Add(n) <= p.most && whole
}

// Take asks for room for n bytes, and says whether there was as much. If there was not, nothing is taken.
func (p *Part) Take(n int64) bool {
	if p.Add(n) {
		return true
	}
	p.Give(n)
	return false
}

// Give gives n bytes back.
func (p *Part) Give(n int64) {
	p.held.Add(-n)
	p.whole.add(-n)
}

// add notes n bytes, which are fewer where n is below nought, and says whether what is held then is within the budget and those above.
func (b *Budget) add(n int64) bool {
	held := b.held.Add(n)
	if b.above == nil {
		return held <= b.most
	}
	above := b.above.add(max(held-b.own, 0) - max(held-n-b.own, 0))
	return held <= b.most && (above || held <= b.own)
}
