// SPDX-License-Identifier: Apache-2.0

package subjects

import (
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// OfEvent is an event as suites see it.
func OfEvent(e assertions.Event, at time.Duration, complete bool) map[string]any {
	name := e.Name
	if name == "" {
		name = "message" // what an event without a name is called
	}
	seen := map[string]any{"name": name, "data": e.Data, "at": Milliseconds(at), "complete": complete}
	if e.HasID {
		seen["id"] = e.ID
	}
	if e.Retry != "" {
		seen["retry"] = e.Retry
	}
	parsed := jsontext.Parse([]byte(e.Data))
	if !assertions.IsMissing(parsed) {
		seen["json"] = parsed
	}
	Carried(seen, parsed, readers.Event)
	return seen
}

// EventData is the data of such an event as JSON; Missing where it is none.
func EventData(seen map[string]any) any {
	if data, is := seen["json"]; is {
		return data
	}
	return assertions.Missing
}

// Carried adds what an event or a push delivery carries, as a reader reads it.
func Carried(seen map[string]any, parsed any, read func(any) (string, any)) {
	kind, task := read(parsed)
	seen["kind"] = kind
	if members, is := task.(map[string]any); is {
		seen["task"] = members
		if state, has := members["state"]; has {
			seen["state"] = state
		}
	}
}

// WithItem adds to an event of an operation the StreamResponse that it carries, if it carries one, and once more as an update if it is one: a
// statusUpdate or an artifactUpdate.
func WithItem(seen map[string]any, binding string) map[string]any {
	item := seen["json"]
	switch {
	case binding == "JSONRPC":
		item = readers.Member(item, "result")
	case readers.IsErrorItem(item):
		item = nil
	}
	if item != nil && !assertions.IsMissing(item) {
		seen["item"] = item
		if !assertions.IsMissing(readers.Member(item, "statusUpdate")) || !assertions.IsMissing(readers.Member(item, "artifactUpdate")) {
			seen["update"] = item
		}
	}
	return seen
}
