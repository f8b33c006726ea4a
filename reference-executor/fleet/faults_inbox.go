// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"encoding/json"
	"time"
)

var inboxFaults = map[string]func(*behaviour){
	"events-twice": func(b *behaviour) {
		b.inbox.accepted = func(c *call, sent *sending) *event {
			c.publish(c.agent, c.eventOf(sent))
			return c.publish(c.agent, c.eventOf(sent))
		}
	},
	"events-are-lost": func(b *behaviour) {
		b.inbox.accepted = func(*call, *sending) *event { return &event{} }
	},
	"one-subscriber-list": func(b *behaviour) {
		b.inbox.accepted = func(c *call, sent *sending) *event {
			v := c.eventOf(sent)
			for _, a := range c.s.members {
				if a != c.agent {
					c.publish(a, v)
				}
			}
			return c.publish(c.agent, v)
		}
	},
	"one-subscriber-per-event": func(b *behaviour) {
		b.inbox.takes = func(readers []*reader, _ *event) []*reader { return readers[max(0, len(readers)-1):] }
	},
	"every-post-is-published": func(b *behaviour) {
		b.inbox.received = func(c *call, body []byte) {
			var request object
			if json.Unmarshal(body, &request) != nil || request["message"] != nil || request["method"] == "SendMessage" {
				return
			}
			c.publish(c.agent, c.eventOf(&sending{message: object{}, text: string(body)}))
		}
	},
	"reads-are-published": func(b *behaviour) {
		b.tasks.asked = func(c *call) {
			c.publish(c.agent, c.eventOf(&sending{message: object{}, text: "somebody looks"}))
		}
	},
	"published-before-it-is-checked": func(b *behaviour) {
		b.inbox.received = func(c *call, body []byte) { c.publishRaw(body, true) }
		b.inbox.accepted = func(*call, *sending) *event { return &event{} }
	},
	"refused-are-published": func(b *behaviour) {
		b.inbox.refused = func(c *call, body []byte) { c.publishRaw(body, true) }
	},
	"refused-only-on-replay": func(b *behaviour) {
		b.inbox.refused = func(c *call, body []byte) { c.publishRaw(body, false) }
	},
	"events-in-memory-only": func(b *behaviour) {
		b.inbox.keeps = func(*Server) bool { return false }
	},
	"vanished-readers-block-senders": func(b *behaviour) {
		b.inbox.leaves = func(*reader) {}
		b.inbox.waits = func(c *call, e *event) { c.waitForReaders(e) }
	},
}

// publishRaw tells of what was posted as if it were a message that is right: live, or only to who asks for it again.
func (c *call) publishRaw(body []byte, live bool) {
	var request struct {
		Message struct{ Parts []struct{ Text string } }
		Params  struct {
			Message struct{ Parts []struct{ Text string } }
		}
	}
	if json.Unmarshal(body, &request) != nil {
		return
	}
	text := ""
	for _, part := range append(request.Message.Parts, request.Params.Message.Parts...) {
		text += part.Text
	}
	if text == "" {
		return
	}
	v := c.eventOf(&sending{message: object{}, text: text})
	if live {
		c.publish(c.agent, v)
		return
	}
	in := c.agent.inbox
	in.mu.Lock()
	defer in.mu.Unlock()
	in.keep(c.s, v).delivered = true
}

// waitForReaders has a sender wait until everybody has got the event.
func (c *call) waitForReaders(e *event) {
	behind := func() bool {
		in := c.agent.inbox
		in.mu.Lock()
		defer in.mu.Unlock()
		for _, rd := range in.readers {
			if rd.written.Load() < e.id {
				return true
			}
		}
		return false
	}
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for behind() {
		select {
		case <-look.C:
		case <-c.r.Context().Done():
			return
		case <-c.s.stopping.Done():
			return
		}
	}
}
