// SPDX-License-Identifier: Apache-2.0

// Package conformance plays the requirements of a profile against a server from go test. Each requirement is a subtest whose name is its id:
//
//	func TestA2A(t *testing.T) {
//		conformance.Run(t, conformance.Options{
//			Profile:    conformance.A2A,
//			NewHandler: func(url string) http.Handler { return newServer(url) },
//			Cues:       map[string]any{"completed": "say done"},
//		})
//	}
//
// # What go test shows
//
// A subtest fails where a MUST or MUST NOT is broken, and says what the program says on a console: the requirement, what was seen and what was
// wanted, the request as a curl command, and the exchange. It fails as well where a MUST applies and could not be measured. It is skipped, with
// the code of the reason and in words, where the requirement does not apply to the server, or a token, a hook or a cue that it needs is not
// configured. A broken SHOULD is logged, which -v shows, and fails with [Options.Strict]. What several failures have in common is said once,
// before the first of them. Tokens are shown nowhere.
//
// A server at which nothing can be measured is one failure of the test itself, without subtests. So is a run that ended before everything was
// measured.
//
// # Flags of go test
//
// All requirements are played together, side by side, before the first subtest begins; the subtests then report what was found, in the order of
// the suites. Their own durations are therefore zero, and -parallel makes no difference.
//
//   - -run and -skip: what they leave out is not played. go test -run 'TestA2A/A2A-CARD-001$' plays that one requirement.
//   - -short: nothing that has to wait longer than a second is played (see [Options.MaxWait]).
//   - -timeout: the run ends in time to report what was measured until then, and the test fails.
//   - -failfast: the run stops at the first failure.
//   - -v: also shows warnings, notes, why requirements were skipped, and what to configure so that more is measured.
//
// # What it promises
//
// The names of this package and what they do are public API, like the ids of requirements: they do not change within a major version. No other
// package of this module is: all others can change with every release. Requirements do grow, so a new version may fail a server that passed;
// the changelog says by what.
package conformance

import (
	"context"
	"crypto/tls"
	"net/http"
	"testing"
	"time"
)

// The profiles: what a server is judged by.
const (
	A2A            = "a2a-1.0"            // any server that speaks A2A 1.0
	AgenticSandbox = "agentic-sandbox-v2" // an executor of agentic-sandbox v2
	OpenHandsV1    = "openhands-v1"       // an OpenHands app server, by its V1 API
	SAC            = "sac"                // an A2A listener of scitex-agent-container, with its fleet
)

// Options say what is played against which server. Profile and one of URL, Handler and NewHandler are required.
type Options struct {
	Profile string // A2A, AgenticSandbox, OpenHandsV1 or SAC

	// URL is where the server listens; for AgenticSandbox that of the deployment or that of one instance.
	URL string

	// Handler is the server. It is served at a free port of the loopback interface until the test is over, without TLS.
	Handler http.Handler

	// NewHandler makes the server once its URL is known ("http://127.0.0.1:41234"), for those that say in a card where they are. It is then
	// served as Handler is.
	NewHandler func(url string) http.Handler

	Token      string            // bearer token that opens the server; empty: requests carry none
	Tokens     map[string]string // further bearer tokens, by identity: "admin", "operator", "observe", "foreign" (docs/operators.md)
	Header     http.Header       // sent with every request, except those that a test sends without credentials
	AllowHosts []string          // hosts, hosts with a port and origins that tokens and Header may be sent to beside that of the server
	TLS        *tls.Config       // of connections to the server; nil: the default
	Instance   string            // id of the instance to judge, where URL is that of a deployment; empty: one is chosen

	// Hooks do what only the operator of the server can, by name: "restart", "create-session", ... Without a hook the requirements that need it
	// are skipped. docs/operators.md lists the hooks, with what each gets and answers.
	Hooks map[string]Hook

	// Cues are the messages that bring the agent into a situation, by name: "completed", "input-required", ... A string is the text of the
	// message; any other value is the message itself, as encoding/json writes it. docs/operators.md lists them.
	Cues map[string]any

	Run  []string // globs of ids and names; empty: all. What does not match any of them has no subtest.
	Skip []string // globs of ids and names that have no subtest

	// MaxWait is how long a single requirement may have to wait by its nature; longer ones are skipped with the reason "slow". 0: 15s. With
	// -short it is a second at most.
	MaxWait time.Duration

	// TimeFactor multiplies every time limit of the run, for a slow machine or the race detector; 0: 1.
	TimeFactor float64

	Jobs int // requirements that are played at once; 0: 16

	Strict     bool   // a warning fails, and so does what may apply and was not measured
	Baseline   string // YAML file of failures that are known and accepted for now; their subtests are skipped (docs/policy.md)
	SkipBudget string // YAML file that limits the skips for each reason (docs/policy.md)

	// ReportDir is a folder for the reports of the run: conformance.report.md, .junit.xml and .json. It is made if it is not there; empty:
	// nothing is written. T.ArtifactDir is a good one.
	ReportDir string
}

// A Hook does or says what only the operator of the server can. It has either Func or Value.
type Hook struct {
	// Func is called when a requirement needs the hook; with holds the arguments, {} if there are none. What it returns is taken as JSON; an
	// error blocks the requirement and is shown. It is called on another goroutine than that of the test, so it must not call T.Fatal; ctx
	// ends when nobody waits for it any more.
	Func func(ctx context.Context, with map[string]any) (any, error)

	// Value is the answer of a hook that need not be called, such as the statement true.
	Value any

	Parallel bool // Func may be called for several requirements at once
}

// Run plays the profile against the server, and reports every requirement as a subtest of t. It returns when all of them have been reported,
// and is called once in a test. A mistake in the options ends the test with a message that names the option.
func Run(t *testing.T, options Options) {
	t.Helper()
	play(t, options, flagsOfGoTest())
}
