// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	plainserver "github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
)

// ofEither are the flags of `reference` that mean something for both profiles.
var ofEither = []string{
	"profile", "listen", "token", "second-token", "fault", "list-faults", "until-stdin-closes", "seed", "public-url", "help",
}

// plainFlags adds the flags that only the server of A2A 1.0 has.
func plainFlags(f *pflag.FlagSet, config *plainserver.Config) (names []string) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.SortFlags = false
	own.StringVar(&config.LimitedToken, "limited-token", "", "a2a-1.0: `token` of a principal that may only read")
	own.StringSliceVar(&config.Bindings, "binding", nil, "a2a-1.0: `binding` to declare and serve, HTTP+JSON, JSONRPC, or GRPC in a build with gRPC; repeatable (default the first two)")
	own.StringSliceVar(&config.Undeclared, "undeclared", nil, "a2a-1.0: `what` the card does not declare: "+strings.Join(plainserver.Declarable, ", ")+"; repeatable")
	own.BoolVar(&config.RequiredExtension, "required-extension", false, "a2a-1.0: the card requires an extension")
	own.BoolVar(&config.Legacy, "legacy", false, "a2a-1.0: declare and speak version 0.3 as well, over JSON-RPC")
	own.BoolVar(&config.Only03, "only-0.3", false, "a2a-1.0: speak version 0.3 only, over JSON-RPC")
	own.StringVar(&config.Tenant, "tenant", "", "a2a-1.0: `tenant` that the interfaces declare")
	own.DurationVar(&config.Work, "work", 0, "a2a-1.0: how long long-running work takes (default 3.5s)")
	own.DurationVar(&config.WebhookTimeout, "webhook-timeout", 0, "a2a-1.0: how long a webhook may take to answer (default 10s)")
	own.BoolVar(&config.AllowLoopbackHooks, "allow-loopback-hooks", false, "a2a-1.0: webhooks may be on this machine (default true where --listen is on loopback)")
	own.BoolVar(&config.EmptyDeletions, "empty-deletions", false, "a2a-1.0: answer deletions with 204, which is as lawful as 200 with {}")
	own.BoolVar(&config.OddIDs, "odd-ids", false, "a2a-1.0: make ids with characters that addresses have to escape, which is lawful")
	own.DurationVar(&config.LastSnapshot, "last-snapshot", 0, "a2a-1.0: how long after its end a task is shown once more in its streams, which is lawful (default never)")
	own.IntVar(&config.CardMoved, "card-moved", 0, "a2a-1.0: put the card behind a redirect of this `status`, 307 or 308, which is lawful")
	own.VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	f.AddFlagSet(own)
	return names
}

// onLoopback says whether only this machine reaches a listener; empty is the default of `reference`, which is there.
func onLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	at, notAddress := netip.ParseAddr(host)
	return listen == "" || err == nil && (host == "localhost" || notAddress == nil && at.IsLoopback())
}

// servedProfile refuses a profile that is not served, and flags that mean nothing for it.
func servedProfile(c *cobra.Command, profile string, plainOnly []string) error {
	if _, is := referenceServers[profile]; !is {
		return noReferenceServer(profile)
	}
	var stray error
	c.Flags().Visit(func(flag *pflag.Flag) {
		if stray != nil || slices.Contains(ofEither, flag.Name) {
			return
		}
		if forPlain := slices.Contains(plainOnly, flag.Name); forPlain != (profile == plainProfile) {
			why := ""
			if flag.Name == "data" {
				why = ": it keeps everything in memory"
			}
			stray = usage("--%s means nothing for the server of %s%s", flag.Name, profile, why)
		}
	})
	return stray
}

// listServedFaults prints the faults of a profile's server; with the tests that name them where its suites are bundled.
func (a *app) listServedFaults(profile string) error {
	if known, err := loadProfile(profile); err == nil {
		return a.listFaultsOf(known, referenceServers[profile].faults())
	}
	for _, fault := range referenceServers[profile].faults() {
		fmt.Fprintln(a.stdout, fault+"\t")
	}
	return nil
}
