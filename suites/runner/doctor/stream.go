// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// maxPatience is how long a stream may stay silent before the task is ended to see what comes then. stillOpen is how
// long it must stay open behind its first event to be called live.
const (
	maxPatience = 5 * time.Second
	stillOpen   = 250 * time.Millisecond
)

// maxWatched is how many bytes of a stream are read.
const maxWatched = 4 << 20

// unbuffer says what to set so that events pass as they come.
const unbuffer = "let the executor flush every event, and every proxy pass it on as it comes: nginx proxy_buffering off, or X-Accel-Buffering: no on the answer; Apache flushpackets=on; " +
	"Envoy no buffer filter; Cloudflare no response buffering; API gateways and CDNs that collect answers have to be gone around"

// unzip says what to set so that compression does not hold events back.
const unzip = "take text/event-stream out of what the proxy compresses (nginx gzip_types; Cloudflare: Cache-Control: no-transform on the answer)"

// streams starts a task, watches it, and ends it: what arrives before the end is live, and what arrives only then was
// held back by something in between. No clock decides that, but the order of things.
func (d *doctor) streams(ctx context.Context) bool {
	if d.Card == nil {
		d.note("stream", "not checked: there is no card that declares streaming")
		return true
	}
	if !d.Card.Declares("streaming") {
		d.note("stream", "not checked: the card does not declare streaming")
		return true
	}
	id, state, why := d.startTask(ctx)
	if id == "" {
		d.say("stream", Warning, "not checked: no task could be started: "+why, "")
		return true
	}
	address := target.Join(d.Place.API, "tasks/"+url.PathEscape(id))
	end := d.PlainGet(address+"/cancel", "instance")
	end.Method = http.MethodPost
	subscribe := d.PlainGet(address+"/subscribe", "instance")
	subscribe.Route = "GET .../tasks/{id}/subscribe"
	return d.watchTask(ctx, state, subscribe, d.PlainGet(address, "instance"), end)
}

// watchTask watches the stream of a task that is in a state, looks whether the task is still open where none comes, and
// ends it.
func (d *doctor) watchTask(ctx context.Context, state string, subscribe, look, end *target.Request) bool {
	cancelled := false
	cancel := func() {
		if cancelled {
			return
		}
		cancelled = true
		end.Limit = target.CancelTime
		x := d.Send(context.WithoutCancel(ctx), end)
		if other := target.RefusedEmpty(end, x.Status); other != nil {
			d.Send(context.WithoutCancel(ctx), other)
		}
	}
	defer cancel()
	if readers.IsFinal(state) {
		d.note("stream", "not checked: the task has ended at once, and a stream of it would end with its first event")
		return true
	}
	patience := min(d.limits.Request, maxPatience)
	watching, leave := context.WithCancel(ctx)
	defer leave()
	plain := openWatch(watching, d.Client, subscribe, "")
	zipped := openWatch(watching, d.Client, subscribe, "gzip")
	plain.await(ctx, plain.first, patience)
	if plain.has(plain.first) {
		plain.await(ctx, plain.ended, stillOpen)
	}
	zipped.await(ctx, zipped.first, patience)
	before, zippedBefore := plain.seen(), zipped.seen()
	if before.events == 0 {
		task := readers.Task(jsontext.Parse(d.Send(ctx, look).Body))
		if state, _ := readers.Member(task, "state").(string); readers.IsFinal(state) || state == "input-required" || state == "auth-required" {
			d.notAtWork(state)
			return true
		}
	}
	cancel()
	plain.await(ctx, plain.ended, patience)
	if ctx.Err() != nil {
		return false
	}
	d.judgeStream(subscribe, before, plain.seen(), patience)
	if before.status == http.StatusOK && before.events > 0 {
		d.judgeCompressed(zippedBefore)
	}
	return true
}

// judgeStream compares what had come while the task was open with what came once it had ended.
func (d *doctor) judgeStream(subscribe *target.Request, before, after watched, patience time.Duration) {
	waited := "for " + shortly(patience)
	status := max(before.status, after.status)
	switch {
	case status == 0 && after.problem != "":
		d.say("stream", Failing, "no answer to the subscription: "+after.problem, "a proxy may cut answers that take long, or hold them back; "+unbuffer)
	case status == 0:
		d.say("stream", Failing, "nothing came "+waited+", and nothing when the task was cancelled either", unbuffer)
	case status != http.StatusOK:
		d.say("stream", Failing, fmt.Sprintf("%s: status is %d", subscribe.Route, status), "does the proxy pass the path on, and the header Accept: text/event-stream?")
	case !strings.HasPrefix(strings.ToLower(after.header.Get("Content-Type")), "text/event-stream"):
		d.say("stream", Failing, "the answer to the subscription is no event stream: "+plaintext.Brief(after.header.Get("Content-Type")), "")
	case before.events > 0 && !before.over:
		d.well("stream", "live: the header came after %s and the first event after %s, while the task was still open", shortly(before.headedAt), shortly(before.firstAt))
	case before.events > 0:
		d.say("stream", Warning, fmt.Sprintf("the task ended by itself, and its %d events came within %s of the end: whether they are held back cannot be told",
			before.events, shortly(before.endedAt-before.firstAt)), "")
	case before.status == 0 && after.events > 0:
		d.say("stream", Failing, "buffered: nothing came "+waited+", and header and events at once when the task was cancelled", unbuffer)
	case after.events > 1 || after.events == 1 && !readers.IsFinal(after.firstState):
		d.say("stream", Failing, "buffered: the header came, but no event "+waited+", and all of them at once when the task was cancelled", unbuffer)
	default:
		d.say("stream", Warning, fmt.Sprintf("the header came after %s, but no event before the task was cancelled, and %d then", shortly(before.headedAt), after.events),
			"the executor sends a subscriber nothing at first, or something in between holds it back; "+unbuffer)
	}
	if length := after.header.Get("Content-Length"); status == http.StatusOK && length != "" {
		d.say("stream", Failing, "the stream has a Content-Length, so something has waited for its end", unbuffer)
	}
}

// judgeCompressed says what became of the stream for a client that takes gzip, as browsers do.
func (d *doctor) judgeCompressed(before watched) {
	encoding := before.header.Get("Content-Encoding")
	switch {
	case before.status != http.StatusOK:
		d.note("compression", "a second stream of the task, for a client that takes gzip, did not come: %s", target.Answered(&target.Exchange{Exchange: wire.Exchange{Status: before.status, Problem: before.problem}}))
	case encoding == "" && before.events > 0:
		d.well("compression", "the stream comes as it is, also for a client that takes gzip")
	case before.events == 0:
		d.say("compression", Failing, fmt.Sprintf("for a client that takes gzip the stream is encoded (%q), and no event came while the task was open", plaintext.Brief(encoding)), unzip)
	default:
		d.say("compression", Warning, fmt.Sprintf("for a client that takes gzip the stream is encoded (%q); the first event came through", plaintext.Brief(encoding)), unzip)
	}
}

// startTask sends the plainest message there is, in the usual form and, where that is refused, bare.
func (d *doctor) startTask(ctx context.Context) (id, state, why string) {
	message := map[string]any{"messageId": uuid.Must(uuid.NewV7()).String(), "contextId": uuid.NewString(), "role": "user",
		"parts": []any{map[string]any{"kind": "text", "text": "hello from the conformance doctor"}}}
	q := d.PlainGet(target.Join(d.Place.API, "messages:send"), "instance")
	q.Method = http.MethodPost
	q.Header = append(target.WithoutHeader(q.Header, "Content-Type"), target.JSONContent)
	var err error
	if q.Body, err = jsontext.Marshal(map[string]any{"message": message, "configuration": map[string]any{"blocking": false}}); err != nil {
		return "", "", err.Error()
	}
	x := d.Send(ctx, q)
	if target.RefusedForm(x.Status) {
		x = d.Send(ctx, q.Unwrapped())
	}
	if x.Status < 200 || x.Status > 299 {
		return "", "", fmt.Sprintf("POST %s: %s", q.URL, target.Answered(x))
	}
	task := readers.Task(jsontext.Parse(x.Body))
	if id, _ = readers.Member(task, "id").(string); id == "" {
		return "", "", fmt.Sprintf("the answer to POST %s names no task", q.URL)
	}
	state, _ = readers.Member(task, "state").(string)
	return id, state, ""
}

// A watch is a stream that is being read.
type watch struct {
	first, ended chan struct{} // closed when the first event, or the end, has come

	mu  sync.Mutex
	now watched
}

// watched is what a stream has shown so far; times count from the request.
type watched struct {
	status     int // 0: no header yet
	header     http.Header
	headedAt   time.Duration
	events     int
	firstAt    time.Duration
	firstState string // of the task, in the first event
	over       bool
	endedAt    time.Duration
	problem    string
}

// openWatch opens a stream and reads it in the background.
func openWatch(ctx context.Context, c *wire.Client, subscribe *target.Request, encoding string) *watch {
	w := &watch{first: make(chan struct{}), ended: make(chan struct{})}
	opened := *subscribe
	q := &opened
	q.Header = append(target.WithoutHeader(q.Header, "Accept"), suites.Header{Name: "Accept", Value: target.MediaEvents})
	if encoding != "" {
		q.Header = append(q.Header, suites.Header{Name: "Accept-Encoding", Value: encoding})
	}
	go func() {
		defer close(w.ended)
		began := time.Now()
		err := w.read(ctx, c, q, began)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.now.over, w.now.endedAt = true, time.Since(began)
		if err != nil && err != io.EOF {
			w.now.problem = wire.Why(err, q.Limit)
		}
	}()
	return w
}

func (w *watch) read(ctx context.Context, c *wire.Client, q *target.Request, began time.Time) error {
	answer, _, err := c.Send(ctx, &q.Request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	w.mu.Lock()
	w.now.status, w.now.header, w.now.headedAt = answer.StatusCode, answer.Header, time.Since(began)
	w.mu.Unlock()
	body := io.Reader(answer.Body)
	if asked := answer.Request != nil && answer.Request.Header.Get("Accept-Encoding") == "gzip"; !asked && strings.EqualFold(answer.Header.Get("Content-Encoding"), "gzip") {
		if body, err = gzip.NewReader(answer.Body); err != nil {
			return err
		}
	}
	body = io.LimitReader(body, maxWatched)
	reader := &assertions.EventReader{Limit: maxWatched}
	buffer := make([]byte, 32<<10)
	for {
		n, err := body.Read(buffer)
		events, _ := reader.Feed(buffer[:n])
		for _, e := range events {
			w.arrived(e, time.Since(began))
		}
		if err != nil {
			return err
		}
	}
}

func (w *watch) arrived(e assertions.Event, at time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now.events++
	if w.now.events > 1 {
		return
	}
	w.now.firstAt = at
	_, task := readers.Event(jsontext.Parse([]byte(e.Data)))
	w.now.firstState, _ = readers.Member(task, "state").(string)
	close(w.first)
}

func (w *watch) seen() watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// has says whether something has come.
func (w *watch) has(what chan struct{}) bool {
	select {
	case <-what:
		return true
	default:
		return false
	}
}

// await waits until something has come, the stream has ended, or the time is up.
func (w *watch) await(ctx context.Context, what chan struct{}, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-what:
	case <-w.ended:
	case <-timer.C:
	case <-ctx.Done():
	}
}
