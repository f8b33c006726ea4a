// SPDX-License-Identifier: Apache-2.0

package pulse

import (
	"testing"
	"time"
)

// pressed is a pulse that has looked at the processors once a second: what the harness has had of them, and waited for them, in ms.
func pressed(start time.Time, looks ...[2]int) *Pulse {
	p := &Pulse{last: start.Add(time.Hour)}
	var had, waited time.Duration
	had, waited = time.Second, time.Second // before it began
	p.Press(start, had, waited)
	for i, l := range looks {
		had += time.Duration(l[0]) * time.Millisecond
		waited += time.Duration(l[1]) * time.Millisecond
		p.Press(start.Add(time.Duration(i+1)*time.Second), had, waited)
	}
	return p
}

func TestSlowed(t *testing.T) {
	t.Parallel()
	start := time.Now()
	for _, row := range []struct {
		name     string
		looks    [][2]int
		from, to time.Duration
		want     time.Duration
		pace     float64
	}{
		{"a machine that has time", [][2]int{{100, 1}, {200, 3}}, 0, 2 * time.Second, 0, 1},
		{"a machine of which half is used", [][2]int{{100, 90}}, 0, time.Second, 0, 1},
		{"three quarters of the work is waiting", [][2]int{{100, 300}}, 0, time.Second, 750 * time.Millisecond, 3},
		{"half of that second was asked for", [][2]int{{100, 300}}, 500 * time.Millisecond, time.Second, 375 * time.Millisecond, 3},
		{"until the next look it stays so", [][2]int{{100, 300}}, 0, 2 * time.Second, 1500 * time.Millisecond, 3},
		{"what has passed has passed", [][2]int{{100, 300}, {100, 0}}, 0, 2 * time.Second, 750 * time.Millisecond, 1},
		{"twice as slow and a half", [][2]int{{100, 150}}, 0, time.Second, 600 * time.Millisecond, 2.5},
		{"too little work to tell", [][2]int{{1, 0}}, 0, time.Second, 0, 1},
		{"nor is it busy any longer then", [][2]int{{100, 300}, {1, 0}}, 0, 2 * time.Second, 750 * time.Millisecond, 1},
		{"a thread that has ended took its time along", [][2]int{{-500, 300}}, 0, time.Second, 0, 1},
	} {
		p := pressed(start, row.looks...)
		if got := p.Slowed(start.Add(row.from), start.Add(row.to)).Round(time.Microsecond); got != row.want {
			t.Errorf("%s: slowed by %s, want %s", row.name, got, row.want)
		}
		if got := p.pace(); got < row.pace-0.01 || got > row.pace+0.01 {
			t.Errorf("%s: a pace of %v, want %v", row.name, got, row.pace)
		}
	}
	var none *Pulse
	if none.Slowed(start, start.Add(time.Second)) != 0 || none.Longer(time.Second) != time.Second {
		t.Error("no pulse is slow")
	}
}

// A limit of a busy machine becomes three times as long, and no longer; one of a machine that stood still goes on for as long as that was.
func TestLeft(t *testing.T) {
	t.Parallel()
	start := time.Now()
	busy := pressed(start, [2]int{100, 900})
	for _, row := range []struct {
		name  string
		pulse *Pulse
		after time.Duration
		want  time.Duration
	}{
		{"before its end", busy, time.Second, 4 * time.Second},
		{"at its end", busy, 5 * time.Second, 4500 * time.Millisecond},
		{"at its second end", busy, 9500 * time.Millisecond, 4050 * time.Millisecond},
		{"near three times of it", busy, 14 * time.Second, time.Second},
		{"at three times of it", busy, 15 * time.Second, 0},
		{"long after it", busy, time.Minute, -45 * time.Second},
		{"little is nothing", pressed(start, [2]int{100, 300}, [2]int{100, 0}, [2]int{100, 0}, [2]int{100, 0}, [2]int{100, 0}, [2]int{100, 0}),
			5700 * time.Millisecond, 0},
		{"an hour asleep", Stopped(start.Add(time.Second), start.Add(time.Hour)), time.Hour + time.Second, 3 * time.Second},
		{"no pulse", nil, 6 * time.Second, -time.Second},
	} {
		got := row.pulse.Left(start, start.Add(row.after), 5*time.Second).Round(time.Millisecond)
		if max(got, 0) != max(row.want, 0) {
			t.Errorf("%s: %s are left, want %s", row.name, got, row.want)
		}
	}
	if waits, longest := busy.Given(); waits != 1 || longest != 14*time.Second {
		t.Errorf("%d waits went on, the longest after %s, want the one of 14s", waits, longest)
	}
	var none *Pulse
	if waits, longest := none.Given(); waits != 0 || longest != 0 {
		t.Errorf("no pulse let %d waits go on, %s long", waits, longest)
	}
}

// However long a machine is busy, what is kept of it is bounded.
func TestCrushesAreBounded(t *testing.T) {
	t.Parallel()
	p := pressed(time.Now())
	for i := range 2 * maxStops {
		n := time.Duration(i+1) * time.Second
		p.Press(p.looked.at.Add(time.Second), time.Second+n, time.Second+9*n)
	}
	if len(p.crushes) != maxStops {
		t.Errorf("%d crushes are kept, want %d", len(p.crushes), maxStops)
	}
}

func TestOfProcessors(t *testing.T) {
	t.Parallel()
	had, waited, known := ofProcessors(time.Now())
	if !known {
		t.Skip("the system does not say how long a process has waited for a processor")
	}
	if had <= 0 || waited <= 0 {
		t.Errorf("had %s, waited %s", had, waited)
	}
}
