// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"encoding/json"
	"maps"
	"sync"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
)

// laterMessageFaults show with a message that is not the first one of its task, of its context or of its id, or that comes from a terminal.
var laterMessageFaults = map[string]func(*behaviour){
	"runtime-metadata-from-later-messages": runtimeMeta(func(t task, metadata map[string]any, _ *instance) {
		if last := len(t.Messages) - 1; last > 0 {
			given, _ := t.Messages[last]["metadata"].(map[string]any)
			maps.Copy(metadata, given)
		}
	}),
	"runtime-metadata-from-terminals": func(b *behaviour) {
		var here seen
		pty.Notes(&b.pty, func(id string) { here.before(id) }, func(string) {})
		runtimeMeta(func(t task, metadata map[string]any, _ *instance) {
			if here.has(t.ID) && len(t.Messages) > 0 {
				given, _ := t.Messages[0]["metadata"].(map[string]any)
				maps.Copy(metadata, given)
			}
		})(b)
	},
	"prompt-ids-follow-the-context": func(b *behaviour) {
		b.tasks.dresses = func(t *task) {
			if t.Prompt != nil {
				t.Prompt.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte(t.ContextID)).String()
			}
		}
	},
	"bodies-beyond-ascii-clash-after-a-restart": func(b *behaviour) {
		lookup := b.idempotency.lookup
		b.idempotency.lookup = func(c *call, scope, key, hash string) (remembered, bool) {
			r, found := lookup(c, scope, key, hash)
			if found && r.Created.Before(c.e.started) && !inASCII(r.Body) {
				r.Hash = digest(r.Hash)
			}
			return r, found
		}
	},
	"metrics-name-reused-message-ids": func(b *behaviour) {
		var mu sync.Mutex
		ids := map[string]float64{}
		real := b.idempotency.reused
		b.idempotency.reused = func(c *call, s sending, key, hash string, r remembered) *problem {
			mu.Lock()
			defer mu.Unlock()
			ids[key]++
			return real(c, s, key, hash, r)
		}
		countsByMessage(&mu, ids, "agentic_messages_reused_total")(b)
	},
	"metrics-name-repeated-message-ids": func(b *behaviour) {
		var mu sync.Mutex
		ids := map[string]float64{}
		real := b.idempotency.replay
		b.idempotency.replay = func(c *call, s sending, r remembered) answer {
			mu.Lock()
			defer mu.Unlock()
			if id, is := s.message["messageId"].(string); is {
				ids[id]++
			}
			return real(c, s, r)
		}
		countsByMessage(&mu, ids, "agentic_messages_repeated_total")(b)
	},
}

// countsByMessage exposes a count for each id of a message.
func countsByMessage(mu *sync.Mutex, ids map[string]float64, name string) func(*behaviour) {
	return families(func(_ *Executor, list []family) []family {
		mu.Lock()
		defer mu.Unlock()
		return append(list, labelled(name, "Messages, by their id.", "counter", "message", maps.Clone(ids)))
	})
}

// inASCII says whether JSON holds no character beyond ASCII, written out or escaped.
func inASCII(text []byte) bool {
	var plain any
	if json.Unmarshal(text, &plain) != nil {
		return true
	}
	written, _ := json.Marshal(plain)
	return !bytes.ContainsFunc(written, func(r rune) bool { return r >= 0x80 })
}
