// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"

	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/appserver"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/remoteruntime"
)

// openHandsFlags adds the flags that only the server of openhands-v1 has.
func openHandsFlags(own *pflag.FlagSet, c *referenceConfig) {
	config := &c.openHands
	own.StringVar(&config.ThirdToken, "third-token", "", "openhands-v1: `token` of a third user")
	own.StringVar(&config.LoginCookie, "login-cookie", "", "openhands-v1: users show their tokens in the cookie of this `name`, not as bearer tokens")
	own.BoolVar(&config.SharedOrg, "shared-organization", false, "openhands-v1: the users of --token and --third-token are in one organization")
	own.StringVar(&config.SessionKey, "session-key", "", "openhands-v1: `key` of the deployment, which everybody needs as X-Session-API-Key")
	own.BoolVar(&config.Older, "without-newer", false, "openhands-v1: leave out the members and parameters that are younger than the rest")
	own.BoolVar(&config.Later, "layout-2026", false, "openhands-v1: events are below their conversation, and webhooks do not name their sandbox")
	own.BoolVar(&config.NoV1, "v1-off", false, "openhands-v1: mount the legacy routes only")
	own.BoolVar(&config.FrontEnd, "front-end", false, "openhands-v1: an unrouted GET answers the page of a web front end")
	own.BoolVar(&config.NoRateLimit, "no-rate-limit", false, "openhands-v1: delay and refuse nobody who asks often")
	own.BoolVar(&config.Empty, "empty", false, "openhands-v1: begin without conversations, start tasks, events and sandboxes")
	own.DurationVar(&config.Step, "step", 0, "openhands-v1: how long a state of a start or of a sandbox lasts (default 200ms)")
	own.BoolVar(&c.remoteRuntime, "remote-runtime", false, "openhands-v1: serve a stand-in for the remote runtime, with which an app server starts sandboxes")
	own.StringVar(&c.runtime.Key, "runtime-key", "", "openhands-v1: with --remote-runtime the `key` that the app server has in SANDBOX_API_KEY")
	own.DurationVar(&c.runtime.Pending, "pending", 0, "openhands-v1: with --remote-runtime how long a runtime is pending, negative: never (default 2s)")
	own.BoolVar(&c.runtime.ShowKeys, "show-keys", false, "openhands-v1: with --remote-runtime tell session keys while runtimes do not run, too")
	own.StringVar(&config.Data, "events-folder", "", "openhands-v1: `folder` in which events are stored (default: in memory)")
}

// serveOpenHands serves the server of openhands-v1, or what stands in for its runtimes.
func serveOpenHands(ctx context.Context, c *referenceConfig, out io.Writer) error {
	if c.remoteRuntime {
		runtime := c.runtime
		runtime.Listen, runtime.PublicURL = c.executor.Listen, c.executor.PublicURL
		return remoteruntime.Main(ctx, runtime, out)
	}
	config := c.openHands
	config.Listen, config.Seed, config.PublicURL, config.Far, config.Faults = c.executor.Listen, c.executor.Seed, c.executor.PublicURL, c.executor.Far, c.executor.Faults
	config.Token, config.SecondToken = c.executor.Token, c.executor.SecondToken
	return appserver.Main(ctx, config, out)
}
