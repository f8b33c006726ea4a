// SPDX-License-Identifier: Apache-2.0

// Package doctor looks at everything between here and a target that can keep a run from measuring it, one thing at a time, and says what
// was seen and what to do about it. It plays no suites and gives no verdict on requirements: that is the runner's.
package doctor

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/secrets"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// A Diagnosis is what was seen on the way to a target, one thing at a time, in the order in which it was looked at.
type Diagnosis struct {
	Target  string         `json:"target"`
	Verdict report.Verdict `json:"verdict"` // pass: nothing fails; fail, unreachable, unauthorized, incomplete: it was interrupted
	Checks  []Check        `json:"checks"`
}

// A Check is one thing that was looked at.
type Check struct {
	Topic string `json:"topic"` // "dns", "tls", "stream", ...
	Grade Grade  `json:"grade"`
	Seen  string `json:"seen"`
	Do    string `json:"do,omitempty"` // what whoever runs the target, or the doctor, can do about it
}

// A Grade is what a check came to.
type Grade string

// The grades.
const (
	Well    Grade = "ok"
	Warning Grade = "warn" // it works, but something is odd or will not do for a whole run
	Failing Grade = "fail"
	Note    Grade = "note" // nothing was measured: a hint, or the reason why not
)

// Options say how a doctor looks.
type Options struct {
	Limits     target.Limits
	RedactKeys []string    // members and headers whose values are shown nowhere
	Progress   func(Check) // called for each check as soon as it is done; may be nil
}

// Diagnose looks at everything between here and the target that can keep a run from measuring it: names, connections,
// TLS, proxies, clocks, addresses, credentials, event streams and WebSockets. It starts one task, and cancels it. The
// target's text in the diagnosis is on one line, bounded, and without secrets. The error is a bug of the harness.
func Diagnose(ctx context.Context, profile profiles.Profile, config target.Config, options Options) (diagnosis *Diagnosis, err error) {
	d := &doctor{limits: options.Limits.Filled(), notes: notes{
		said: &Diagnosis{Target: target.PlainURL(config.ExecutorURL), Verdict: report.Passed}, secrets: secrets.New(options.RedactKeys, config), progress: options.Progress,
	}}
	ctx, cancel := context.WithTimeoutCause(ctx, d.limits.Whole, target.ErrTimeIsUp)
	defer cancel()
	d.Open(profile, config, d.limits)
	defer d.Client.Close()
	d.said.Target = d.clean(d.said.Target)
	if d.at, err = url.Parse(target.PlainURL(config.ExecutorURL)); err != nil {
		return nil, fmt.Errorf("bug: the address was not checked: %w", err)
	}
	looks := []func(context.Context) bool{d.proxy, d.line, d.secured, d.answers}
	switch profile.Finds {
	case profiles.AnAgent:
		looks = append(looks, d.agent, addresses{d}.interfaces, d.tokens, d.principals, addresses{d}.otherInterfaces, d.operationStreams)
	case profiles.AnExecutor:
		looks = append(looks, d.place, d.card, d.tokens, d.credentials, addresses{d}.instanceInterfaces, d.streams, terminals{d}.upgrades)
	case profiles.AServer:
		looks = append(looks, d.tokens, d.lookedAt)
	}
	looks = append(looks, d.idle)
	for _, look := range looks {
		goOn := look(ctx)
		if ctx.Err() != nil {
			d.note("end", "the diagnosis ended before all checks were done")
			if d.said.Verdict == report.Passed {
				d.said.Verdict = report.Incomplete
			}
			break
		}
		if !goOn {
			break
		}
	}
	return d.said, nil
}

// A doctor looks at a target. Each of its looks says whether it makes sense to go on.
type doctor struct {
	target.Agent
	notes

	limits target.Limits    // with the defaults filled in
	at     *url.URL         // as the operator gave it
	first  *target.Exchange // the first answer of the target
	skew   skew

	declared []byte // the card, as it was served
	swapped  bool   // the target takes the token of the instance where that of the admin was shown, and the other way round
}

// namesInstance says whether the operator has said which instance is meant.
func (d *doctor) namesInstance() bool {
	_, _, is := target.SplitInstance(d.said.Target)
	return is || d.Config.Instance != ""
}

// Failed lists the topics that fail, each once, in order.
func (d *Diagnosis) Failed() []string {
	var topics []string
	for _, c := range d.Checks {
		if c.Grade == Failing && !slices.Contains(topics, c.Topic) {
			topics = append(topics, c.Topic)
		}
	}
	return topics
}
