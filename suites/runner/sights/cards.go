// SPDX-License-Identifier: Apache-2.0

package sights

import (
	"net/http"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// maxCards bounds the instances whose cards are remembered.
const maxCards = 1000

// cards remember what the cards of instances declare that a run has read, beside that of the instance under test.
type cards struct {
	mu sync.Mutex
	of map[string]any // the extensions, as the subject declared shows them, by the URL of the instance
}

// exchange remembers a card that was read.
func (c *cards) exchange(x *observe.Exchange) {
	base, path := instanceOf(x.URL)
	if path != "/.well-known/agent-card.json" || x.Method != http.MethodGet || x.Status != http.StatusOK || !x.IsWhole() {
		return
	}
	card := readers.ReadCard(x.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.of, base)
	if card == nil || card.Extensions == nil || len(c.of) >= maxCards {
		return
	}
	if c.of == nil {
		c.of = map[string]any{}
	}
	c.of[base] = card.Extensions
}

// declared are the extensions of the card of the instance that a URL is of; nil: it was not read.
func (c *cards) declared(address string) any {
	base, _ := instanceOf(address)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[base]
}

// instanceOf takes a URL apart: that of the instance, and what its path has behind it; empty where it is of none.
func instanceOf(address string) (base, below string) {
	path := target.SentPath(address)
	root, iid, is := target.SplitInstance(path)
	if !is {
		return "", ""
	}
	base = root + "/agents/" + iid
	return base, strings.TrimPrefix(path, base)
}
