// SPDX-License-Identifier: Apache-2.0

package target

import (
	"encoding/json"
	"maps"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// ShortTTLHook names an executor that forgets the messages it was sent after some seconds.
const ShortTTLHook = "short-ttl"

// dayTTL is how long the contract has an executor remember messages, in seconds.
const dayTTL = json.Number("86400")

// ShortTTL fills in what the operator may leave out: the bare number of seconds will do, and the address, where it is the
// executor under test.
func (t *Target) ShortTTL(result any) any {
	members, _ := result.(map[string]any)
	if seconds, is := result.(json.Number); is {
		members = map[string]any{"seconds": seconds}
	}
	if members == nil || members["url"] != nil {
		return result
	}
	filled := maps.Clone(members)
	filled["url"] = t.Place.Base
	return filled
}

// announcedTTL is how long the executor under test remembers messages, in seconds: a day, or what the hook short-ttl
// says when it is this executor that it speaks of.
func (t *Target) announcedTTL() json.Number {
	value, err := JSONValue(t.Config.Hooks[ShortTTLHook].Value)
	if err != nil {
		return dayTTL
	}
	said := t.ShortTTL(value)
	if seconds, is := readers.Member(said, "seconds").(json.Number); is && readers.Member(said, "url") == t.Place.Base {
		return seconds
	}
	return dayTTL
}

// JSONValue is a value of the configuration in the form that words take.
func JSONValue(v any) (any, error) {
	b, err := jsontext.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jsontext.Parse(b), nil
}
