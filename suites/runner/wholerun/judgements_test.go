// SPDX-License-Identifier: Apache-2.0

package wholerun

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestJudgements: the rows of a test that ask at the same time share one judgement; what has come since is judged anew.
func TestJudgements(t *testing.T) {
	t.Parallel()
	var j Judgements
	var times atomic.Int32
	condition, another := new(int), new(int)
	broken := errors.New("broken")
	judge := func(verdict error) func() error {
		return func() error { times.Add(1); return verdict }
	}
	var rows sync.WaitGroup
	for range 8 {
		rows.Go(func() {
			if err := j.Of(condition, 3, judge(broken)); err != broken {
				t.Errorf("a row gets %v, want that the condition is broken", err)
			}
		})
	}
	rows.Wait()
	if n := times.Load(); n != 1 {
		t.Errorf("8 rows were judged %d times, want once", n)
	}
	if err := j.Of(another, 3, judge(nil)); err != nil || times.Load() != 2 {
		t.Errorf("another condition gets %v, judged %d times in all, want its own judgement", err, times.Load())
	}
	if err := j.Of(condition, 4, judge(nil)); err != nil || times.Load() != 3 {
		t.Errorf("when more was seen the condition gets %v, judged %d times in all, want a new judgement", err, times.Load())
	}
}
