// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/applies"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/dialect"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/evidence"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/openapi"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/operator"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/pulse"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/repro"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/slots"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/spent"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/undo"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/verdict"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/webhooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/weight"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wholerun"
)

// A run is one profile being played against one target.
type run struct {
	target.Agent // the target

	profile *suites.Profile // nil until it has been read: the preflight needs its name alone
	options Options         // with the defaults filled in
	telling sync.Mutex      // one expectation at a time is told that was judged
	secrets *secrets.Redactor
	ends    time.Time // when its time is up; zero: it has no limit
	record  *wholerun.Record
	starts  *undo.Starts
	answers *openapi.Record // nil: the profile has no document to hold answers against

	observers   observe.List // told of all that passes between the run and its target; complete before the first test
	connections atomic.Int64 // that were told
	longAsked   sync.Mutex   // one exchange at a time is told whose request is very long: it is read as a text and as a value
	watches     watches      // of the tests that are played
	judgements  wholerun.Judgements
	begun       beginnings // of tests that watch
	unheard     unheard    // that failed without an answer
	terms       applies.Terms

	hooks    *webhooks.Listener
	operator *operator.Operator
	repro    *repro.Commands
	echo     terminalEcho
	dialects dialect.Met
	form     sendForm
	shown    evidence.Room  // how much of the bodies the report shows
	pulse    *pulse.Pulse   // how long the machine kept the run from running; nil: no test is played
	retries  pulse.Retries  // what is played again because it was late on a busy machine
	held     *budget.Budget // what it holds of its target, whichever way it came in
	received *budget.Part   // bytes that open connections hold
	streamed *budget.Part   // bytes that open streams hold
	weights  *weight.Scale  // of answers that are looked at or kept
	slots    *slots.Slots   // of tests that are at work
	spent    spent.Account  // what the time goes into
}

func withDefaults(o Options) Options {
	l := o.limits().Filled()
	o.Timeout, o.ConnectTimeout, o.MaxTime, o.TimeFactor, o.Jobs = l.Request, l.Connect, l.Whole, l.Factor, l.Jobs
	pick := func(d *time.Duration, otherwise time.Duration) {
		if *d <= 0 {
			*d = otherwise
		}
	}
	pick(&o.MaxWait, 15*time.Second)
	pick(&o.TimingTolerance, 500*time.Millisecond)
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

// limits are those of the way to the target, and of the whole.
func (o *Options) limits() target.Limits {
	return target.Limits{Request: o.Timeout, Connect: o.ConnectTimeout, Whole: o.MaxTime, Factor: o.TimeFactor, Rate: o.Rate, Shared: o.Pool.limiter(), Jobs: o.Jobs}
}

// maxOfTarget bounds what a run holds of its target at once, whichever way it came in, in bytes of what was sent. A run of the
// bundled reference servers, all surfaces, holds two to four MiB.
const maxOfTarget = 96 << 20

func newRun(profile profiles.Profile, config target.Config, options Options) *run {
	r := &run{options: withDefaults(options)}
	r.Target.Open(profile, config, r.options.limits())
	r.held = r.options.Pool.budget()
	r.received, r.streamed, r.weights = r.held.Part(maxHeld), r.held.Part(maxStreamed), weight.New(r.held, r.options.Pool.heavy())
	switch few := fewPaced(cmp.Or(options.Rate, profile.Rate)); {
	case !options.Adapts:
		r.slots = slots.New(r.options.Jobs)
	case few > 0 && few < r.options.Jobs:
		r.slots = slots.New(few)
	default:
		r.slots = slots.Adaptive(r.options.Jobs)
	}
	r.hooks, r.starts = webhooks.New(r.held), undo.NewStarts(&r.Agent)
	r.record = wholerun.New(r.Explicit, r.held, scale(time.Second, r.options.TimeFactor*r.options.HoldFactor))
	r.observers = observe.List{r.record.Observer(r.Profile.Plain())}
	if profile.Documented {
		r.answers = openapi.NewRecord(r.held)
		r.observers = append(r.observers, r.answers.Observer())
	}
	r.secrets = secrets.New(r.options.RedactKeys, r.Config)
	if profile.Hands != "" {
		r.observers = append(r.observers, r.secrets.Handed(profile.Hands))
	}
	r.operator = operator.New(&r.Target, r.secrets)
	r.terms = applies.Terms{Agent: &r.Agent, HasSessions: r.operator.HasSessions, MaxWait: r.options.MaxWait, Factor: r.options.TimeFactor * r.options.HoldFactor}
	r.repro = repro.New(&r.Agent, r.secrets, repro.Again{Words: r.options.Rerun, Arguments: r.options.Again})
	return r
}

// fewPaced is how many tests are at work at once where so many requests a second are allowed; 0: as many as without a limit. With more of
// them, each would wait for its turn for seconds between two requests, and miss what it looks for.
func fewPaced(rate float64) int {
	if rate <= 0 {
		return 0
	}
	return max(2, int(rate/2))
}

// allBugs is what went wrong in the harness, without secrets: a panic may quote anything. It is nil when nothing did.
func (r *run) allBugs() error {
	if err := r.Bugs.Err(); err != nil {
		return errors.New(r.secrets.Clean(err.Error()))
	}
	return nil
}

// complete plays the tests once the preflight is over.
func (r *run) complete(ctx context.Context, out *report.Run, stop *report.Reason) (*report.Run, error) {
	if r.Config.PTYDialect != "" {
		out.Diagnostic = "pty-dialect:" + r.Config.PTYDialect
	}
	out.Suites = report.SuiteSet{Profile: r.profile.Name, Digest: r.profile.Digest, Version: r.profile.Version()}
	tests := r.chosen(out)
	r.watchAll(tests)
	if stop == nil {
		// What is delivered when the time is up is nobody's: taking it in would hold up the report.
		defer context.AfterFunc(ctx, r.hooks.Close)()
		if r.pulse = r.options.pulse; r.pulse == nil {
			r.pulse = pulse.Start(r.options.ByTheClock)
			defer r.pulse.Stop()
		}
		out.Results = r.playAll(ctx, tests)
		out.Machine = ofTheMachine(r.pulse, r.retries.IDs())
		r.takeBackUnheard(out.Results)
		out.Warnings = append(out.Warnings, r.Absences.Told()...)
		r.settleWebhooks(ctx, out)
		if left := r.starts.End(ctx, r.undoBounds(ctx)); left != "" {
			out.Warnings = append(out.Warnings, left)
		}
	} else {
		out.Results = r.notMeasured(tests, *stop)
	}
	out.Warnings = append(out.Warnings, r.operator.Warnings(out.Results)...)
	nearestFirst(r.profile, tests, out.Results)
	r.dialects.Fold(out.Results)
	if stop == nil {
		out.Next = r.terms.Next(tests, out.Results)
	}
	out.Routes = r.Routes.Report(r.secrets.Clean)
	out.Roots = verdict.Roots(r.profile.Roots, out.Results)
	r.describe(out)
	r.TellCredentials(out)
	verdict.Claims(&r.Agent, out, tests)
	verdict.Conclude(ctx, &r.Agent, out, r.operator.Warnings(out.Results), r.dialects.Blocked(out.Results))
	out.DurationMS = time.Since(out.StartedAt).Milliseconds()
	r.secrets.Report(out)
	return out, r.allBugs()
}

func (r *run) close() {
	r.hooks.Close()
	r.operator.Close()
	r.Client.Close()
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
			if t.Outlined {
				r.Bug(fmt.Errorf("bug: %s is to be played and has not been read", t.ID))
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
	progress := r.options.newProgress(len(tests))
	for i, t := range tests {
		results[i] = blank(t)
		results[i].Outcome, results[i].Reason = report.Skip, &why
		r.secrets.Result(&results[i])
		progress.ended(&results[i])
	}
	return results
}

// describe says who was asked.
func (r *run) describe(out *report.Run) {
	out.Target.ExecutorURL = target.PlainURL(r.Config.ExecutorURL)
	out.Target.InstanceID = r.Place.IID
	if !r.Profile.Plain() {
		out.Target.AdminURL = r.Place.Admin
	}
	if r.Card != nil {
		out.Target.CardSHA256, out.Target.CardName, out.Target.CardVersion = r.Card.Digest, r.Card.Name, r.Card.Version
	}
}

// shuffled is the order in which n tests are played.
func (o *Options) shuffled(tests []int) {
	if o.Shuffle {
		random := rand.New(rand.NewPCG(o.Seed, 0))
		random.Shuffle(len(tests), func(i, j int) { tests[i], tests[j] = tests[j], tests[i] })
	}
}

// ofTheMachine says what a machine that was busy, or stood still, made the harness do: a reviewer cannot see it otherwise. again are the
// tests of which something was played again.
func ofTheMachine(p *pulse.Pulse, again []string) string {
	var did []string
	if waits, longest := p.Given(); waits > 0 {
		did = append(did, fmt.Sprintf("%s made longer than the suite says, the longest to %s, and what came in the added time counts as in time",
			show.Plural(waits, "wait was", "waits were"), longest.Round(100*time.Millisecond)))
	}
	if len(again) > 0 {
		did = append(did, "what was late was played again, of "+strings.Join(again, ", "))
	}
	if did == nil {
		return ""
	}
	return "the harness's own machine was busy, or stood still: " + strings.Join(did, "; ")
}
