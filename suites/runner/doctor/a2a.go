// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// agent finds the card of a plain A2A server, as a run does.
func (d *doctor) agent(ctx context.Context) bool {
	out := &report.Run{}
	stop := (&target.Preflight{Agent: &d.Agent, Out: out}).FindAgent(ctx)
	switch {
	case ctx.Err() != nil:
		return false
	case stop != nil:
		return d.stop(report.Unreachable, "card", strings.TrimPrefix(stop.Detail, "not measured: "), "")
	case d.Card == nil:
		d.say("card", Failing, d.Facts.CardFinding.Problem,
			"give the address of the agent, or that of its card; asked were "+strings.Join(target.CardAddresses(d.said.Target), " and "))
		return true
	}
	for _, found := range out.Preflight {
		if found.Subject == report.SubjectVersion {
			d.say("card", Failing, d.Facts.Older, "")
			return true
		}
	}
	d.declared = d.Send(ctx, d.PlainGet(d.CardURL, target.Anonymous)).Body
	c := d.Card
	d.well("card", "%q, version %q, SHA-256 %s, at %s", plaintext.Brief(c.Name), plaintext.Brief(c.Version), c.Digest, d.CardURL)
	return true
}

// principals asks each interface who is let in.
func (d *doctor) principals(ctx context.Context) bool {
	for _, e := range d.Endpoints {
		ask := func(identity string) *target.Exchange {
			return d.CallOf(ctx, &target.Call{Operation: "GetTask", At: e, Given: true, Params: map[string]any{"id": uuid.NewString()}}, identity)
		}
		own, nobody := ask("instance"), ask(target.Anonymous)
		if ctx.Err() != nil || !d.letIn(e, own, nobody) {
			return false
		}
	}
	return true
}

// letIn judges the answers of an interface to a question for a task that does not exist, with and without credentials.
func (d *doctor) letIn(e *target.Endpoint, own, nobody *target.Exchange) bool {
	given, with := true, "with the token"
	switch {
	case d.Token("instance") != "":
	case len(d.Config.Header) > 0:
		with = "with the headers that were given"
	default:
		given, with = false, "without credentials"
	}
	seen := fmt.Sprintf("GetTask of an unknown task over %s, %s: %s", e.Binding, with, target.Answered(own))
	if said := own.Header.Get("WWW-Authenticate"); own.Status == http.StatusUnauthorized && said != "" {
		seen += "; WWW-Authenticate: " + plaintext.Brief(said)
	}
	failure := target.FailureOf(&target.Call{At: e}, own.Status, jsontext.Parse(own.Body))
	switch denied := own.Status == http.StatusUnauthorized || own.Status == http.StatusForbidden; {
	case own.Status == 0:
		d.say("credentials", Failing, seen, fmt.Sprintf("the card declares %s: is that an address which clients can reach from here?", e.URL))
	case denied && given && !d.IsTarget(e.URL):
		return d.stop(report.Unauthorized, "credentials", seen, "the card names this interface at another origin, which was sent no credentials: --allow-host "+d.Allowing(e.URL)+" lets them go there")
	case denied && !given:
		return d.stop(report.Unauthorized, "credentials", seen, "give what the card asks for: --token-file, or --header for an API key")
	case denied:
		do := "are they credentials of this agent?"
		if own.Status == nobody.Status {
			do += " The answer is the same without them: a proxy may take the Authorization header away"
		}
		return d.stop(report.Unauthorized, "credentials", seen, do)
	case own.Status >= 300 && own.Status <= 399:
		return !d.redirected(own)
	case own.Status >= 502 && own.Status <= 504:
		d.say("credentials", Failing, seen, "a proxy answers, but cannot reach the agent behind it")
	case failure["json"] == nil:
		d.say("credentials", Failing, seen+", and the body is no error of A2A: "+target.Begins(own.Body),
			fmt.Sprintf("the card declares %s: is that right, and does every proxy pass on what is below it?", e.URL))
	case given && d.Card.Declares("security") && nobody.Status == own.Status:
		d.say("credentials", Warning, seen+", and the same without", "the card requires credentials, but the agent accepts requests without any; a run judges that")
	case failure["name"] != "TaskNotFound":
		d.say("credentials", Warning, seen+", and the error is not TaskNotFound",
			fmt.Sprintf("a run judges that; the card declares %s: is that right, and does every proxy pass on what is below it?", e.URL))
	case given:
		d.well("credentials", "%s, TaskNotFound; without, %s", seen, target.Answered(nobody))
	default:
		d.well("credentials", "%s, TaskNotFound", seen)
	}
	return true
}

// operationStreams starts a task by operations, watches it, and ends it.
func (d *doctor) operationStreams(ctx context.Context) bool {
	first := slices.IndexFunc(d.Endpoints, func(e *target.Endpoint) bool { return e.Binding != readers.BindingGRPC })
	switch {
	case d.Card == nil || first < 0:
		d.note("stream", "not checked: there is no interface over HTTP+JSON or JSONRPC to ask for one")
		return true
	case !d.Card.Declares("streaming"):
		d.note("stream", "not checked: the card does not declare streaming")
		return true
	}
	e := d.Endpoints[first]
	id, state, why := d.sendLongWork(ctx, e)
	switch {
	case ctx.Err() != nil:
		return false
	case id == "":
		d.say("stream", Warning, "not checked: no task could be started: "+why, "")
		return true
	case state != "submitted" && state != "working":
		d.notAtWork(state)
		return true
	}
	d.learnVerb(ctx, e)
	var about [3]*target.Request
	for i, operation := range []string{"SubscribeToTask", "GetTask", "CancelTask"} {
		var err error
		if about[i], err = d.Calling(&target.Call{Operation: operation, At: e, Given: true, Params: map[string]any{"id": id}}, "instance"); err != nil {
			d.say("stream", Warning, "not checked: "+err.Error(), "")
			return true
		}
	}
	return d.watchTask(ctx, state, about[0], about[1], about[2])
}

// notAtWork says that a task was not at work long enough for its stream to be watched.
func (d *doctor) notAtWork(state string) {
	do := ""
	if cue := d.Profile.LongWork; cue != "" {
		do = "a message that keeps the agent at work for some seconds can be configured: cues: {" + cue + ": \"...\"} in the configuration file"
	}
	d.say("stream", Note, fmt.Sprintf("not checked: the task is %s before it can be watched", state), do)
}

// sendLongWork sends the message that the operator has configured for long work, or the plainest one there is, and does not wait
// for its end.
func (d *doctor) sendLongWork(ctx context.Context, e *target.Endpoint) (id, state, why string) {
	words, err := d.Cue(d.Profile.LongWork)
	if err != nil {
		words, _ = d.Cue("ping")
	}
	message := map[string]any{"messageId": uuid.NewString(), "role": "ROLE_USER", "parts": []any{map[string]any{"text": words}}}
	c := &target.Call{Operation: "SendMessage", At: e, Given: true,
		Params: target.WithCues(map[string]any{"message": message, "configuration": map[string]any{"returnImmediately": true}})}
	q, err := d.Calling(c, "instance")
	if err != nil {
		return "", "", err.Error()
	}
	x := d.Send(ctx, q)
	if other := d.RefusedMedia(q, x.Status); other != nil {
		if second := d.Send(ctx, other); target.InPlace(x.Status, second.Status) {
			d.TookMedia(other, second.Status)
			x = second
		}
	}
	result := target.ResultOf(c, x.Status, jsontext.Parse(x.Body))
	task := readers.Task(result)
	if id, _ = readers.Member(task, "id").(string); id != "" {
		state, _ = readers.Member(task, "state").(string)
		return id, state, ""
	}
	if _, is := readers.Member(result, "message").(map[string]any); is {
		why = "the agent answers with a message alone"
		if cue := d.Profile.LongWork; cue != "" {
			why += "; a message that makes it work on a task can be configured: cues: {" + cue + ": \"...\"}"
		}
		return "", "", why
	}
	return "", "", fmt.Sprintf("SendMessage over %s: %s", e.Binding, target.Answered(x))
}

// learnVerb finds out with which verb the server knows subscriptions (AMB-01).
func (d *doctor) learnVerb(ctx context.Context, e *target.Endpoint) {
	q, err := d.Calling(&target.Call{Operation: "SubscribeToTask", At: e, Given: true, Params: map[string]any{"id": uuid.NewString()}}, "instance")
	if err != nil || e.Binding != "HTTP+JSON" {
		return
	}
	if x := d.Send(ctx, q); !target.NoRoute(q, x.Status, x.Body) {
		return
	}
	other := q.ByGet()
	if x := d.Send(ctx, other); target.HasRoute(other, x.Status, x.Body) {
		d.SubscribesByGet.Store(true)
	}
}
