// SPDX-License-Identifier: Apache-2.0

// Package orphans ends the processes of hooks when the program that started them is killed, as kill -9 and a machine that
// is out of memory do: no program can do anything then. A small process waits at the end of a pipe whose other end only
// this program holds; it reads which groups of processes there are, and ends those that are left when the pipe closes.
package orphans

import (
	"fmt"
	"io"
	"sync"
)

// A Keeper keeps account of the groups of one run. The zero Keeper works; its process is started with the first group.
// Where there is no such process (no shell, Windows) it keeps none, and a killed program leaves its hooks behind.
type Keeper struct {
	mu      sync.Mutex
	started bool
	pipe    io.WriteCloser // nil: there is nobody to tell
	wait    func() error
}

// Add notes a group of processes, by the id of its leader, and returns what to call when it is not to be ended any more.
func (k *Keeper) Add(group int) (done func()) {
	k.tell("+", group)
	return sync.OnceFunc(func() { k.tell("-", group) })
}

func (k *Keeper) tell(sign string, group int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.started {
		k.started = true
		k.pipe, k.wait = start()
	}
	if k.pipe == nil {
		return
	}
	if _, err := fmt.Fprintf(k.pipe, "%s %d\n", sign, group); err != nil {
		k.pipe.Close()
		k.pipe = nil
	}
}

// Close ends the groups that are left, and the process that waits for it. The Keeper keeps nothing after it.
func (k *Keeper) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.started = true
	if k.pipe != nil {
		k.pipe.Close()
		k.pipe = nil
		_ = k.wait()
	}
}
