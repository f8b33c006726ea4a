// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/a2agrpc"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// plainA2A is the profile of servers that speak A2A 1.0 and need be nothing more.
const plainA2A = "a2a-1.0"

// An endpoint is an interface of the card that operations can be sent to.
type endpoint struct {
	binding string // as cards name it: "HTTP+JSON"
	url     string // without a slash at its end for HTTP+JSON, unchanged for JSONRPC, scheme and authority for GRPC
	tenant  string // what every request has to name; empty: none
	nth     int    // of its binding, from 1: operations are sent to the first one, unless a test is about all
}

// mostInterfaces bounds how many interfaces of a card are looked at.
const mostInterfaces = 20

// endpointsOf are the interfaces of a card that operations can be sent to, those that speak 1.0, in the order of the card.
// Those over gRPC need a build that drives it.
func endpointsOf(card any) []*endpoint {
	list, _ := readers.Member(card, "supportedInterfaces").([]any)
	var all []*endpoint
	for _, entry := range list {
		binding, _ := readers.Member(entry, "protocolBinding").(string)
		address, _ := readers.Member(entry, "url").(string)
		tenant, _ := readers.Member(entry, "tenant").(string)
		if binding == readers.BindingGRPC {
			address = grpcAddress(address)
		}
		if !slices.Contains(suites.Bindings, binding) || !readers.Speaks(entry, "1.0") || !isWeb(address) || len(all) == mostInterfaces {
			continue
		}
		if binding == "HTTP+JSON" {
			address = strings.TrimRight(address, "/")
		}
		all = append(all, &endpoint{binding: binding, url: address, tenant: tenant})
	}
	return numbered(all)
}

// numbered counts the endpoints of each binding, from 1.
func numbered(all []*endpoint) []*endpoint {
	seen := map[string]int{}
	for _, e := range all {
		seen[e.binding]++
		e.nth = seen[e.binding]
	}
	return all
}

// firsts are the first endpoints of each binding.
func firsts(all []*endpoint) []*endpoint {
	var first []*endpoint
	for _, e := range all {
		if e.nth == 1 {
			first = append(first, e)
		}
	}
	return first
}

// pairs says whether two bindings lead to the same: those of different tenants need not.
func (e *endpoint) pairs(other *endpoint) bool {
	return e.binding != other.binding && e.tenant == other.tenant
}

// driven are the endpoints that this build can send operations to.
func driven(all []*endpoint) []*endpoint {
	return slices.DeleteFunc(all, func(e *endpoint) bool { return e.binding == readers.BindingGRPC && !a2agrpc.Driven })
}

func isWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
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
			c.Also(speaksOlder, speaksOlder+":"+binding)
		}
		if address, is := readers.Member(entry, "url").(string); is && isPublic(address) {
			c.Also("public-host", "public-host:"+binding)
		}
	}
	if all := firsts(endpointsOf(v)); slices.ContainsFunc(all, func(e *endpoint) bool { return slices.ContainsFunc(all, e.pairs) }) {
		c.Also("two-bindings")
	}
}

// privateNames are the ends of host names that nobody outside can reach.
var privateNames = []string{".local", ".internal", ".test", ".example", ".localhost"}

// isPublic says whether a URL, or host:port, leads to a host that others can reach: none of loopback, private and
// link-local addresses, names of one label and names that are reserved.
func isPublic(address string) bool {
	if !strings.Contains(address, "://") {
		address = "grpc://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip := net.ParseIP(host); ip != nil {
		return !(ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified())
	}
	return strings.Contains(host, ".") && !slices.ContainsFunc(privateNames, func(end string) bool { return strings.HasSuffix(host, end) })
}

// ways are what a test is played over: nothing in particular, each endpoint that it wants, every interface, or every two of them.
func (a *agent) ways(t *suites.Test) []way {
	if !t.Operates {
		return []way{{}}
	}
	all := a.allWays(t)
	if !slices.Contains(t.Applies.Lacks, speaksOlder) {
		return all
	}
	return slices.DeleteFunc(all, func(w way) bool { return a.card.Declares(speaksOlder + ":" + w.over.binding) })
}

// speaksOlder is the claim that an interface speaks 0.3. Of operations it is asked of their binding.
const speaksOlder = "protocolVersion-0.3"

func (a *agent) allWays(t *suites.Test) []way {
	var all []way
	if slices.Contains(t.Over, suites.Interfaces) {
		for _, e := range a.interfaces {
			all = append(all, way{e, nil})
		}
		return all
	}
	for _, e := range a.endpoints {
		switch {
		case slices.Contains(t.Over, suites.Pairs):
			for _, other := range a.endpoints {
				if e.pairs(other) {
					all = append(all, way{e, other})
				}
			}
		case len(t.Over) == 0 || slices.Contains(t.Over, e.binding):
			all = append(all, way{e, nil})
		}
	}
	return all
}

// overAll says whether a test is played over all bindings, because it says so.
func overAll(t *suites.Test) bool {
	return slices.Contains(t.Over, suites.Pairs) || slices.Contains(t.Over, suites.Interfaces)
}

// endpointNamed is the endpoint of a binding; nil when the card declares none.
func (a *agent) endpointNamed(binding string) *endpoint {
	for _, e := range a.endpoints {
		if e.binding == binding {
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
