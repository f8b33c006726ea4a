// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"net"
	"net/netip"
	"strings"

	"github.com/spf13/pflag"

	plainserver "github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
)

// plainFlags adds the flags that only the server of A2A 1.0 has.
func plainFlags(own *pflag.FlagSet, c *referenceConfig) {
	config := &c.plain
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
	own.BoolVar(&config.OddIDs, "odd-ids", false, "a2a-1.0: make ids with characters that must be escaped in URLs, which is lawful")
	own.DurationVar(&config.LastSnapshot, "last-snapshot", 0, "a2a-1.0: how long after its end a task is shown once more in its streams, which is lawful (default never)")
	own.IntVar(&config.CardMoved, "card-moved", 0, "a2a-1.0: put the card behind a redirect of this `status`, 307 or 308, which is lawful")
}

// servePlain serves the server of A2A 1.0.
func servePlain(ctx context.Context, c *referenceConfig, out io.Writer) error {
	config := c.plain
	config.Listen, config.Seed, config.PublicURL, config.Far, config.Faults = c.executor.Listen, c.executor.Seed, c.executor.PublicURL, c.executor.Far, c.executor.Faults
	config.Liberties = c.executor.Liberties
	config.Token, config.SecondToken = c.executor.Token, c.executor.SecondToken
	if !c.changed("allow-loopback-hooks") {
		config.AllowLoopbackHooks = onLoopback(config.Listen)
	}
	return plainserver.Main(ctx, config, out)
}

// onLoopback says whether only this machine reaches a listener; empty is the default of `reference`, which is there.
func onLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	at, notAddress := netip.ParseAddr(host)
	return listen == "" || err == nil && (host == "localhost" || notAddress == nil && at.IsLoopback())
}
