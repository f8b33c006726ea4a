// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// maxAddresses is how many addresses of a name are tried.
const maxAddresses = 8

// slowLookup is how long the lookup of a name may take before it is worth a word.
const slowLookup = time.Second

// proxy says which proxy of the environment is used, if any.
func (d *doctor) proxy(context.Context) bool {
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: d.at})
	if err != nil {
		// The error would repeat the address, which may hold a password.
		return d.stop(report.Unreachable, "proxy", "the environment names a proxy whose address is malformed", "correct HTTP_PROXY or HTTPS_PROXY")
	}
	if proxy == nil {
		return true
	}
	if proxy.Scheme != "http" {
		d.say("proxy", Warning, fmt.Sprintf("the environment leads through the %s proxy %s, which is not supported for terminals", proxy.Scheme, proxy.Host),
			"name an http proxy, or the host of the target in NO_PROXY")
		return true
	}
	d.say("proxy", Note, fmt.Sprintf("the environment (HTTP_PROXY, HTTPS_PROXY) leads through the proxy %s; it must let CONNECT and long streams through", proxy.Host),
		"to go around it, name the host of the target in NO_PROXY")
	return true
}

// next is the host that connections are opened to: the target, or the proxy in front of it.
func (d *doctor) next() *url.URL {
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: d.at}); err == nil && proxy != nil {
		return proxy
	}
	return d.at
}

// line looks up the name and opens a connection to each of its addresses.
func (d *doctor) line(ctx context.Context) bool {
	to := d.next()
	addresses, ok := d.lookUp(ctx, to.Hostname())
	if !ok {
		return false
	}
	tries := make([]string, len(addresses))
	took := make([]time.Duration, len(addresses))
	var all sync.WaitGroup
	for i, address := range addresses {
		all.Go(func() {
			began := time.Now()
			conn, err := d.Client.Dialer.Dial(ctx, "tcp", net.JoinHostPort(address, wire.Port(to)))
			if took[i] = time.Since(began); err != nil {
				tries[i] = wire.Why(err, d.limits.Connect)
				return
			}
			_ = conn.Close()
		})
	}
	all.Wait()
	var open, closed []string
	for i, address := range addresses {
		where := net.JoinHostPort(address, wire.Port(to))
		if tries[i] == "" {
			open = append(open, fmt.Sprintf("%s in %s", where, shortly(took[i])))
		} else {
			closed = append(closed, where+": "+tries[i])
		}
	}
	switch {
	case len(open) == 0:
		return d.stop(report.Unreachable, "tcp", strings.Join(closed, "; "), "is the port right, does the server listen there, and does a firewall let this machine through?")
	case len(closed) > 0:
		d.say("tcp", Warning, fmt.Sprintf("%d of %d addresses cannot be connected to: %s", len(closed), len(addresses), strings.Join(closed, "; ")),
			"take the address out of the DNS or let it answer: clients that try it first wait for it")
	case to != d.at:
		d.well("tcp", "connected to the proxy at %s", strings.Join(open, ", "))
	default:
		d.well("tcp", "connected to %s", strings.Join(open, ", "))
	}
	return true
}

func (d *doctor) lookUp(ctx context.Context, host string) (addresses []string, ok bool) {
	if _, err := netip.ParseAddr(host); err == nil {
		d.note("dns", "%s is an address, so no name is looked up", host)
		return []string{host}, true
	}
	within, cancel := context.WithTimeout(ctx, d.limits.Connect)
	defer cancel()
	began := time.Now()
	found, err := net.DefaultResolver.LookupHost(within, host)
	took := time.Since(began)
	switch {
	case err != nil && within.Err() != nil:
		return nil, d.stop(report.Unreachable, "dns", fmt.Sprintf("no answer about %s within %s", host, d.limits.Connect), "is the name server of this machine reachable?")
	case err != nil || len(found) == 0:
		return nil, d.stop(report.Unreachable, "dns", "no address for "+host, "is the name right, and known to the name server of this machine?")
	}
	if len(found) > maxAddresses {
		found = found[:maxAddresses]
	}
	seen := fmt.Sprintf("%s is %s, looked up in %s", host, strings.Join(found, ", "), shortly(took))
	if took > slowLookup {
		d.say("dns", Warning, seen, "a name server that slow adds to the time of every new connection")
	} else {
		d.well("dns", "%s", seen)
	}
	return found, true
}

// shortly is a duration as people write it.
func shortly(took time.Duration) string {
	switch {
	case took < 10*time.Millisecond:
		return took.Round(100 * time.Microsecond).String()
	case took < 10*time.Second:
		return took.Round(time.Millisecond).String()
	case took >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(took.Hours()/24))
	}
	return took.Round(time.Second).String()
}
