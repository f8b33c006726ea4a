// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/redact"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// Completed is the answer of a hook with what the operator may leave out. It is an error where nothing can be made of it.
func (o *Operator) Completed(name string, result any) (any, error) {
	known, _ := o.target.Profile.Hook(name)
	switch text, bare := result.(string); {
	case name == secondInstanceHook:
		return o.secondInstance(result), nil
	case name == target.RuntimeDownHook && assertions.IsMissing(readers.Member(result, "url")):
		return map[string]any{"url": o.target.Place.Base}, nil
	case name == target.ShortTTLHook:
		return o.target.ShortTTL(result), nil
	case known.Form == hooks.AnID && bare: // the bare id will do
		return map[string]any{known.Member: text}, nil
	case name == provisionHook:
		return o.provision(result)
	}
	return result, nil
}

// provisionTime is how long a provisioning may take where the operator does not say.
const provisionTime = 5 * time.Minute

// ProvisionLimit is how long the operator lets a provisioning take; 0: it is not known.
func (o *Operator) ProvisionLimit() time.Duration { return time.Duration(o.provisionLimit.Load()) }

// provision fills in what the operator may leave out around the body, and gives every instance a name of its own: that
// of the operator with a random suffix.
func (o *Operator) provision(result any) (any, error) {
	body, is := readers.Member(result, "body").(map[string]any)
	if !is {
		if body, is = result.(map[string]any); !is || body["runtime"] == nil {
			return nil, errors.New("it answers neither the body of a request for an instance, nor an object with such a body and the seconds that it may take")
		}
	}
	limit := provisionTime
	if given := readers.Member(result, "seconds"); given != nil && !assertions.IsMissing(given) {
		number, _ := given.(json.Number)
		seconds, err := number.Int64()
		if err != nil || seconds < 1 || seconds > 24*60*60 {
			return nil, fmt.Errorf("it gives %v as seconds, want a whole number of them, at most those of a day", given)
		}
		limit = time.Duration(seconds) * time.Second
	}
	o.provisionLimit.Store(int64(limit))
	body = maps.Clone(body)
	name, _ := body["name"].(string)
	name = cmp.Or(name, "conformance")
	body["name"] = name[:min(len(name), 40)] + "-" + strings.ToLower(rand.Text())[:10]
	return map[string]any{"body": body, "seconds": assertions.Number(int64(limit.Seconds()))}, nil
}

// secondInstance fills in what the operator may leave out: the bare id will do, and the token of the first instance,
// where that opens the second as well.
func (o *Operator) secondInstance(result any) any {
	members, _ := result.(map[string]any)
	if id, is := result.(string); is {
		members = map[string]any{"id": id}
	}
	if members == nil || members["token"] != nil {
		return result
	}
	filled := maps.Clone(members)
	filled["token"] = o.target.Token("instance")
	return filled
}

// Shown is what may be shown of a hook's answer.
func Shown(result any) any {
	members, is := result.(map[string]any)
	if !is || members["token"] == nil {
		return result
	}
	shown := maps.Clone(members)
	shown["token"] = redact.Mark
	return shown
}
