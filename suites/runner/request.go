// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A caller is a player that sends requests.
type caller struct{ *player }

// request is the verb: one HTTP exchange, or a walk through a list's pages.
func (c caller) request(ctx context.Context, step *suites.Step, do suites.Request) *subjects.Observation {
	q, o := c.prepare(ctx, step, do)
	if q == nil {
		return o
	}
	if do.Walk != "" {
		return c.walk(ctx, step, q, do)
	}
	q.Gate, c.gate = c.gate, nil
	o = observeRequest(c.exchange(ctx, q))
	if do.Otherwise != nil {
		o = c.otherwise(ctx, step, do, o)
	}
	o.Value("announced", c.run.Config.Policy())
	o.Set("listed_instance", func() any { return readers.ListedInstance(o.Get("json"), c.run.Place.IID) })
	return o
}

// otherwise sends the other form of a request that was refused. What is judged is the form that was taken; when neither
// was, it is the first. Under `given` it does not matter which.
func (c caller) otherwise(ctx context.Context, step *suites.Step, do suites.Request, o *subjects.Observation) *subjects.Observation {
	refused, err := c.holds(do.Otherwise.When, o)
	if err != nil {
		return unfilled(err)
	}
	if !refused {
		return o
	}
	status := o.Get("status")
	do.Body = suites.Body{JSON: do.Otherwise.JSON, Given: true}
	q, second := c.prepare(ctx, step, do)
	if q == nil {
		return second
	}
	x := c.exchange(ctx, q)
	if x.Status < 200 || x.Status > 299 {
		return o
	}
	if !c.given {
		severity := report.Warn
		if severityOf(c.test) == report.Pass {
			severity = report.Pass
		}
		c.found(do.Otherwise.At, problemOf("status", &assertions.Problem{Seen: fmt.Sprintf("is %v for the first form of the request, and %d for the second", status, x.Status),
			Wanted: "the first to be taken"}, o), severity, do.Otherwise.Ruling)
	}
	return observeRequest(x)
}

// observeRequest is what an exchange shows, with the request that led to it.
func observeRequest(x *target.Exchange) *subjects.Observation {
	o := subjects.OfAnswer(x)
	o.Request = x.Request
	if c := x.Request.Call; c != nil && x.Status != 0 && x.Problem == "" {
		observeOperation(o, c, x.Status, func() any { return o.Get("json") })
	}
	o.Value("sent", sentOf(x.Request.Call, x.Request.Bare))
	return o
}

// prepare fills in what is to be sent. Without a request, the observation says why there is none.
func (c caller) prepare(ctx context.Context, step *suites.Step, do suites.Request) (*target.Request, *subjects.Observation) {
	if do.Operation != "" {
		return c.operate(step, do)
	}
	q := &target.Request{Request: wire.Request{Raw: do.Raw, Chunked: do.Chunked, Limit: c.run.pulse.Longer(c.within(step, c.run.options.Timeout)), Shares: !c.apart}, Redirects: do.Redirects, Unpaced: do.Unpaced, Identity: c.identity(step), Actor: c.actor(step).name}
	var err error
	if q.Method, err = c.expandString(do.Method); err != nil {
		return nil, unfilled(err)
	}
	if q.URL, err = c.expandAddress(do.URL); err != nil {
		return nil, unfilled(err)
	}
	if q.URL, err = c.laidOut(ctx, q.URL); err != nil {
		return nil, unfilled(err)
	}
	q.Route = c.route(q.Method, do.URL)
	if q.Body, err = c.body(do.Body); err != nil {
		return nil, unfilled(err)
	}
	if q.Header, err = c.header(step, do.Header, q); err != nil {
		return nil, unfilled(err)
	}
	if _, isFile := c.run.Place.KeyFile(q.URL); !isFile {
		if _, err := q.Address(); err != nil {
			return nil, unfilled(err)
		}
	}
	if !c.run.Profile.Plain() && (do.Body.Given || do.Body.Text != nil) {
		q = c.inForm(q)
	}
	q.Repeats, q.Room = c.run.Messages.Repeats(q.Body), c.weight.Room
	return q, nil
}

// unfilled is the observation of a step that could not even be put together.
func unfilled(err error) *subjects.Observation {
	o := subjects.New()
	var skip *target.Skipped
	if errors.As(err, &skip) {
		o.Skip = &skip.Reason
	} else {
		o.Blocked = err.Error()
	}
	return o
}

// exchange sends a request and records it; redirects are followed as far as the step allows, on the same host only.
func (c caller) exchange(ctx context.Context, q *target.Request) *target.Exchange {
	for left := q.Redirects; ; left-- {
		if mute := c.run.Mute(q.URL); mute != nil {
			return &target.Exchange{Exchange: wire.Exchange{Began: time.Now()}, Request: q, Unsent: mute}
		}
		if much := c.weight.TooMuch(); much != nil {
			return &target.Exchange{Exchange: wire.Exchange{Began: time.Now()}, Request: q, Unsent: much}
		}
		teller(c).asked(q)
		answered := listens(c.player)
		x := c.paced(ctx, q, c.run.Do(ctx, q))
		answered()
		if c.run.IsTarget(q.URL) && !x.Ours && ctx.Err() == nil {
			c.run.slots.Answered(x.Took, x.Status == 0 || x.Status == http.StatusTooManyRequests || x.Status == http.StatusServiceUnavailable)
		}
		c.weight.Take(ctx, x.Body, x.Held)
		c.noticedLoss(q)
		c.rec.Exchange(x)
		c.asked(q, x.Status, x.Ours)
		if c.run.IsTarget(q.URL) && !x.Ours && ctx.Err() == nil {
			c.contact.Note(q, target.Whole(x), x.Problem)
		}
		c.noticed(x)
		if again := c.again(ctx, x); again != nil {
			q, left = again, left+1
			continue
		}
		if other := c.run.RefusedMedia(q, x.Status); other != nil {
			second := c.exchange(ctx, other)
			if target.InPlace(x.Status, second.Status) &&
				(x.Status < 500 || c.run.BreaksOnMedia(c.exchange(ctx, q.Steady()).Status)) {
				return second
			}
		}
		if other := target.RefusedEmpty(q, x.Status); other != nil {
			if second := c.exchange(ctx, other); target.TakesEmptyObject(second.Status) {
				return second
			}
		}
		c.run.TookMedia(q, x.Status)
		next := q.Redirected(x)
		if next == nil || left <= 0 && !c.addsASlash(q, next) {
			return x
		}
		q = next
	}
}

// addsASlash says whether a redirect leads to what was asked for in the form that the target serves it in: with a slash at the end of the path.
// A target of such a profile has that form judged once, and not by whoever asks for something there.
func (c caller) addsASlash(q, next *target.Request) bool {
	if !c.run.Profile.Slashes || q.Raw || q.First != nil {
		return false
	}
	path, query, _ := strings.Cut(q.URL, "?")
	led, asked, _ := strings.Cut(next.URL, "?")
	return led == path+"/" && asked == query && next.Method == q.Method
}

const tooOften = "too-many-requests"

// paced sends a request once more that was refused because the run asks too often, when the target allows it (Retry-After), and more slowly
// where it is refused again. Where that does not help either nothing is known of what was asked.
func (c caller) paced(ctx context.Context, q *target.Request, x *target.Exchange) *target.Exchange {
	for off := (target.PutOff{}); target.PutsOff(&c.run.Target, q, x.Status); {
		c.rec.Exchange(x)
		if !putOff(ctx, c.player, &off, x.Header) {
			x.Unsent = refusedAsTooFast()
			return x
		}
		x = c.run.Do(ctx, q)
	}
	c.run.slots.Few(fewPaced(c.run.Client.Pace()))
	return x
}

// putOff waits until a request that was refused may go out again. false: not at all.
func putOff(ctx context.Context, p *player, off *target.PutOff, header http.Header) bool {
	wait, again := off.Again(&p.run.Target, header)
	p.run.slots.Few(fewPaced(p.run.Client.Pace()))
	return again && p.pause(ctx, wait)
}

func refusedAsTooFast() *report.Reason {
	return &report.Reason{Code: tooOften, Detail: "the target refuses requests that come too fast (429), also after Retry-After and when they come more slowly; spare it with --rate-limit",
		Cause: "the target refuses requests that come too fast (429)"}
}

// header puts a request's header together: the suite's, what the operator sends with every request, the credentials,
// and over all of them what the step itself says.
func (c caller) header(step *suites.Step, own []suites.Header, q *target.Request) ([]suites.Header, error) {
	var usual []suites.Header
	if len(q.Body) > 0 { // nothing is no JSON, and is not called so
		usual = append(usual, target.JSONContent)
	}
	return c.headerOver(usual, step, own, q)
}

// headerOver is header with what the form of the request asks for. What the operator gives is sent as it is.
func (c caller) headerOver(usual []suites.Header, step *suites.Step, own []suites.Header, q *target.Request) ([]suites.Header, error) {
	var all []suites.Header
	if c.test.Suite != nil {
		all = append(all, c.test.Suite.Header...)
	}
	for _, h := range usual {
		all = append(target.WithoutHeader(all, h.Name), h)
	}
	all, err := c.expandHeader(all)
	if err != nil {
		return nil, err
	}
	given := c.run.OwnHeader(q.URL, q.Identity)
	for _, h := range given {
		all = target.WithoutHeader(all, h.Name)
	}
	own, err = c.expandHeader(own)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(target.Override(append(all, given...), c.run.WithLogin(own)), func(h suites.Header) bool { return h.Drop }), nil
}

// body is what a request carries; nil when nothing.
func (n *namer) body(b suites.Body) ([]byte, error) {
	switch {
	case b.Given:
		v, err := n.expand(b.JSON)
		if err != nil {
			return nil, err
		}
		return jsontext.Marshal(target.WithCues(v))
	case b.Text != nil:
		return suites.ExpandBody(*b.Text, n.lookup)
	case b.Base64 != "":
		text, err := n.expandString(b.Base64)
		if err != nil {
			return nil, err
		}
		return base64.StdEncoding.DecodeString(text)
	}
	return nil, nil
}
