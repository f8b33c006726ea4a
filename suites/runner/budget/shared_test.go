// SPDX-License-Identifier: Apache-2.0

package budget

import (
	"sync"
	"testing"
)

// What one run takes beyond its own leaves every other one its own.
func TestAFloodLeavesTheOthersTheirOwn(t *testing.T) {
	t.Parallel()
	shared := Of(100)
	flooded, other := shared.Within(10, 200).Part(200), shared.Within(10, 200).Part(200)
	for _, row := range []struct {
		what string
		got  bool
		want bool
	}{
		{"all of its own and of what is shared", flooded.Take(110), true},
		{"more than that", flooded.Take(1), false},
		{"what is another's own", other.Take(10), true},
		{"what the first has taken", other.Take(1), false},
	} {
		if row.got != row.want {
			t.Errorf("%s: %v, want %v", row.what, row.got, row.want)
		}
	}
	flooded.Give(50)
	if !other.Take(40) || !other.Add(0) {
		t.Error("what was given back cannot be taken")
	}
	flooded.Give(60)
	other.Give(50)
	if shared.Held() != 0 || flooded.Held() != 0 || other.Held() != 0 {
		t.Errorf("%d bytes are held in the end", shared.Held())
	}
}

func TestManyShareAtOnce(t *testing.T) {
	t.Parallel()
	shared := Of(1000)
	var all sync.WaitGroup
	for range 4 {
		part := shared.Within(5, 1000).Part(1000)
		for range 2 {
			all.Go(func() {
				for range 1000 {
					if part.Take(7) {
						part.Give(7)
					}
				}
			})
		}
	}
	all.Wait()
	if shared.Held() != 0 {
		t.Errorf("%d bytes are held in the end", shared.Held())
	}
}
