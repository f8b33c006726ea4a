// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/fleet"
)

// fleetFlags adds the flags that only the server of sac has.
func fleetFlags(own *pflag.FlagSet, c *referenceConfig) {
	config := &c.fleet
	own.StringSliceVar(&config.Agents, "agent", nil, "sac: `name` of an agent to serve: "+strings.Join(fleet.AgentNames(), ", ")+"; repeatable (default all)")
	own.BoolVar(&config.Envelopes, "envelopes", false, "sac: message:send takes JSON-RPC envelopes in place of HTTP+JSON, as released servers do")
	own.BoolVar(&config.Forgetful, "forgetful", false, "sac: inboxes keep nothing, so that events have no ids and nothing is told again")
	own.DurationVar(&config.Keepalive, "keepalive", 0, "sac: interval of comments on idle inboxes, negative: none (default 15s)")
	own.BoolVar(&config.NoProxies, "no-proxies", false, "sac: serve no proxies")
}

// serveFleet serves the server of sac.
func serveFleet(ctx context.Context, c *referenceConfig, out io.Writer) error {
	config := c.fleet
	config.Listen, config.Seed, config.PublicURL, config.Faults, config.Token, config.Far = c.executor.Listen, c.executor.Seed, c.executor.PublicURL, c.executor.Faults, c.executor.Token, c.executor.Far
	return fleet.Main(ctx, config, out)
}
