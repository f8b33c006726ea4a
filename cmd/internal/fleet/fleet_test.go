// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/config"
)

func TestEveryTargetHasANameOfItsOwn(t *testing.T) {
	t.Parallel()
	var entries []*config.Entry
	for _, e := range [][2]string{
		{"", "https://agent.example/"}, {"", "https://agent.example/"}, {"", "https://AGENT.example"}, {"", "https://agent.example:8443/agents/1"},
		{"agent.example-4", "https://x.example/"}, {"", "http://overview.md/"}, {"", "http://nul/"}, {"", "http://[::1]:80/"}, {"", "http://" + strings.Repeat("a", 300) + "/"},
		{"", "https://agent.example/../../etc/%2e%2e"}, {"", "https://agent.example"},
	} {
		entries = append(entries, &config.Entry{Name: e[0], URL: e[1]})
	}
	list, err := List(entries)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range list {
		got = append(got, l.Name)
		if !folderName.MatchString(l.Name) {
			t.Errorf("%q is no name of a folder", l.Name)
		}
	}
	want := []string{"agent.example", "agent.example-2", "AGENT.example-3", "agent.example-8443-agents-1", "agent.example-4", "overview.md-2", "nul-2", "1-80",
		strings.Repeat("a", 80), "agent.example-..-..-etc", "agent.example-5"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestShards(t *testing.T) {
	t.Parallel()
	in := func(value string) func(string) (string, bool) {
		return func(name string) (string, bool) {
			if name != IndexVariable || value == "unset" {
				return "", false
			}
			return value, true
		}
	}
	for _, row := range []struct{ text, index, want string }{
		{"0/4", "unset", "0/4"}, {"3/4", "1", "3/4"}, {"4", "2", "2/4"}, {"1", "0", "0/1"},
		{"4/4", "unset", "there is no shard 4 of 4: they are counted from 0, so the last one is 3/4"},
		{"4", "unset", "JOB_COMPLETION_INDEX is not set, which says which of 4 shards this is: write it as in 0/4"},
		{"4", "4", "there is no shard 4 of 4: they are counted from 0, so the last one is 3/4"}, {"4", "x", "JOB_COMPLETION_INDEX is no number of a shard"},
		{"0/0", "unset", "want 1 to 5000 shards"}, {"1/9999", "unset", "want 1 to 5000 shards"},
		{"1 of 4", "unset", "want i/n, as in 0/4 for the first of four, or n alone where JOB_COMPLETION_INDEX says which one this is"}, {"-1/4", "unset", "want i/n, as in 0/4 for the first of four, or n alone where JOB_COMPLETION_INDEX says which one this is"},
	} {
		s, err := ParseShard(row.text, in(row.index))
		got := s.String()
		if err != nil {
			got = err.Error()
		}
		if got != row.want {
			t.Errorf("%s with the index %s: %s, want %s", row.text, row.index, got, row.want)
		}
	}
}

// Every target belongs to one shard, whatever the number of shards.
func TestShardsDivideTheList(t *testing.T) {
	t.Parallel()
	for of := 1; of <= 7; of++ {
		for place := range 20 {
			has := 0
			for i := range of {
				if (Shard{i, of}).Has(place) {
					has++
				}
			}
			if has != 1 || !(Shard{}).Has(place) {
				t.Errorf("target %d belongs to %d of %d shards", place, has, of)
			}
		}
	}
}

func TestSideBySide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		var mu sync.Mutex
		var begun []int
		ctx, cancel := context.WithCancel(t.Context())
		gate := make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			SideBySide(ctx, 10, 3, func(i int) {
				mu.Lock()
				begun = append(begun, i)
				most.Store(max(most.Load(), now.Add(1)))
				mu.Unlock()
				<-gate
				now.Add(-1)
			})
		}()
		for range 4 { // four of them end, one by one
			synctest.Wait()
			if now.Load() != 3 {
				t.Errorf("%d are played at once, want 3", now.Load())
			}
			gate <- struct{}{}
		}
		synctest.Wait()
		cancel()
		for range 3 {
			gate <- struct{}{}
		}
		<-done
		slices.Sort(begun)
		if want := []int{0, 1, 2, 3, 4, 5, 6}; most.Load() != 3 || !slices.Equal(begun, want) {
			t.Errorf("at most %d at once, begun %v; want 3 and %v, and none after the end", most.Load(), begun, want)
		}
	})
}
