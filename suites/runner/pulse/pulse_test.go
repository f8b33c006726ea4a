// SPDX-License-Identifier: Apache-2.0

package pulse

import (
	"testing"
	"time"
)

func TestLost(t *testing.T) {
	t.Parallel()
	start := time.Now()
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	for _, row := range []struct {
		name     string
		beats    []int // ms
		from, to int
		want     time.Duration
	}{
		{"every beat in time", []int{100, 200, 300}, 0, 300, 0},
		{"a beat a little late", []int{100, 290}, 0, 290, 0},
		{"a beat that came late", []int{100, 5200}, 0, 5200, 5 * time.Second},
		{"of which a part was asked for", []int{100, 5200}, 2200, 3200, time.Second},
		{"two of them", []int{1100, 1200, 3300}, 0, 3300, 3 * time.Second},
		{"one before that time", []int{1100, 1200, 1300}, 1200, 1300, 0},
		{"one behind it", []int{100, 200, 1300}, 0, 200, 0},
		{"no beat yet since", []int{100}, 0, 4200, 4 * time.Second},
	} {
		p := &Pulse{last: start}
		for _, beat := range row.beats {
			p.Beat(at(beat))
		}
		if got := p.Lost(at(row.from), at(row.to)); got != row.want {
			t.Errorf("%s: lost %s, want %s", row.name, got, row.want)
		}
	}
	var none *Pulse
	if none.Lost(start, at(1000)) != 0 {
		t.Error("no pulse has lost something")
	}
}

// However often the machine stops, what is kept of it is bounded; what was lost last is known.
func TestStopsAreBounded(t *testing.T) {
	t.Parallel()
	start := time.Now()
	p := &Pulse{last: start}
	for i := range 2 * maxStops {
		p.Beat(start.Add(time.Duration(i+1) * time.Second))
	}
	end := start.Add(2 * maxStops * time.Second)
	if got, want := p.Lost(end.Add(-10*time.Second), end), 10*(time.Second-Every); got != want || len(p.stops) != maxStops {
		t.Errorf("lost %s, want %s; %d stops are kept", got, want, len(p.stops))
	}
}

func TestAPulseBeats(t *testing.T) {
	t.Parallel()
	p := Start(true)
	first := p.last
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		p.mu.Lock()
		last := p.last
		p.mu.Unlock()
		if last.After(first) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it does not beat")
		}
	}
	p.Stop()
}
