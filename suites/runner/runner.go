// SPDX-License-Identifier: Apache-2.0

// Package runner plays suites against a target.
package runner

import (
	"context"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/a2agrpc"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/dialect"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/pulse"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/spent"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A Target is the executor under test and what its operator configures.
type Target = target.Config

// A Hook is something the operator configures: a command, a URL, or a value.
type Hook = target.Hook

// ErrNoInstance is what [Instances] finds where the admin surface lists none that looks ready.
var ErrNoInstance = target.ErrNoInstance

// DrivesGRPC says whether this build sends operations over gRPC. One with the tag nogrpc does not.
const DrivesGRPC = a2agrpc.Driven

// DialectCompact is the PTY dialect that a diagnostic run can read: see [Target.PTYDialect].
const DialectCompact = dialect.Compact

// Options say how to run.
type Options struct {
	Jobs            int           // tests at work at once; 0: 16
	Adapts          bool          // Jobs is only the least: more tests are at work at once where the target is far and copes
	Timeout         time.Duration // of one request; 0: 10s
	ConnectTimeout  time.Duration // 0: 5s
	MaxTime         time.Duration // of the run; 0: 30 minutes
	Hurried         bool          // the run may not have the time for all tests: the most important ones first
	MaxWait         time.Duration // longest contract-imposed wait of one test; 0: 15s
	TimeFactor      float64       // multiplies every time bound; 0: 1
	HoldFactor      float64       // multiplies waits only (not limits), on top of TimeFactor; the self-test sets it; 0: 1
	TimingTolerance time.Duration // 0: 500ms
	Rate            float64       // requests per second; 0: no limit
	Pool            *Pool         // what the run shares with others that are played beside it; nil: nothing
	Seed            uint64        // of the harness's own choices; 0: from the clock
	Shuffle         bool
	FailFast        bool
	Evidence        string // "failures" (default), "all", "none"
	RedactKeys      []string
	Waivers         map[string]report.Waiver // by test: failures that are accepted for now; they do not end a run that stops at failures
	Again           []string                 // arguments that repeat what the target does not say, such as "--max-wait", "1m0s"
	Rerun           []string                 // the words of the command that plays against the target; nil: run, with its URL
	Select          func(*suites.Test) bool  // nil: all
	ReasonMeans     func(code string) string // what the code of a skip means, as Markdown; nil: only what was seen is told
	Progress        func(Progress)           // called after every test, and once when the plan is known; may be nil
	Spent           func([]spent.Stage)      // called once all tests have been played, with where the time went; may be nil
	Judged          func(Judgement)          // called for every expectation judged; the self-test listens; may be nil

	// ByTheClock has every limit end when it says, however busy the machine is. A self-test wants that, whose faults are late by the clock.
	ByTheClock bool

	pulse *pulse.Pulse // of the machine; nil: it is felt
}

// Progress is how far a run is.
type Progress struct {
	Done, Total int
	Result      *report.Result // the test that has just ended; nil when the plan is known
}

// A Judgement is one expectation that was judged, and what came of it.
type Judgement struct {
	Test        *suites.Test
	Step        *suites.Step
	Expectation *suites.Expectation // filled in
	Got         any
	Err         error
	Given       bool // under given, or an assume
}

// Run plays the profile against the target and reports what it found. The report is never nil: when ctx ends, or the
// target cannot be reached, it says so and holds what was measured until then. The error is a bug of the harness.
func Run(ctx context.Context, profile *suites.Profile, config Target, options Options) (*report.Run, error) {
	return Start(ctx, profiles.Of(profile.Name), config, options).Play(profile, options)
}

// Instances lists the ids of all instances of a deployment that look ready, as its admin surface lists them. The error is
// [ErrNoInstance] where there are none, and says what was answered where that is no list.
func Instances(ctx context.Context, profile profiles.Profile, config Target, options Options) ([]string, error) {
	var s target.Target
	s.Open(profile, config, options.limits())
	defer s.Client.Close()
	return s.ReadyInstances(ctx)
}
