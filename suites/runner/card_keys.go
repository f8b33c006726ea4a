// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

const (
	keySetTime    = 10 * time.Second // within which a key set must come
	maxKeySet     = 1 << 20          // what of it is read, in bytes
	maxKeySets    = 8                // that the signatures of one card can refer to
	shownOfACard  = 400              // of each canonical form, in bytes, for those who want to compare
	keySetRefused = "is on another host, and is not asked for; where it is to be trusted, give it with --jwks"
)

// cardKeys is the hook. Who wrote the card says where the keys are; so nobody is asked but the target's own host, and whom
// the operator named.
func (c caller) cardKeys(ctx context.Context, step *suites.Step, do suites.Hook) *subjects.Observation {
	o := subjects.New()
	with, err := c.expand(map[string]any(do.With))
	if err != nil {
		return unfilled(err)
	}
	card := readers.Member(with, "card")
	parsed := card
	if body, is := card.(assertions.Body); is {
		parsed = body.JSON
	}
	keys, sets := []any{}, []any{}
	if given := c.run.Config.JWKS; given != "" {
		x := c.exchange(ctx, c.keySetRequest(step, given))
		set, problem := keySet(x)
		if problem != "" {
			o.Blocked = "the key set of --jwks cannot be used: " + problem
			return o
		}
		keys = append(keys, set...)
	}
	fetched := map[string]map[string]any{}
	list, _ := readers.Member(parsed, "signatures").([]any)
	for i, entry := range list {
		header := readers.SigningHeader(entry)
		jku, has := header["jku"]
		if !has {
			continue
		}
		said := map[string]any{"at": fmt.Sprintf("signatures[%d]", i), "jku": jku, "fetched": false}
		readers.CopyMembers(said, header, "kid", "alg")
		address, _ := jku.(string)
		if answer, before := fetched[address]; before {
			for name, v := range answer {
				said[name] = v
			}
		} else if len(fetched) < maxKeySets && c.run.MayFetchKeys(address) {
			answer, set := c.fetchKeys(ctx, step, address)
			fetched[address] = answer
			for name, v := range answer {
				said[name] = v
			}
			keys = append(keys, set...)
		} else {
			said["because"] = address + " " + keySetRefused
		}
		said["named"] = keysNamed(said["keys"], header["kid"])
		sets = append(sets, said)
	}
	forms, can, cannot := assertions.CheckedSignatures(card, keys, shownOfACard)
	for _, set := range sets {
		if at, because := "."+readers.MemberText(set, "at"), readers.MemberText(set, "because"); because != "" && !slices.Contains(can, at) {
			cannot = append(cannot, at+": "+because)
		}
	}
	shown, _ := jsontext.Marshal(map[string]any{"canonical_forms": forms, "keys": keyIDs(keys), "can_be_checked": can, "cannot": cannot})
	c.rec.Record("hook", c.actor(step).name, hooks.CardKeys, "", shown)
	o.Value("result", map[string]any{"card": card, "keys": keys, "sets": sets, "checked": listOfTexts(can), "unchecked": listOfTexts(cannot)})
	return o
}

// keySetRequest asks for a key set as everybody may, without credentials.
func (c caller) keySetRequest(step *suites.Step, address string) *target.Request {
	return &target.Request{Request: wire.Request{Method: http.MethodGet, URL: address, Shares: !c.apart, Limit: scale(keySetTime, c.run.options.TimeFactor), Header: []suites.Header{{Name: "Accept", Value: "application/jwk-set+json, application/json"}}}, Identity: target.Anonymous, Actor: c.actor(step).name, Redirects: target.MaxRedirects}
}

// fetchKeys asks for a key set once.
func (c caller) fetchKeys(ctx context.Context, step *suites.Step, address string) (answer map[string]any, keys []any) {
	x := c.exchange(ctx, c.keySetRequest(step, address))
	answer = map[string]any{"fetched": true, "status": assertions.Number(int64(x.Status)), "size": assertions.Number(int64(len(x.Body)))}
	keys, problem := keySet(x)
	if problem != "" {
		answer["problem"] = problem
		return answer, nil
	}
	answer["keys"] = keys
	return answer, keys
}

// keySet reads the keys of an answer, or says why there are none.
func keySet(x *target.Exchange) (keys []any, problem string) {
	switch {
	case x.Unsent != nil:
		return nil, x.Unsent.Detail
	case x.Status == 0:
		return nil, x.Problem
	case x.Status != http.StatusOK:
		return nil, fmt.Sprintf("status is %d", x.Status)
	case len(x.Body) > maxKeySet:
		return nil, "it is longer than 1 MiB"
	}
	keys, is := readers.Member(jsontext.Parse(x.Body), "keys").([]any)
	if !is {
		return nil, "it is no JSON with an array keys; " + target.Begins(x.Body)
	}
	return keys, ""
}

// keysNamed are those of a list that have an id.
func keysNamed(list, kid any) []any {
	named := []any{}
	keys, _ := list.([]any)
	for _, key := range keys {
		if id := readers.MemberText(key, "kid"); id != "" && id == kid {
			named = append(named, key)
		}
	}
	return named
}

// keyIDs are what may be shown of keys.
func keyIDs(keys []any) []any {
	ids := []any{}
	for _, key := range keys {
		ids = append(ids, readers.MemberText(key, "kid"))
	}
	return ids
}

func listOfTexts(list []string) []any {
	all := []any{}
	for _, text := range list {
		all = append(all, text)
	}
	return all
}
