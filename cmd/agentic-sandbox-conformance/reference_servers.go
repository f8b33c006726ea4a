// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/demo"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/appserver"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/fleet"
	plainserver "github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/remoteruntime"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest"
)

// A referenceServer is what `reference` serves and `demo` judges of a profile.
type referenceServer struct {
	demo func(ctx context.Context, faults []string, seed uint64, far time.Duration) (demo.Server, error)

	flags func(own *pflag.FlagSet, c *referenceConfig) // adds those that no other server has; nil: the default one, which has the rest
	serve func(ctx context.Context, c *referenceConfig, out io.Writer) error
}

// A referenceConfig is what the flags of `reference` say. What several servers have in common stands in that of the executor.
type referenceConfig struct {
	executor  executor.Config
	plain     plainserver.Config
	openHands appserver.Config
	fleet     fleet.Config
	changed   func(flag string) bool // whether a flag was given

	remoteRuntime bool // in place of an app server
	runtime       remoteruntime.Config
}

// referenceServers are all there are, by the name of the profile.
var referenceServers = map[string]referenceServer{
	defaultProfile:        {demo: demo.StartExecutor, serve: serveExecutor},
	demo.PlainProfile:     {demo: demo.StartPlain, flags: plainFlags, serve: servePlain},
	demo.FleetProfile:     {demo: demo.StartFleet, flags: fleetFlags, serve: serveFleet},
	demo.OpenHandsProfile: {demo: demo.StartOpenHands, flags: openHandsFlags, serve: serveOpenHands},
}

// noReferenceServer is why nothing is served or demonstrated of a profile that the table does not name.
func noReferenceServer(profile string) error {
	if err := knownProfile(profile); err != nil {
		return err
	}
	return usage("there is no reference server of profile %s; there is one of %s", profile, strings.Join(slices.Sorted(maps.Keys(referenceServers)), ", "))
}

// serveExecutor serves the bundled executor.
func serveExecutor(ctx context.Context, c *referenceConfig, out io.Writer) error {
	return executor.Main(ctx, c.executor, out)
}

// ofAll are the flags of `reference` that mean something for every profile.
var ofAll = []string{
	"profile", "listen", "token", "second-token", "fault", "list-faults", "liberty", "list-liberties", "until-stdin-closes", "seed", "public-url", "far", "help",
}

// ownFlags adds the flags that one server alone has, and says of which profile each is.
func ownFlags(f *pflag.FlagSet, config *referenceConfig) map[string]string {
	owners := map[string]string{}
	for _, profile := range slices.Sorted(maps.Keys(referenceServers)) {
		if add := referenceServers[profile].flags; add != nil {
			own := pflag.NewFlagSet("", pflag.ContinueOnError)
			own.SortFlags = false
			add(own, config)
			own.VisitAll(func(flag *pflag.Flag) { owners[flag.Name] = profile })
			f.AddFlagSet(own)
		}
	}
	return owners
}

// servedProfile refuses a profile that is not served, and flags that mean nothing for it.
func servedProfile(c *cobra.Command, profile string, owners map[string]string) error {
	if _, is := referenceServers[profile]; !is {
		return noReferenceServer(profile)
	}
	var stray error
	c.Flags().Visit(func(flag *pflag.Flag) {
		if stray != nil || slices.Contains(ofAll, flag.Name) {
			return
		}
		if cmp.Or(owners[flag.Name], defaultProfile) != profile {
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
func listServedFaults(w io.Writer, profile string) error {
	if known, err := loadProfile(profile); err == nil {
		return listFaultsOf(w, known, selftest.Faults(profile))
	}
	for _, fault := range selftest.Faults(profile) {
		fmt.Fprintln(w, fault+"\t")
	}
	return nil
}
