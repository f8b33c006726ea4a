// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/mutants"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// A proof is what the suites of a profile are proved with: a reference server, the ways to set it up, and the ways to
// break it.
type proof struct {
	profile     string
	deployments []deployment // in the order in which a test looks for its home
	faults      func() []string
	edited      func(fault string) (points []string, whole bool)   // what a fault changes, as the server's Edited says it
	liberties   func() []string                                    // nil: the server takes none
	freed       func(liberty string) (points []string, whole bool) // what a liberty changes
	costly      []string                                           // ids of tests that are played only under the faults they name
	impostors   []impostor                                         // beside those that answer everything alike
	below       string                                             // what stands behind the address of an impostor

	// crowded names the deployment in which sets of faults are played; empty: the first one.
	crowded string
	// homesOnly: under a fault a test is played in its home only. It is for deployments that judge nearly everything each.
	homesOnly bool
	// leftOut is the reason for which each deployment leaves out rows of a test, as none of them shows what all rows are about.
	leftOut string
}

// A deployment is one way to set the reference server up, and the tests that can be judged there.
type deployment struct {
	name   string
	judges func(*suites.Test) bool

	// serve sets a server up, with faults and liberties, and what its operator configures. consulted, when it is not nil, is told every point
	// of behaviour that is asked.
	serve func(faults []string, consulted func(point string)) (subject, error)

	// behind sets a correct server up whose traffic passes through a proxy; nil where it cannot.
	behind func(*mutants.Traffic) (subject, error)

	quiet bool // its trials have the machine to themselves
}

// crowd is the deployment in which sets of faults are played.
func (p *proof) crowd() deployment {
	if i := slices.IndexFunc(p.deployments, func(d deployment) bool { return d.name == p.crowded }); i >= 0 {
		return p.deployments[i]
	}
	return p.deployments[0]
}

// A subject is a reference server under test, with the operator behind it.
type subject interface {
	target() runner.Target
	alike(text string) string // without the addresses and ids that differ from server to server
	close()
}

// proofs are all there are.
var proofs = []*proof{sandbox, anyAgent, agentFleet, openHands}

// Profiles names the profiles that can be proved, whether their suites are bundled or not, in the order of their names.
func Profiles() []string {
	var names []string
	for _, p := range proofs {
		names = append(names, p.profile)
	}
	slices.Sort(names)
	return names
}

// Faults names the faults of the reference server with which a profile is proved, sorted; none for a profile that cannot be.
func Faults(profile string) []string {
	if with := proofOf(profile); with != nil {
		return with.faults()
	}
	return nil
}

// Liberties names the liberties of the reference server of a profile, sorted: what its contract leaves free.
func Liberties(profile string) []string {
	if with := proofOf(profile); with != nil && with.liberties != nil {
		return with.liberties()
	}
	return nil
}

func proofOf(profile string) *proof {
	for _, p := range proofs {
		if p.profile == profile {
			return p
		}
	}
	return nil
}

// noProof is the error for a profile that nothing can be proved of.
func noProof(profile string) error {
	return fmt.Errorf("profile %q cannot be proved: there is no reference server for it, only for %s", profile, strings.Join(Profiles(), " and "))
}

// hold shortens every wait that the contract imposes, in the harness (HoldFactor) and in the reference server (its
// heartbeat, ping and reap times, the time its work takes) alike.
const hold = 0.05

// unpaced is how many requests a second are sent at most: whatever the pace of a profile is, the reference servers keep up.
const unpaced = 1e6

func held(d time.Duration) time.Duration { return time.Duration(float64(d) * hold) }
