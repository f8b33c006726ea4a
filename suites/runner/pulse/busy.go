// SPDX-License-Identifier: Apache-2.0

package pulse

import "time"

const (
	sampled  = time.Second            // how often it is looked at how busy the machine is
	leastRun = 2 * time.Millisecond   // of processor time, wanted and had: less says nothing
	most     = 2                      // times a limit is what a busy machine gives it beside itself
	noise    = 100 * time.Millisecond // what is left of a limit and not worth another wait
)

// calm is the share of the time in which the harness wants a processor and waits for it that is nothing out of the ordinary: where half of
// the processors are idle, a process with many threads waits as well.
const calm = 0.5

// A crush is a time in which others wanted the processors too: of what it does, the harness spent that share waiting for one.
type crush struct {
	stop
	share float64
}

// Press tells what the harness has had of the processors so far, and what it has waited for them, as the sum over its threads.
func (p *Pulse) Press(now time.Time, had, waited time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.looked
	p.looked, p.share = look{now, had, waited}, 0
	h, w := had-last.had, waited-last.waited
	if last.at.IsZero() || h < 0 || w < 0 || h+w < leastRun { // a thread that ends takes its time along
		return
	}
	if share := float64(w) / float64(h+w); share >= calm {
		p.share = share
		p.crushes = bounded(append(p.crushes, crush{stop{last.at, now}, share}))
	}
}

// A look is what was seen of the processors at a moment.
type look struct {
	at          time.Time
	had, waited time.Duration
}

// Slowed is how much less than the time between two moments it was worth, as the processors were not to be had. The stops are no part of it.
func (p *Pulse) Slowed(from, to time.Time) time.Duration {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var slowed time.Duration
	if last := (crush{stop{p.looked.at, to}, p.share}); p.share > 0 && !p.looked.at.IsZero() { // until the next look
		slowed += last.slowed(from, to)
	}
	for i := len(p.crushes) - 1; i >= 0 && p.crushes[i].to.After(from); i-- {
		slowed += p.crushes[i].slowed(from, to)
	}
	return slowed
}

func (c crush) slowed(from, to time.Time) time.Duration {
	return time.Duration(c.share * float64(c.within(from, to)))
}

// Longer is a limit that begins now as long as it has to be: one to three times as long as on a machine that has time.
func (p *Pulse) Longer(limit time.Duration) time.Duration {
	return time.Duration(p.pace() * float64(limit))
}

func (p *Pulse) pace() float64 {
	if p == nil {
		return 1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return min(1/(1-min(p.share, 0.9)), most+1)
}

// Left is what is left of a limit that began at a moment. What the machine has taken away from the harness since is given back: of the
// stops all, and where the processors were busy not more than the limit twice.
func (p *Pulse) Left(began, now time.Time, limit time.Duration) time.Duration {
	left := limit - now.Sub(began) + p.Lost(began, now)
	if left > 0 {
		return left
	}
	if left += min(p.Slowed(began, now), most*limit); left < noise {
		return 0
	}
	p.gave(began, now, limit)
	return left
}

// gave notes that a limit, which began at a moment, is over by the clock and goes on.
func (p *Pulse) gave(began, now time.Time, limit time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.longer == nil {
		p.longer = map[time.Time]bool{}
	}
	if len(p.longer) < maxStops {
		p.longer[began] = true
	}
	p.most = max(p.most, now.Sub(began), limit)
}

// Given says how many waits went on beyond their limits so far, and how long the longest of them had been going on when that was last
// found. Without any it is 0 and 0.
func (p *Pulse) Given() (waits int, longest time.Duration) {
	if p == nil {
		return 0, 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.longer), p.most
}
