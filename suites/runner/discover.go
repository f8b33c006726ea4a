// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// mostCandidates is how many instances of a key set are tried.
const mostCandidates = 16

// findInstance derives where everything is (ruling AMB-36). Where the operator gave the deployment root alone, the
// instance is looked up in the admin list, else in the key set that the root serves. It returns the answer of the admin
// list when it had to be asked.
func (f *preflight) findInstance(ctx context.Context) (*probe, *report.Reason) {
	given := plainURL(f.target.ExecutorURL)
	root, iid, isInstance := splitInstance(given)
	switch {
	case isInstance && (f.target.Instance == "" || f.target.Instance == iid):
		f.place = placeOf(f.target, root, join(root, "agents/"+iid), iid)
		return nil, nil
	case f.target.Instance != "":
		f.place = placeOf(f.target, root, join(root, "agents/"+url.PathEscape(f.target.Instance)), f.target.Instance)
		return nil, nil
	}
	f.place = placeOf(f.target, given, given, "")
	listed := &probe{url: join(f.place.admin, "instances"), identity: "admin"}
	keys := &probe{url: join(given, ".well-known/jwks.json"), identity: anonymous}
	f.ask(ctx, listed, keys)
	if stop := f.unreachable(ctx, []*probe{listed, keys}); stop != nil {
		return nil, stop
	}
	found, how := "", "the admin list"
	if ids := ready(listed.answer); len(ids) > 0 {
		found = ids[0]
	} else {
		found, how = f.withCard(ctx, keys.answer), "the key set of the root"
	}
	if found == "" {
		note(f.out, "instance", fmt.Sprintf("GET %s: %s", listed.url, answered(listed.answer)),
			"no instance was found below "+given+"; the URL itself is judged as the instance (--instance names one)")
		return listed, nil
	}
	f.chosenInstance = found
	f.place = placeOf(f.target, given, join(given, "agents/"+url.PathEscape(found)), found)
	note(f.out, "instance", found, "the instance under test was found in "+how)
	return listed, nil
}

func answered(x *exchange) string {
	if x.Status == 0 {
		return x.Problem
	}
	return fmt.Sprintf("status is %d", x.Status)
}

// ready are the ids of the instances of the admin list that look ready, sorted: a list may come in another order each time,
// and the same instance is to be chosen.
func ready(x *exchange) []string {
	if x.Status != 200 {
		return nil
	}
	var ids []string
	for _, item := range listedItems(jsontext.Parse(x.Body)) {
		operation, _ := readers.Member(item, "operation_status").(string)
		state, _ := readers.Member(item, "state").(string)
		if operation != "ready" && operation != "registered" && state != "running" {
			continue
		}
		if id := instanceOf(item); id != "" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// listedItems are the items of the admin list, also where it is a bare array: that it has the member items is for the
// requirement about it, and no reason to judge nothing.
func listedItems(list any) []any {
	if items, is := list.([]any); is {
		return items
	}
	items, _ := readers.Member(list, "items").([]any)
	return items
}

// instanceOf is the instance an item of the admin list leads to. Only the path of its card's URL counts: proxies and
// test ports change the authority (ruling AMB-18).
func instanceOf(item any) string {
	if address, is := readers.Member(item, "agent_card_url").(string); is {
		if u, err := url.Parse(address); err == nil {
			if _, id, found := splitInstance(u.Path); found {
				return id
			}
		}
	}
	id, _ := readers.Member(item, "id").(string)
	return id
}

// withCard is the least key id of the root's key set that is the id of an instance with a card.
func (f *preflight) withCard(ctx context.Context, x *exchange) string {
	if x.Status != 200 {
		return ""
	}
	list, _ := readers.Member(jsontext.Parse(x.Body), "keys").([]any)
	var ids []string
	var candidates []*probe
	for _, key := range list {
		if kid, _ := readers.Member(key, "kid").(string); len(kid) == 36 && uuid.Validate(kid) == nil {
			ids = append(ids, kid)
		}
	}
	slices.Sort(ids)
	for _, kid := range ids[:min(len(ids), mostCandidates)] {
		candidates = append(candidates, &probe{url: join(f.place.root, "agents/"+kid+"/.well-known/agent-card.json"), identity: anonymous})
	}
	f.ask(ctx, candidates...)
	for _, c := range candidates {
		if c.answer.Status == 200 && readers.ReadCard(c.answer.Body) != nil {
			_, id, _ := splitInstance(strings.TrimSuffix(c.url, "/.well-known/agent-card.json"))
			return id
		}
	}
	return ""
}
