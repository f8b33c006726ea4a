// SPDX-License-Identifier: Apache-2.0

package target

import (
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/a2agrpc"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// An Endpoint is an interface of the card that operations can be sent to.
type Endpoint struct {
	Binding string // as cards name it: "HTTP+JSON"
	URL     string // without a slash at its end for HTTP+JSON, unchanged for JSONRPC, scheme and authority for GRPC
	tenant  string // what every request has to name; empty: none
	nth     int    // of its binding, from 1: operations are sent to the first one, unless a test is about all
}

// maxInterfaces bounds how many interfaces of a card are looked at.
const maxInterfaces = 20

// endpointsOf are the interfaces of a card that operations can be sent to, those that speak 1.0, in the order of the card.
// Those over gRPC need a build that drives it.
func endpointsOf(card any) []*Endpoint {
	list, _ := readers.Member(card, "supportedInterfaces").([]any)
	var all []*Endpoint
	for _, entry := range list {
		binding, _ := readers.Member(entry, "protocolBinding").(string)
		address, _ := readers.Member(entry, "url").(string)
		tenant, _ := readers.Member(entry, "tenant").(string)
		if binding == readers.BindingGRPC {
			address = grpcAddress(address)
		}
		if !slices.Contains(suites.Bindings, binding) || !readers.Speaks(entry, "1.0") || !isWeb(address) || len(all) == maxInterfaces {
			continue
		}
		if binding == "HTTP+JSON" {
			address = strings.TrimRight(address, "/")
		}
		all = append(all, &Endpoint{Binding: binding, URL: address, tenant: tenant})
	}
	return numbered(all)
}

// numbered counts the endpoints of each binding, from 1.
func numbered(all []*Endpoint) []*Endpoint {
	seen := map[string]int{}
	for _, e := range all {
		seen[e.Binding]++
		e.nth = seen[e.Binding]
	}
	return all
}

// firsts are the first endpoints of each binding.
func firsts(all []*Endpoint) []*Endpoint {
	var first []*Endpoint
	for _, e := range all {
		if e.nth == 1 {
			first = append(first, e)
		}
	}
	return first
}

// pairs says whether two bindings lead to the same: those of different tenants need not.
func (e *Endpoint) pairs(other *Endpoint) bool {
	return e.Binding != other.Binding && e.tenant == other.tenant
}

// driven are the endpoints that this build can send operations to.
func driven(all []*Endpoint) []*Endpoint {
	return slices.DeleteFunc(all, func(e *Endpoint) bool { return e.Binding == readers.BindingGRPC && !a2agrpc.Driven })
}

// declarePlainly adds to a card what suites of plain A2A servers may ask of a card beside its capabilities: the bindings of those
// interfaces only that speak 1.0, whether there are two, whether one speaks 0.3, and whether a host is public.
func declarePlainly(c *readers.Card, v any) {
	for name := range c.Short {
		if strings.HasPrefix(name, "binding:") {
			delete(c.Short, name)
		}
	}
	list, _ := readers.Member(v, "supportedInterfaces").([]any)
	for _, entry := range list {
		binding, _ := readers.Member(entry, "protocolBinding").(string)
		if readers.Speaks(entry, "1.0") {
			c.Also("binding:" + binding)
		}
		if readers.Speaks(entry, "0.3") {
			c.Also(SpeaksOlder, SpeaksOlder+":"+binding)
		}
		if address, is := readers.Member(entry, "url").(string); is && isPublic(address) {
			c.Also("public-host", "public-host:"+binding)
		}
	}
	if all := firsts(endpointsOf(v)); slices.ContainsFunc(all, func(e *Endpoint) bool { return slices.ContainsFunc(all, e.pairs) }) {
		c.Also("two-bindings")
	}
}

// EndpointNamed is the endpoint of a binding; nil when the card declares none.
func (a *Agent) EndpointNamed(binding string) *Endpoint {
	for _, e := range a.Endpoints {
		if e.Binding == binding {
			return e
		}
	}
	return nil
}

// extensionsOf are the extensions that a card declares: those that clients have to name in every request, and the others.
// What is declared as both is required.
func extensionsOf(card any) (required, optional []any) {
	required, optional = []any{}, []any{}
	list, _ := readers.Member(readers.Member(card, "capabilities"), "extensions").([]any)
	for _, element := range list {
		uri, is := readers.Member(element, "uri").(string)
		switch {
		case !is:
		case readers.Member(element, "required") == true:
			required = append(required, uri)
		default:
			optional = append(optional, uri)
		}
	}
	optional = slices.DeleteFunc(optional, func(uri any) bool { return slices.Contains(required, uri) })
	return required, optional
}
