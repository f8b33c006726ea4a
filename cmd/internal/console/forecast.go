// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// A forecast says how long a run has taken, and about how long it will go on: by the waits that the contract imposes on the
// tests that are left, and by what a test has cost beside its waits so far.
type forecast struct {
	jobs    int
	maxWait time.Duration // tests that wait longer are not played
	began   time.Time
	left    map[string]time.Duration // the wait of each test that is left, by id
	done    int
	waited  time.Duration // by the tests that have ended
}

func newForecast(jobs int, maxWait time.Duration) forecast {
	return forecast{jobs: max(jobs, 1), maxWait: maxWait, left: map[string]time.Duration{}}
}

// add counts a test of the run and the wait that it cannot do without.
func (f *forecast) add(id string, wait time.Duration) {
	if wait > f.maxWait {
		wait = 0
	}
	f.left[id] = wait
}

func (f *forecast) begin(now time.Time) { f.began = now }

func (f *forecast) ended(id string) {
	wait, there := f.left[id]
	if !there {
		return
	}
	delete(f.left, id)
	f.done++
	f.waited += wait
}

// at is the forecast in words: "0:12, about 0:20 left". Before a tenth of the tests has ended nothing is known of the rest.
func (f *forecast) at(now time.Time) string {
	elapsed := now.Sub(f.began)
	if f.began.IsZero() || f.done == 0 || f.done*10 < f.done+len(f.left) {
		return clock(elapsed)
	}
	if len(f.left) == 0 {
		return clock(elapsed)
	}
	each := max(elapsed*time.Duration(f.jobs)-f.waited, 0) / time.Duration(f.done)
	waits, longest := time.Duration(0), slices.Max(slices.Collect(maps.Values(f.left)))
	for _, wait := range f.left {
		waits += wait
	}
	together := (waits + each*time.Duration(len(f.left))) / time.Duration(f.jobs)
	return clock(elapsed) + ", about " + clock(max(together, longest)) + " left"
}

// clock writes minutes and seconds.
func clock(d time.Duration) string {
	s := int(max(d, 0).Round(time.Second).Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
