// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"testing"
	"time"
)

func TestForecast(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		what       string
		jobs, done int
		tests      int
		waits      map[int]time.Duration
		after      time.Duration
		want       string
	}{
		{"nothing has ended", 2, 0, 20, nil, time.Second, "0:01"},
		{"too little has ended", 2, 1, 20, nil, time.Second, "0:01"},
		{"half has ended", 1, 10, 20, nil, 10 * time.Second, "0:10, about 0:10 left"},
		{"half has ended, by two at once", 2, 10, 20, nil, 10 * time.Second, "0:10, about 0:10 left"},
		{"what is left waits", 1, 10, 20, map[int]time.Duration{15: 30 * time.Second}, 10 * time.Second, "0:10, about 0:40 left"},
		{"one wait is longer than all else", 8, 10, 20, map[int]time.Duration{15: 30 * time.Second}, time.Second, "0:01, about 0:30 left"},
		{"what has waited does not wait again", 1, 10, 20, map[int]time.Duration{3: 9 * time.Second}, 10 * time.Second, "0:10, about 0:01 left"},
		{"what waits too long is not played", 1, 10, 20, map[int]time.Duration{15: time.Hour}, 10 * time.Second, "0:10, about 0:10 left"},
		{"all has ended", 1, 20, 20, nil, 70 * time.Second, "1:10"},
	} {
		f := newForecast(c.jobs, time.Minute)
		for i := range c.tests {
			f.add(fmt.Sprint(i), c.waits[i])
		}
		f.begin(began)
		for i := range c.done {
			f.ended(fmt.Sprint(i))
		}
		if got := f.at(began.Add(c.after)); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}
