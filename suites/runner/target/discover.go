// SPDX-License-Identifier: Apache-2.0

package target

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

// maxCandidates is how many instances of a key set are tried.
const maxCandidates = 16

// FindInstance derives where everything is (ruling AMB-36). Where the operator gave the deployment root alone, the
// instance is looked up in the admin list, else in the key set that the root serves. It returns the answer of the admin
// list when it had to be asked.
func (f *Preflight) FindInstance(ctx context.Context) (*Probe, *report.Reason) {
	given := PlainURL(f.Config.ExecutorURL)
	root, iid, isInstance := SplitInstance(given)
	switch {
	case isInstance && (f.Config.Instance == "" || f.Config.Instance == iid):
		f.Place = PlaceOf(f.Config, root, Join(root, "agents/"+iid), iid)
		return nil, nil
	case f.Config.Instance != "":
		f.Place = PlaceOf(f.Config, root, Join(root, "agents/"+url.PathEscape(f.Config.Instance)), f.Config.Instance)
		return nil, nil
	}
	f.Place = PlaceOf(f.Config, given, given, "")
	listed := &Probe{URL: Join(f.Place.Admin, "instances"), Identity: "admin"}
	keys := &Probe{URL: Join(given, ".well-known/jwks.json"), Identity: Anonymous}
	f.Ask(ctx, listed, keys)
	if stop := f.unreachable(ctx, []*Probe{listed, keys}); stop != nil {
		return nil, stop
	}
	found, how := "", "the admin list"
	if ids := Ready(listed.Answer); len(ids) > 0 {
		found = ids[0]
	} else {
		found, how = f.withCard(ctx, keys.Answer), "the key set of the root"
	}
	if found == "" {
		note(f.Out, "instance", fmt.Sprintf("GET %s: %s", listed.URL, Answered(listed.Answer)),
			"no instance was found below "+given+"; the URL itself is judged as the instance (--instance names one)")
		return listed, nil
	}
	f.ChosenInstance = found
	f.Place = PlaceOf(f.Config, given, Join(given, "agents/"+url.PathEscape(found)), found)
	note(f.Out, "instance", found, "the instance under test was found in "+how)
	return listed, nil
}

// Answered says what came back to a probe: a status, or why there is none.
func Answered(x *Exchange) string {
	if x.Status == 0 {
		return x.Problem
	}
	return fmt.Sprintf("status is %d", x.Status)
}

// Ready are the ids of the instances of the admin list that look ready, sorted: a list may come in another order each time,
// and the same instance is to be chosen.
func Ready(x *Exchange) []string {
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
			if _, id, found := SplitInstance(u.Path); found {
				return id
			}
		}
	}
	id, _ := readers.Member(item, "id").(string)
	return id
}

// withCard is the least key id of the root's key set that is the id of an instance with a card.
func (f *Preflight) withCard(ctx context.Context, x *Exchange) string {
	if x.Status != 200 {
		return ""
	}
	list, _ := readers.Member(jsontext.Parse(x.Body), "keys").([]any)
	var ids []string
	var candidates []*Probe
	for _, key := range list {
		if kid, _ := readers.Member(key, "kid").(string); len(kid) == 36 && uuid.Validate(kid) == nil {
			ids = append(ids, kid)
		}
	}
	slices.Sort(ids)
	for _, kid := range ids[:min(len(ids), maxCandidates)] {
		candidates = append(candidates, &Probe{URL: Join(f.Place.Root, "agents/"+kid+"/.well-known/agent-card.json"), Identity: Anonymous})
	}
	f.Ask(ctx, candidates...)
	for _, c := range candidates {
		if c.Answer.Status == 200 && readers.ReadCard(c.Answer.Body) != nil {
			_, id, _ := SplitInstance(strings.TrimSuffix(c.URL, "/.well-known/agent-card.json"))
			return id
		}
	}
	return ""
}
