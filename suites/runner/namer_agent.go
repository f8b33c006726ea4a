// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"slices"
	"strings"
)

// namedPlainly is the value of a name that only plain A2A servers give: where the card was found, the address of a binding,
// the extensions that every request has to name.
func (n *namer) namedPlainly(name string) (v any, known bool, err error) {
	binding := map[string]string{"rest": "HTTP+JSON", "rpc": "JSONRPC"}[name]
	switch {
	case name == "card_url":
		return n.run.cardURL, true, nil
	case name == "old_card_url": // beside the card, wherever that is (AMB-26)
		return n.run.cardURL[:strings.LastIndexByte(n.run.cardURL, '/')+1] + "agent.json", true, nil
	case name == "required_extensions":
		return joined(n.run.required), true, nil
	case name == "declared_extension":
		declared := slices.Concat(n.run.required, n.run.optional)
		if len(declared) == 0 {
			return nil, true, &skipped{noClaim("extensions")}
		}
		return declared[0], true, nil
	case name == "optional_extensions":
		return n.run.optional, true, nil
	case binding == "":
		return nil, false, nil
	}
	if e := n.run.endpointNamed(binding); e != nil {
		return e.url, true, nil
	}
	if len(n.run.endpoints) == 0 && !n.run.leavesGRPC() {
		return nil, true, &skipped{*n.run.noInterface()}
	}
	if why := n.run.withheldFrom(binding); why != nil {
		return nil, true, &skipped{*why}
	}
	return nil, true, &skipped{noClaim("binding:" + binding)}
}
