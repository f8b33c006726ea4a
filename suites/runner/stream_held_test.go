// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"bytes"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

func TestStreamsShareWhatTheyMayHold(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, "http://127.0.0.1:1", Target{})
	open := func() *stream {
		return &stream{p: subscriber{caller{p}}, request: &target.Request{}, status: 200, changed: make(chan struct{})}
	}
	fed := func(s *stream, length int) bool {
		return s.arrived(append([]byte(":"), bytes.Repeat([]byte("x"), length-1)...), &assertions.EventReader{})
	}
	alone := open()
	if !fed(alone, maxStream-1) || alone.observe().Blocked != "" {
		t.Error("a stream of the greatest length is refused")
	}
	second, third := open(), open()
	if !fed(second, maxStreamed-maxStream) || fed(third, 1<<20) || third.observe().Blocked != errStreamsFull.Error() {
		t.Error("three long streams are held")
	}
	small := open()
	if !fed(small, freeStreamed) || small.observe().Blocked != "" {
		t.Error("what every stream may send is refused")
	}
	for _, s := range []*stream{alone, second, third, third, small} {
		s.release()
	}
	if n := p.run.streamed.Held(); n != 0 {
		t.Errorf("%d bytes were not given back", n)
	}
}

// Events of a few bytes fill the memory long before their bytes do.
func TestSmallEventsCountForMoreThanTheirLength(t *testing.T) {
	t.Parallel()
	p := testPlayer(t, "http://127.0.0.1:1", Target{})
	reader := &assertions.EventReader{}
	for range 2 * maxStreamed / (maxEvents * eventCost) {
		s := &stream{p: subscriber{caller{p}}, request: &target.Request{}, status: 200, changed: make(chan struct{})}
		for len(s.events) < maxEvents && s.arrived([]byte("data:1\n\n"), reader) {
		}
		if s.full {
			return
		}
	}
	t.Errorf("%d bytes are held, as they are counted, and no stream was ended", p.run.streamed.Held())
}
