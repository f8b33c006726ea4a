// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"slices"
	"strings"
)

// namedPlainly is the value of a name that only plain A2A servers give: where the card was found, the address of a binding,
// the extensions that every request has to name.
func (n *namer) namedPlainly(name string) (v any, known bool, err error) {
	binding := map[string]string{"rest": "HTTP+JSON", "rpc": "JSONRPC"}[name]
	switch {
	case name == "card_url":
		return n.run.CardURL, true, nil
	case name == "old_card_url": // beside the card, wherever that is (AMB-26)
		return n.run.CardURL[:strings.LastIndexByte(n.run.CardURL, '/')+1] + "agent.json", true, nil
	case name == "required_extensions":
		return target.JoinURIs(n.run.Required), true, nil
	case name == "declared_extension":
		declared := slices.Concat(n.run.Required, n.run.Optional)
		if len(declared) == 0 {
			return nil, true, &target.Skipped{Reason: target.NoClaim("extensions")}
		}
		return declared[0], true, nil
	case name == "optional_extensions":
		return n.run.Optional, true, nil
	case binding == "":
		return nil, false, nil
	}
	if e := n.run.EndpointNamed(binding); e != nil {
		return e.URL, true, nil
	}
	if len(n.run.Endpoints) == 0 && !n.run.LeavesGRPC() {
		return nil, true, &target.Skipped{Reason: *n.run.NoInterface()}
	}
	if why := n.run.WithheldFrom(binding); why != nil {
		return nil, true, &target.Skipped{Reason: *why}
	}
	return nil, true, &target.Skipped{Reason: target.NoClaim("binding:" + binding)}
}
