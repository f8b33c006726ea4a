// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/observe"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/webhooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// listen is the verb: it opens a receiver, whose address is ${name.url}.
func (s subscriber) listen(step *suites.Step, do suites.Listen) *subjects.Observation {
	o := subjects.New()
	base, reason, err := s.run.webhook()
	if reason != nil {
		o.Skip = reason
		return o
	}
	if err != nil {
		o.Blocked = "the webhook listener cannot be opened: " + wire.Last(err)
		if _, configured := s.run.Config.Hooks["webhook"]; configured {
			o.Unsent = s.run.operator.Failed("webhook", errors.New(o.Blocked))
		}
		return o
	}
	r := s.run.hooks.Listen(webhooks.Terms{Name: do.Name, Status: do.Status, Always: do.Always, Silent: do.Never, Record: s.rec, Guard: s.run.Guard,
		Source: observe.Source{Test: s.test.ID, Row: s.row}, Observers: s.run.observers})
	s.receivers[do.Name] = r
	s.names.Set(do.Name+".url", base+r.Path)
	return o
}

// webhook is the address of the run's listener as the target can reach it, or why there is none.
func (r *run) webhook() (string, *report.Reason, error) {
	hook := r.Config.Hooks["webhook"]
	if r.terms.LacksWebhook() {
		reason := r.NoHook("webhook")
		return "", &reason, nil
	}
	address, _ := hook.Value.(string)
	if address == "" {
		address = cmp.Or(hook.URL, readers.MemberText(hook.Value, "url"))
	}
	base, err := r.hooks.Open(address, readers.MemberText(hook.Value, "listen"))
	return base, nil, err
}

// elsewhere is an address for webhooks where the target cannot reach the harness. The domain is reserved for examples.
const elsewhere = "https://example.com"

// someReceiver is ${receiver}: a new address for a webhook of which nobody looks what it gets. It takes everything, so that
// no executor has to try again.
func (r *run) someReceiver() string {
	base, reason, err := r.webhook()
	if reason != nil || err != nil {
		return elsewhere + "/hook/" + uuid.NewString()
	}
	return base + r.hooks.Discard()
}

// leastLook is how long a receiver is looked at, at least, when that long is asked for.
const leastLook = 500 * time.Millisecond

// await is the verb: it waits for what a receiver got, or reads on a background stream.
func (s subscriber) await(ctx context.Context, step *suites.Step, do suites.Await) (o *subjects.Observation) {
	if do.Name == "stream" {
		return s.awaitStream(ctx, step, do)
	}
	r := s.receivers[do.Name]
	if r == nil {
		o = subjects.New()
		o.Blocked = fmt.Sprintf("nothing listens as %q", do.Name)
		return o
	}
	defer func() { o.SeenBy = do.Name }()
	if do.For != (suites.Duration{}) {
		return s.watch(ctx, step, do, r)
	}
	within := s.within(step, s.run.options.Timeout)
	limit := s.run.limitOf(within)
	defer limit.Stop()
	defer listens(s.player)()
	for late := false; ; {
		o, changed, n := r.Observe()
		var problem error
		unmet, subject := step.At, "requests"
		if len(do.Until) == 0 {
			if n == 0 {
				problem = &assertions.Problem{Seen: "is empty: nothing was delivered", Wanted: "a delivery"}
			}
		} else {
			e, no, err := s.unmet(do.Until, o)
			if err != nil {
				return unfilled(err)
			}
			if problem = no; no != nil {
				unmet, subject = e.At, e.Subject.String()
			}
		}
		if problem == nil || ctx.Err() != nil {
			return o
		}
		if late {
			told := fmt.Sprintf(", after %s and %s", within, show.Plural(n, "delivery", "deliveries"))
			if refused := s.run.hooks.Refused(); refused != "" {
				told += "; in this run " + refused
			}
			breaks := o.WaitsInVain
			if otherHead(problem) {
				breaks = o.Breaks
			}
			breaks(unmet, subject, lengthened(problem, told))
			return o
		}
		select {
		case <-changed:
		case <-ctx.Done():
		case <-limit.C:
			late = !limit.goesOn()
		}
	}
}

// headOfDelivery begins what is not as wanted in the nearest delivery where that is its head: the next one has no other.
var headOfDelivery = regexp.MustCompile(`^\[\d+\]\.(method|path|query|header|headers)\b`)

// otherHead says whether a delivery came that is the one which was waited for but for its head, so that more time brings no other.
func otherHead(err error) bool {
	var p *assertions.Problem
	return errors.As(err, &p) && headOfDelivery.MatchString(p.Nearest)
}

// watch looks at what a receiver gets for a time, or until a condition holds; that it does not hold is no problem. Without
// a condition, what is expected has to hold all the while: nothing is looked at any more once it does not.
func (s subscriber) watch(ctx context.Context, step *suites.Step, do suites.Await, r *webhooks.Receiver) *subjects.Observation {
	// Deliveries that are on their way take the time that they take, however much the waits are shortened.
	long := max(s.hold(do.For), min(scale(s.run.options.reach(do.For), s.run.options.TimeFactor), leastLook))
	defer s.rests(long)()
	timer := time.NewTimer(long)
	defer timer.Stop()
	for late := false; ; {
		o, changed, _ := r.Observe()
		if late || ctx.Err() != nil {
			return o
		}
		if len(do.Until) > 0 {
			done, err := s.holds(do.Until, o)
			if err != nil {
				return unfilled(err)
			}
			if done {
				return o
			}
		} else if !s.allHold(step, o) {
			return o
		}
		select {
		case <-changed:
		case <-ctx.Done():
		case <-timer.C:
			late = true
		}
	}
}

// settleWebhooks waits until the deliveries are over that the run has caused, and says so where they are not.
func (r *run) settleWebhooks(ctx context.Context, out *report.Run) {
	held := func(d time.Duration) time.Duration { return scale(d, r.options.TimeFactor*r.options.HoldFactor) }
	out.Warnings = append(out.Warnings, r.hooks.Settle(ctx, held)...)
}
