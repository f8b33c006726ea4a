// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// A onePort is an operator's script with one fixed port: who asks it replaces the executor that it has started before.
type onePort struct {
	mu       sync.Mutex
	asking   int
	most     int // how many have asked at the same time
	value    string
	executor string        // the address of what it starts
	second   chan struct{} // closed when a second one asks while the first has no answer yet
}

// overlapTime is how long a second one is waited for.
const overlapTime = 30 * time.Millisecond

func (o *onePort) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	o.mu.Lock()
	o.asking++
	if o.most = max(o.most, o.asking); o.asking == 2 {
		select {
		case <-o.second:
		default:
			close(o.second)
		}
	}
	o.value = q.Header.Get("X-Row") + fmt.Sprint(o.asking, time.Now().UnixNano())
	value := o.value
	o.mu.Unlock()
	select { // starting something takes its time
	case <-o.second:
	case <-time.After(overlapTime):
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asking--
	fmt.Fprintf(w, `{"url": %q, "value": %q}`, o.executor, value)
}

// A hook is asked by one row at a time, and what it has started is that row's until its end, unless the operator says that
// it may be asked at the same time.
func TestAHookHasOneExecutorAtATime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		parallel bool
		alone    bool
	}{
		"one port":  {alone: true},
		"many port": {parallel: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			port := &onePort{second: make(chan struct{})}
			port.executor = serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				select { // a row that replaces the executor now is one too many
				case <-port.second:
				case <-time.After(overlapTime / 3):
				}
				port.mu.Lock()
				defer port.mu.Unlock()
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"value": %q}`, port.value)
			}))
			tests := ""
			for n := range 6 {
				tests += fmt.Sprintf(`
  - {id: T-00%d, test: t%d, must: m, source: s, given: [{hook: sunset-env, with: {value: x}, keep: {other: result.url, mine: result.value}}], steps: [{request: "GET ${other}/a", expect: {json.value: "${mine}"}}, {request: "GET ${other}/b", expect: {json.value: "${mine}"}}]}`, n+1, n+1)
			}
			out := runAll(t, loaded(t, tests+"\n"), Target{ExecutorURL: (&fake{}).start(t), Hooks: map[string]Hook{
				"sunset-env": {URL: serveHandler(t, port), Parallel: c.parallel},
			}}, Options{})
			passed := strings.Count(summary(out), "pass")
			if c.alone && (passed != 6 || port.most != 1) {
				t.Errorf("%d asked at the same time, want 1:\n%s", port.most, summary(out))
			}
			if !c.alone && port.most < 2 {
				t.Errorf("%d asked at the same time, want several", port.most)
			}
		})
	}
}

// A row may ask a hook again whose executor it has, also from clients side by side.
func TestAHookIsAskedTwiceByOneRow(t *testing.T) {
	t.Parallel()
	other := serveHandler(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	hook := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"url": %q}`, other) }))
	out := runAll(t, loaded(t, `
  - {id: T-001, test: a, must: m, source: s, steps: [{hook: sunset-env}, {together: 3, steps: [{hook: sunset-env}]}, {hook: sunset-env}]}
  - {id: T-002, test: b, must: m, source: s, steps: [{hook: sunset-env}]}
`), Target{ExecutorURL: (&fake{}).start(t), Hooks: map[string]Hook{"sunset-env": {URL: hook}}}, Options{})
	if got := summary(out); got != "T-001 pass\nT-002 pass" {
		t.Error(got)
	}
}
