// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/orphans"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A run is one profile being played against one target.
type run struct {
	name     string          // of the profile
	profile  *suites.Profile // nil until it has been read: the preflight needs its name alone
	target   Target
	explicit map[string]string // the tokens that the operator gave, without stand-ins
	options  Options           // with the defaults filled in
	secrets  *redactor
	orphans  orphans.Keeper // the processes of hooks
	ends     time.Time      // when its time is up; zero: it has no limit
	client   *wire.Client
	place    place
	card     *readers.Card // nil: none that could be read
	facts    facts
	seen     sightings
	form     sendForm
	witness  *witness

	observers   observe.List // told of all that passes between the run and its target; complete before the first test
	connections atomic.Int64 // that were told
	watches     []*lookout   // of the tests that are played
	begun       beginnings   // of tests that watch

	hooks    webhooks
	turns    turns
	messages sentMessages
	failings failings
	sessions sessions
	echo     terminalEcho
	dialects dialects
	routes   routes
	pulse    pulse
	shown    shown         // how much of the bodies the report shows
	received *budget.Part  // bytes that open connections hold
	streamed *budget.Part  // bytes that open streams hold
	answered *budget.Part  // bytes of heavy answers
	repeated *budget.Part  // bytes of the other answers that polls and walks keep
	heavy    chan struct{} // a slot for each row that holds heavy answers

	// Of a plain A2A server:
	interfaces      []*endpoint // what operations can be sent to
	endpoints       []*endpoint // of them the first of each binding
	required        []any       // URIs of the extensions that every request has to name
	optional        []any       // URIs of the other extensions that the card declares
	cardURL         string      // where the card was found
	sendsJSON       atomic.Bool // REST bodies go out as application/json, because the recommended type was refused
	takesA2A        atomic.Bool // a REST body of the recommended type was taken
	subscribesByGet atomic.Bool // the target's route of SubscribeToTask is one of GET

	chosenInstance string // the instance that the run chose by itself; "": none

	lent     sync.Map    // origins of other executors that the operator's hooks have answered with, or that --allow-host names
	withheld []*endpoint // interfaces at other origins which want credentials that are not sent there
	sentTo   shownTo     // origins that were sent credentials

	provisionLimit atomic.Int64 // how long the operator lets a provisioning take; 0: not known

	mu   sync.Mutex
	bugs []error // of the harness
}

// facts are what the preflight found out.
type facts struct {
	authEnabled  bool            // anonymous requests are refused, or should be
	instanceOnly bool            // the instance's token is refused where the admin's is taken
	adminRefused bool            // the token that stands in for the admin's is not taken
	instances    map[string]bool // that were there before the run
	plain        bool            // the profile has none of the executor's own routes: nothing is derived or probed but the card
	noCard       string          // why there is none that could be read
	cardFinding  *report.Finding // the same
	foreign      string          // what makes the target look like no executor at all; the verdict says it
	older        string          // that the target speaks a version before 1.0, and what to change; the verdict says it
}

// Why a run ended early.
var (
	errTimeIsUp = errors.New("time-is-up")
	errFailFast = errors.New("fail-fast")
)

func withDefaults(o Options) Options {
	pick := func(d *time.Duration, otherwise time.Duration) {
		if *d <= 0 {
			*d = otherwise
		}
	}
	pick(&o.Timeout, 10*time.Second)
	pick(&o.ConnectTimeout, 5*time.Second)
	pick(&o.MaxTime, 30*time.Minute)
	pick(&o.MaxWait, 15*time.Second)
	pick(&o.TimingTolerance, 500*time.Millisecond)
	if o.Jobs <= 0 {
		o.Jobs = 16
	}
	if o.TimeFactor <= 0 {
		o.TimeFactor = 1
	}
	if o.HoldFactor <= 0 {
		o.HoldFactor = 1
	}
	if o.Seed == 0 {
		o.Seed = uint64(time.Now().UnixNano())
	}
	if o.Evidence == "" {
		o.Evidence = "failures"
	}
	return o
}

// mostOfTarget bounds what a run holds of its target at once, whichever way it came in, in bytes of what was sent. A run of the
// bundled reference servers, all surfaces, holds two to four MiB.
const mostOfTarget = 96 << 20

func newRun(profile string, target Target, options Options) *run {
	r := &run{name: profile, target: target, options: withDefaults(options)}
	r.explicit, r.target.Tokens = target.Tokens, standIns(target.Tokens)
	held := budget.Of(mostOfTarget)
	r.received, r.streamed, r.answered = held.Part(mostHeld), held.Part(mostStreamed), held.Part(mostHeavy)
	r.repeated = held.Part(mostAgain)
	r.hooks.intake = intake{arriving: held.Part(mostArriving), kept: held.Part(mostHookKept)}
	r.witness = newWitness(r.explicit, held)
	r.witness.settles = scale(time.Second, r.options.TimeFactor*r.options.HoldFactor)
	r.observers = observe.List{r.witness.observer(isPlain(profile))}
	r.secrets = newRedactor(r.target, r.options.RedactKeys)
	r.client = clientFor(r.target, r.options)
	r.facts.plain = isPlain(profile)
	r.heavy = make(chan struct{}, heavyRows)
	return r
}

// standIns lets the token of the instance and that of the admin stand in for each other when only one was given.
func standIns(given map[string]string) map[string]string {
	tokens := make(map[string]string, len(given)+2)
	for identity, token := range given {
		if token != "" {
			tokens[identity] = token
		}
	}
	switch {
	case tokens["instance"] == "" && tokens["admin"] != "":
		tokens["instance"] = tokens["admin"]
	case tokens["admin"] == "" && tokens["instance"] != "":
		tokens["admin"] = tokens["instance"]
	}
	delete(tokens, anonymous)
	return tokens
}

// token is the bearer token of an identity; empty means none.
func (r *run) token(identity string) string { return r.target.Tokens[identity] }

// bug notes a mistake of the harness; the run goes on, and its error says so.
func (r *run) bug(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bugs = append(r.bugs, err)
}

// guard is deferred by goroutines of our own, whose panic would take the whole run along.
func (r *run) guard(doing string) {
	if v := recover(); v != nil {
		r.bug(fmt.Errorf("bug: while %s: %v\n%s", doing, v, debug.Stack()))
	}
}

// allBugs is what went wrong in the harness, without secrets: a panic may quote anything. It is nil when nothing did.
func (r *run) allBugs() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := errors.Join(r.bugs...); err != nil {
		return errors.New(r.secrets.clean(err.Error()))
	}
	return nil
}

// complete plays the tests once the preflight is over.
func (r *run) complete(ctx context.Context, out *report.Run, stop *report.Reason) (*report.Run, error) {
	if r.target.PTYDialect != "" {
		out.Diagnostic = "pty-dialect:" + r.target.PTYDialect
	}
	out.Suites = report.SuiteSet{Profile: r.profile.Name, Digest: r.profile.Digest}
	tests := r.chosen(out)
	r.watchAll(tests)
	if stop == nil {
		// What is delivered when the time is up is nobody's: taking it in would hold up the report.
		defer context.AfterFunc(ctx, r.hooks.close)()
		out.Results = r.playAll(ctx, tests)
		r.settleWebhooks(ctx, out)
	} else {
		out.Results = r.notMeasured(tests, *stop)
	}
	out.Warnings = append(out.Warnings, r.brokenHooks(out.Results)...)
	r.dialects.fold(out.Results)
	for i := range out.Results {
		r.waive(&out.Results[i])
	}
	out.Routes = r.routes.report(r.secrets)
	out.Roots = rootsOf(r.profile.Roots, out.Results)
	r.describe(out)
	r.tellCredentials(out)
	r.audit(out, tests)
	r.conclude(ctx, out, tests)
	out.DurationMS = time.Since(out.StartedAt).Milliseconds()
	r.secrets.report(out)
	return out, r.allBugs()
}

func (r *run) close() {
	r.hooks.close()
	r.orphans.Close()
	r.client.Close()
}

// chosen are the tests that the operator selected; a narrowed run says so.
func (r *run) chosen(out *report.Run) []*suites.Test {
	all := r.profile.Tests()
	if r.options.Select == nil {
		return all
	}
	var tests []*suites.Test
	for _, t := range all {
		if r.options.Select(t) {
			if t.Suite.Outlined {
				r.bug(fmt.Errorf("bug: %s is to be played and has not been read", t.ID))
			}
			tests = append(tests, t)
		}
	}
	if len(tests) < len(all) {
		out.Partial = append(out.Partial, fmt.Sprintf("%d of the profile's %d tests were selected", len(tests), len(all)))
	}
	return tests
}

// notMeasured is the results of a run that could not begin.
func (r *run) notMeasured(tests []*suites.Test, why report.Reason) []report.Result {
	results := make([]report.Result, len(tests))
	progress := r.newProgress(len(tests))
	for i, t := range tests {
		results[i] = blank(t)
		results[i].Outcome, results[i].Reason = report.Skip, &why
		r.secrets.result(&results[i])
		progress.ended(&results[i])
	}
	return results
}

// describe says who was asked.
func (r *run) describe(out *report.Run) {
	out.Target.ExecutorURL = plainURL(r.target.ExecutorURL)
	out.Target.InstanceID = r.place.iid
	if !r.facts.plain {
		out.Target.AdminURL = r.place.admin
	}
	if r.card != nil {
		out.Target.CardSHA256, out.Target.CardName, out.Target.CardVersion = r.card.Digest, r.card.Name, r.card.Version
	}
}

// shuffled is the order in which n tests are played.
func (r *run) shuffled(tests []int) {
	if r.options.Shuffle {
		random := rand.New(rand.NewPCG(r.options.Seed, 0))
		random.Shuffle(len(tests), func(i, j int) { tests[i], tests[j] = tests[j], tests[i] })
	}
}
