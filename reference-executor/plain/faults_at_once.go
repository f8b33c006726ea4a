// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"fmt"
	"sync"
	"time"
)

// atOnceFaults show only when things come close together: at the same time, or one just behind the other.
var atOnceFaults = map[string]func(*behaviour){
	"lists-are-a-second-old": func(b *behaviour) {
		var mu sync.Mutex
		type kept struct {
			at time.Time
			v  any
		}
		known := map[query]kept{}
		b.list.answer = func(c *call, q query, v object) object {
			mu.Lock()
			defer mu.Unlock()
			if old, found := known[q]; found && time.Since(old.at) < time.Second {
				return clone(old.v).(object)
			}
			known[q] = kept{time.Now(), clone(v)}
			return conformantList.answer(c, q, v)
		}
	},
	"push-configs-made-at-once-are-lost": func(b *behaviour) {
		var s *Server
		b.push.reads = func(c *call, o object, path string) (*pushConfig, *failure) {
			s = c.s
			return conformantPush.reads(c, o, path)
		}
		b.push.adds = func(list []*pushConfig, p *pushConfig) []*pushConfig {
			s.mu.Unlock()
			time.Sleep(lostUpdate)
			s.mu.Lock()
			return conformantPush.adds(list, p)
		}
	},
	"push-config-ids-are-counted": func(b *behaviour) {
		b.push.reads = func(c *call, o object, path string) (*pushConfig, *failure) {
			p, f := conformantPush.reads(c, o, path)
			if id, _ := c.taskName(); f == nil && path == "" && o["id"] == nil {
				p.id = fmt.Sprint("config-", len(c.s.push[id])+1)
			}
			return p, f
		}
	},
	"subscriptions-show-no-artifacts-so-far": func(b *behaviour) {
		b.stream.begins = func(c *call, t task) []event {
			if isOp(c, "SubscribeToTask") {
				t.artifacts = nil
			}
			return conformantStream.begins(c, t)
		}
	},
}

// lostUpdate is how long a fault leaves between reading and writing.
const lostUpdate = 20 * time.Millisecond
