// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A describer tells steps in words.
type describer struct {
	w     io.Writer
	words []*assertions.Word // that were used, apart from equals
}

// steps numbers the steps and says what each does, what it takes for granted, and what it accepts.
func (d *describer) steps(steps []*suites.Step, depth int) {
	for i, s := range steps {
		d.line(depth, "%d. %s%s", i+1, doing(s.Do), who(s))
		d.details(s.Do, depth+1)
		for _, skip := range s.SkipUnless {
			d.line(depth+1, "skipped as %s unless %s", skip.Reason, d.conditions(skip.Unless))
		}
		d.conditionLines(depth+1, "taken for granted (otherwise blocked)", s.Assume)
		d.conditionLines(depth+1, "accepted", s.Expect)
		for _, soft := range s.Softened {
			becomes := "warned of"
			if soft.Note {
				becomes = "noted"
			}
			d.conditionLines(depth+1, fmt.Sprintf("only %s when not so (ruling %s)", becomes, soft.Ruling), soft.Expect)
		}
		for _, k := range s.Keep {
			d.line(depth+1, "${%s} is its %s from here on", k.Name, k.Path)
		}
		if len(s.EnoughWhen) > 0 {
			d.line(depth+1, "nothing more is to be done when %s", d.conditions(s.EnoughWhen))
		}
	}
}

func (d *describer) line(depth int, format string, args ...any) {
	fmt.Fprintf(d.w, "%s%s\n", strings.Repeat("  ", depth), fmt.Sprintf(format, args...))
}

func (d *describer) conditionLines(depth int, what string, expectations []suites.Expectation) {
	for _, e := range expectations {
		d.line(depth, "%s: %s %s", what, e.Subject, d.value(e.Want))
	}
}

// who is the actor and the credentials, where they are not the suite's, and the time limit.
func who(s *suites.Step) string {
	text := ""
	if s.By != "" {
		text += ", by " + s.By
	}
	if s.As != "" {
		text += ", as " + s.As
	}
	if s.Within.Min > 0 {
		text += ", within " + span(s.Within)
	}
	return text
}

// watchedThings are what a watch looks at, in words.
var watchedThings = map[string]string{"answers": "answers", "streams": "event streams", "tasks": "tasks that answers, events and deliveries show",
	"deliveries": "deliveries to webhooks", "frames": "messages on terminal connections"}

// doing is the action in words.
func doing(do suites.Action) string {
	switch do := do.(type) {
	case suites.Request:
		return "send " + requestLine(do)
	case suites.Poll:
		text := fmt.Sprintf("send %s every %s", requestLine(do.Request), span(do.Every))
		switch {
		case do.Times > 0:
			return text + fmt.Sprintf(", %d times", do.Times)
		case do.For.Min > 0:
			return text + " for " + span(do.For)
		}
		return text + " until a condition holds"
	case suites.Stream:
		return "send " + requestLine(do.Request) + " and read its events" + streamEnd(do)
	case suites.Open:
		return "open a WebSocket to " + do.URL + offered(do)
	case suites.Send:
		return "send " + message(do)
	case suites.Type:
		return "type " + strconv.Quote(do.Text)
	case suites.Receive:
		return "read frames until one fits"
	case suites.Silence:
		return "wait " + span(do.For) + ", during which nothing may arrive"
	case suites.Close:
		if do.Wait {
			return "wait for the target to close the connection"
		}
		return fmt.Sprintf("close the connection with code %d", do.Code)
	case suites.Cut:
		if do.Mute {
			return "stay connected, but answer no Ping any more"
		}
		return "cut the connection without a goodbye"
	case suites.Listen:
		return "start a webhook receiver, ${" + do.Name + ".url}" + answering(do.Status)
	case suites.Await:
		if do.Name == "stream" {
			return "wait for the stream in the background"
		}
		return "wait for what the webhook receiver " + do.Name + " gets"
	case suites.Together:
		if do.AtOnce > 0 {
			return fmt.Sprintf("let %d clients do this, %d at a time", do.Clients, do.AtOnce)
		}
		return fmt.Sprintf("let %d clients do this at once", do.Clients)
	case suites.Hook:
		return "ask the operator's hook " + do.Name + with(do.With)
	case suites.Watch:
		return "look at all " + watchedThings[do.What] + " of the whole run, other tests' included"
	case suites.Use:
		return "do the shared steps " + do.Name
	}
	return do.Verb()
}

// details are the lines below the action: header, body, inner steps, the condition that ends it.
func (d *describer) details(do suites.Action, depth int) {
	switch do := do.(type) {
	case suites.Request:
		d.request(do, depth)
	case suites.Poll:
		d.request(do.Request, depth)
		d.conditionLines(depth, "until", do.Until)
	case suites.Stream:
		d.request(do.Request, depth)
		d.conditionLines(depth, "until", do.Until)
	case suites.Open:
		d.header(do.Header, depth)
	case suites.Receive:
		d.conditionLines(depth, "fits", do.Until)
	case suites.Silence:
		d.conditionLines(depth, "nothing with", do.Of)
	case suites.Await:
		d.conditionLines(depth, "until", do.Until)
	case suites.Watch:
		d.conditionLines(depth, "of which only those count with", do.Where)
	case suites.Together:
		d.steps(do.All(), depth)
	case suites.Use:
		d.steps(do.Steps, depth)
	}
}

func (d *describer) request(r suites.Request, depth int) {
	d.header(r.Header, depth)
	switch {
	case r.HasParams:
		d.line(depth, "params: %s", compact(r.Params))
	case r.Body.Given:
		d.line(depth, "body: %s", compact(r.Body.JSON))
	case r.Body.Text != nil:
		d.line(depth, "body: %s", strconv.Quote(*r.Body.Text))
	case r.Body.Base64 != "":
		d.line(depth, "body, in base64: %s", r.Body.Base64)
	}
	if r.Walk != "" {
		d.line(depth, "and follow the cursor %s to the end, at most %d pages", r.Walk, r.WalkMax)
		if len(r.WalkUntil) > 0 {
			d.line(depth, "or only until %s", d.conditions(r.WalkUntil))
		}
	}
}

func (d *describer) header(header []suites.Header, depth int) {
	for _, h := range header {
		if h.Drop {
			d.line(depth, "without the header %s", h.Name)
		} else {
			d.line(depth, "%s: %s", h.Name, h.Value)
		}
	}
}

// meanings explains the words that were used.
func (d *describer) meanings() {
	slices.SortFunc(d.words, func(a, b *assertions.Word) int { return strings.Compare(a.Name, b.Name) })
	for _, w := range d.words {
		fmt.Fprintf(d.w, "  %-16s %s\n", w.Name, w.Means)
	}
}
