// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"context"
	"runtime"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
)

// NotYet is why nothing is known of a target that a run has not come to.
const NotYet = "it was not played: the run ended before"

// Builder makes the overview of a run that plays the targets at the given places of its list.
func (m *Manifest) Builder() *overview.Builder {
	list := overview.List{SHA256: m.SHA256, Targets: len(m.Targets), Shard: m.Shard.String()}
	return overview.NewBuilder(list, entries(m.Targets, m.Own, func(int) string { return NotYet }))
}

// maxAtOnce bounds the memory of a run that nobody has said anything about: a target that is played takes some 75 MiB for moments.
const maxAtOnce = 8

// AtOnce is how many targets are played at once where nobody has said it. A run mostly waits, for its target and for what the contract
// has it wait for, so that a processor serves several; and one that is starved of it would judge the times of a target by its own.
func AtOnce() int { return min(2*max(runtime.GOMAXPROCS(0), 1), maxAtOnce) }

// SideBySide calls play with every number below n, in order and at most so many at once, and returns when all of them are over. When ctx
// ends, no more is begun.
func SideBySide(ctx context.Context, n, atOnce int, play func(i int)) {
	slots := make(chan struct{}, max(atOnce, 1))
	var all sync.WaitGroup
	defer all.Wait()
	for i := range n {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		if ctx.Err() != nil { // both were ready
			return
		}
		all.Go(func() {
			defer func() { <-slots }()
			play(i)
		})
	}
}
