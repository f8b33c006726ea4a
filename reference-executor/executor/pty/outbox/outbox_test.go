// SPDX-License-Identifier: Apache-2.0

package outbox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

type item struct {
	name string
	size int
	last bool
}

func (i item) Size() int  { return i.size }
func (i item) Last() bool { return i.last }

// TestOutbox: nothing follows a close, and what is owed is what has not been written yet.
func TestOutbox(t *testing.T) {
	t.Parallel()
	one, two, end := item{"one", 10, false}, item{"two", 5, false}, item{"close", 2, true}
	for _, row := range []struct {
		name string
		play func(o *Outbox[item])
		line []item
		owed int
		last bool
	}{
		{"what is put in line stays there in order", func(o *Outbox[item]) { o.Push(one); o.Push(two) }, []item{one, two}, 15, false},
		{"nothing follows a close", func(o *Outbox[item]) { o.Push(one, end, two) }, []item{one, end}, 12, true},
		{"what is taken is owed until it was written", func(o *Outbox[item]) { o.Push(one, two); o.Take(); o.Wrote(one) }, nil, 5, false},
		{"a cut drops what is in line", func(o *Outbox[item]) { o.Push(one, two); o.CutTo(end); o.Push(two) }, []item{end}, 2, true},
		{"who writes is woken though nothing has come", func(o *Outbox[item]) { o.Wake() }, nil, 0, false},
		{"a cut leaves a close as it is", func(o *Outbox[item]) { o.Push(end); o.CutTo(item{"other", 3, true}) }, []item{end}, 2, true},
	} {
		o := New[item]()
		row.play(o)
		if o.Owes(row.owed) || row.owed > 0 && !o.Owes(row.owed-1) || o.IsSealed() != row.last {
			t.Errorf("%s: want %d bytes owed, last %t; it owes more than that (%t), last %t", row.name, row.owed, row.last, o.Owes(row.owed), o.IsSealed())
		}
		select {
		case <-o.Ready():
		default:
			t.Errorf("%s: nobody is told of it", row.name)
		}
		if diff := cmp.Diff(row.line, o.Take(), cmp.AllowUnexported(item{})); diff != "" {
			t.Errorf("%s: in line (-want +got):\n%s", row.name, diff)
		}
	}
}
