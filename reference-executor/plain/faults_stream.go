// SPDX-License-Identifier: Apache-2.0

package plain

var streamFaults = map[string]func(*behaviour){
	"stream-stays-open-after-the-end": func(b *behaviour) { b.stream.ends = func(*eventStream, event) bool { return false } },
	"stream-starts-with-an-update": func(b *behaviour) {
		b.stream.begins = func(_ *call, t task) []event { return []event{{kind: "statusUpdate", task: t}} }
	},
	"stream-arrives-at-its-end": func(b *behaviour) {
		b.stream.write = func(st *eventStream, text []byte) { st.pending = append(st.pending, text...) }
		b.stream.closes = func(st *eventStream) { st.write(st.pending) }
	},
	"streams-end-together": func(b *behaviour) {
		b.stream.lost = func(c *call, t task) {
			c.s.mu.Lock()
			defer c.s.mu.Unlock()
			if stored := c.s.tasks[t.id]; stored != nil {
				for _, w := range stored.watchers {
					w.end()
				}
			}
		}
	},
	"stream-without-wrapper": func(b *behaviour) {
		b.output.wrapper = func(_ *call, what string, v object) object {
			if update, ok := v["statusUpdate"].(object); ok {
				return update
			}
			return v
		}
	},
}
