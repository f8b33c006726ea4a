// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/demo"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// referenceCommand is `reference`: the bundled executor as a server.
func (a *app) referenceCommand() *cobra.Command {
	var all referenceConfig
	config := &all.executor
	var listFaults, listLiberties, untilStdinCloses bool
	c := &cobra.Command{
		Use:   "reference",
		Short: "Serve the bundled reference executor, correct or with chosen faults",
		Long: `Serve the bundled reference executor until SIGINT or SIGTERM.

Once it accepts connections it prints one line and nothing else on standard output:

  reference-executor ready: http://127.0.0.1:PORT/agents/<instance-id>

With --profile a2a-1.0 it is a plain A2A 1.0 server, in memory, and the URL is that of the server: its card is below
/.well-known. Its agent does what a message tells it: "scenario: completed", "failed", "rejected", "input-required",
"auth-required", "long-running", "message-reply", "artifact-text", "artifact-raw", "artifact-url", "artifact-data",
"artifact-chunked"; any other text is echoed.

With --profile sac it is a listener of five agents, in memory, and the URL is that of the listener. Proxies listen at ports
of their own: /operator/agent-proxy, /operator/dead-upstream-proxy and /operator/dirty-upstream-proxy say where, and the
hooks of the profile find what else they ask for below /operator/ too.

With --profile openhands-v1 it is an OpenHands app server, in memory, and the URL is its origin. Without --token it has no
login; with --token and --second-token it has two users. The hooks of the profile are answered below /operator/.

With --remote-runtime it is what stands in for the remote runtime of an OpenHands app server, so that sandboxes can be measured
without containers: start the app server with RUNTIME=remote, SANDBOX_REMOTE_RUNTIME_API_URL, which is the URL that is printed, and
SANDBOX_API_KEY, the key of --runtime-key.

--list-faults prints one fault per line: its name, a tab, the ids of the tests that it breaks. Where it does not fail a plain
run with two tokens, another tab and the reasons follow: "noted" or "warned" when no test says more than that; what has to
be configured before it shows ("session", "hook:restart", "cue:completed", "token:operator", ...); and "no-auth", "production" or
"slow:30s" for how to run it (without tokens, with --production, with --max-wait 30s).

A liberty is what the contract leaves free and other servers do otherwise: --liberty NAME has the server do so too, and no
verdict may change.

You can also set each token in the environment: ` + demo.TokenVariables + `TOKEN, ` + demo.TokenVariables + `ADMIN_TOKEN and so on.`,
		Args: noArguments,
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&config.Listen, "listen", "127.0.0.1:0", "`host:port` to listen on; port 0 is any free one")
	f.StringVar(&config.Profile, "profile", defaultProfile, "`name` of the profile to serve")
	f.StringVar(&config.Token, "token", "", "`token` that opens the instances; without any token there is no authentication")
	f.StringVar(&config.AdminToken, "admin-token", "", "`token` that opens everything")
	f.StringVar(&config.OperatorToken, "operator-token", "", "valid `token` without admin rights")
	f.StringVar(&config.ObserveToken, "observe-token", "", "`token` that may only watch PTY sessions")
	f.StringVar(&config.SecondToken, "second-token", "", "`token` of the second instance only; --token then opens the first only")
	f.StringVar(&config.ForeignToken, "foreign-token", "", "valid `token` with no right to any session")
	f.StringArrayVar(&config.Faults, "fault", nil, "`name` of a fault to switch on; repeatable")
	f.BoolVar(&listFaults, "list-faults", false, "print each fault, the ids of the tests that it breaks, and what it needs to show")
	f.StringArrayVar(&config.Liberties, "liberty", nil, "`name` of a liberty to take: what the contract leaves free; repeatable")
	f.BoolVar(&listLiberties, "list-liberties", false, "print the liberties of the server, one a line")
	f.BoolVar(&untilStdinCloses, "until-stdin-closes", false, "end with the program at the other end of standard input")
	f.MarkHidden("until-stdin-closes")
	f.StringVar(&config.Data, "data", "", "`folder` for database and keys (default: in memory)")
	f.Uint64Var(&config.Seed, "seed", 0, "seed for lawful random choices; 0: random")
	f.StringVar(&config.PublicURL, "public-url", "", "`URL` that the cards declare (default: the listener's own)")
	f.DurationVar(&config.Far, "far", 0, "all that it sends arrives so much later, as from far away")
	f.StringVar(&config.SunsetDate, "sunset-date", "", "`date` of the end of v1, as the Sunset header writes it")
	f.DurationVar(&config.Heartbeat, "heartbeat", 0, "interval of comments on idle event streams (default 15s)")
	f.DurationVar(&config.Ping, "ping", 0, "interval of WebSocket pings (default 30s)")
	f.DurationVar(&config.Reap, "reap", 0, "how long a WebSocket may go without a pong (default 1m30s)")
	f.DurationVar(&config.IdempotencyTTL, "idempotency-ttl", 0, "how long messages:send remembers a request (default 24h)")
	f.DurationVar(&config.KeyframeInterval, "keyframe-interval", 0, "interval of terminal keyframes (default 5s)")
	f.StringVar(&config.PTYDialect, "pty-dialect", "", "`dialect` that terminals speak instead of pty-ws/v1: compact, which no suite passes")
	f.DurationVar(&config.RetryPause, "retry-pause", 0, "pause before the first repetition of a push delivery (default 1s)")
	owners := ownFlags(f, &all)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := servedProfile(c, config.Profile, owners); err != nil {
			return err
		}
		if listFaults {
			return listServedFaults(a.stdout, config.Profile)
		}
		if listLiberties {
			for _, liberty := range selftest.Liberties(config.Profile) {
				fmt.Fprintln(a.stdout, liberty)
			}
			return nil
		}
		f.VisitAll(func(flag *pflag.Flag) {
			if isToken := flag.Name == "token" || strings.HasSuffix(flag.Name, "-token"); isToken && !flag.Changed {
				token, _ := a.env(demo.TokenVariables + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_")))
				_ = flag.Value.Set(token) // a text takes any
			}
		})
		if err := knownFaultsOf(config.Profile, selftest.Faults(config.Profile), config.Faults); err != nil {
			return err
		}
		if err := knownLiberties(config.Profile, config.Liberties); err != nil {
			return err
		}
		ctx, stop := untilSignalled(c.Context())
		defer stop()
		if untilStdinCloses {
			go func() {
				io.Copy(io.Discard, a.stdin)
				stop()
			}()
		}
		all.changed = c.Flags().Changed
		if err := referenceServers[config.Profile].serve(ctx, &all, a.stdout); err != nil && !errors.Is(err, ctx.Err()) {
			return usage("reference: %w", err)
		}
		return nil
	}
	return c
}

// knownLiberties refuses names that are not among the liberties of a profile's reference server.
func knownLiberties(profile string, names []string) error {
	known := selftest.Liberties(profile)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return usage("there is no liberty %q%s; reference --profile %s --list-liberties lists them", name, spelling.DidYouMean(name, known), profile)
		}
	}
	return nil
}

// knownFaultsOf refuses names that are not among the known faults of a profile's reference server.
func knownFaultsOf(profile string, known, names []string) error {
	list := "reference --list-faults"
	if profile != defaultProfile {
		list = "reference --profile " + profile + " --list-faults"
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			for _, other := range suites.Profiles() {
				if other != profile && slices.Contains(selftest.Faults(other), name) {
					return usage("%q is no fault of %s, but one of %s: give it with --profile %s; %s lists those of %s", name, profile, other, other, list, profile)
				}
			}
			return usage("there is no fault %q%s; %s lists them", name, spelling.DidYouMean(name, known), list)
		}
	}
	return nil
}
