// SPDX-License-Identifier: Apache-2.0

package budget

import (
	"sync"
	"testing"
)

func TestPartsShareTheWhole(t *testing.T) {
	t.Parallel()
	whole := Of(100)
	streams, hooks := whole.Part(80), whole.Part(60)
	for _, row := range []struct {
		what string
		got  bool
		want bool
	}{
		{"within the part", streams.Take(70), true},
		{"over the part", streams.Take(20), false},
		{"over the whole", hooks.Take(40), false},
		{"within both", hooks.Take(30), true},
		{"held already, over the whole", hooks.Add(10), false},
	} {
		if row.got != row.want {
			t.Errorf("%s: %v, want %v", row.what, row.got, row.want)
		}
	}
	if whole.Held() != 110 || streams.Held() != 70 || hooks.Held() != 40 {
		t.Errorf("%d bytes are held, %d of streams and %d of hooks", whole.Held(), streams.Held(), hooks.Held())
	}
	streams.Give(70)
	hooks.Give(40)
	if whole.Held() != 0 {
		t.Errorf("%d bytes are held when all are given back", whole.Held())
	}
}

func TestManyTakeAtOnce(t *testing.T) {
	t.Parallel()
	whole := Of(1000)
	part := whole.Part(1000)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				if part.Take(3) {
					part.Give(3)
				}
			}
		})
	}
	all.Wait()
	if whole.Held() != 0 || part.Held() != 0 {
		t.Errorf("%d bytes are held in the end", whole.Held())
	}
}
