// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/subjects"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// hookRefused is the reason to skip what needs a webhook where the target takes none that leads to this machine.
const hookRefused = "hook-refused"

// webhooks is the one listener of a run; every `listen` has a path of its own below it. It is opened when first needed.
type webhooks struct {
	mu        sync.Mutex
	server    *http.Server
	base      string
	problem   error
	receivers map[string]*receiver // by path; nil: nobody looks any more
	traffic   deliveries
	intake    intake
}

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
		if _, lent := s.run.Config.Hooks["webhook"]; lent {
			s.run.operator.failings.note("webhook", errors.New(o.Blocked))
			o.Unsent = hookFailed("webhook", o.Blocked)
		}
		return o
	}
	r := &receiver{player: s.player, name: do.Name, path: "/" + uuid.NewString(), status: do.Status, silent: do.Never,
		intake: &s.run.hooks.intake, gone: make(chan struct{}), began: time.Now(), changed: make(chan struct{})}
	s.run.hooks.register(r)
	s.receivers[do.Name] = r
	s.names.set(do.Name+".url", base+r.path)
	return o
}

// webhook is the address of the run's listener as the target can reach it, or why there is none.
func (r *run) webhook() (string, *report.Reason, error) {
	hook, lent := r.Config.Hooks["webhook"]
	if !lent && !target.IsLoopback(r.Place.Root) {
		reason := target.NoHook("webhook")
		return "", &reason, nil
	}
	address, _ := hook.Value.(string)
	if address == "" {
		address = cmp.Or(hook.URL, readers.MemberText(hook.Value, "url"))
	}
	base, err := r.hooks.open(address, readers.MemberText(hook.Value, "listen"))
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
	path := "/" + uuid.NewString()
	r.hooks.forget(path)
	return base + path
}

// open opens the listener, unless it is open already. address is how the target reaches it, as the operator gave it; at is
// where to listen when that is another address ("0.0.0.0:18080" behind a forwarded port), empty otherwise.
func (w *webhooks) open(address, at string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.server != nil || w.problem != nil {
		return w.base, w.problem
	}
	bind, outside, err := listenAddress(address)
	if err != nil {
		w.problem = err
		return "", err
	}
	listener, err := net.Listen("tcp", cmp.Or(at, bind))
	if err != nil && at == "" && !target.IsLoopback("http://"+bind) {
		err = fmt.Errorf("%w; where the target reaches this machine under an address that is not its own, say where to listen: webhook: {value: {url: %q, listen: \"0.0.0.0:PORT\"}}", err, address)
	}
	if err != nil {
		w.problem = err
		return "", err
	}
	if outside.Port() == "0" {
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		outside.Host = net.JoinHostPort(outside.Hostname(), port)
	}
	w.base = strings.TrimRight(outside.String(), "/")
	w.receivers = map[string]*receiver{}
	w.server = &http.Server{Handler: w, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, IdleTimeout: mostHookIdleTime,
		MaxHeaderBytes: mostHeaderBytes, ConnState: w.intake.follow,
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connectionKey{}, conn)
		}}
	go w.server.Serve(&bouncer{Listener: listener, intake: &w.intake, places: make(chan struct{}, mostSenders)})
	return w.base, nil
}

// listenAddress says where to listen, and how the target reaches that.
func listenAddress(given string) (bind string, outside *url.URL, err error) {
	if given == "" {
		given = "127.0.0.1:0"
	}
	if !strings.Contains(given, "://") {
		given = "http://" + given
	}
	u, err := url.Parse(given)
	if err != nil || u.Hostname() == "" {
		return "", nil, errors.New("the hook webhook is no address such as http://HOST:PORT")
	}
	port := u.Port()
	if port == "" {
		port = "0"
	}
	host := u.Hostname() // and no other address of this machine
	if target.IsLoopback(given) && net.ParseIP(host) == nil {
		host = "127.0.0.1"
	}
	// Behind a tunnel or TLS the outside port is not ours to open; an https address says nothing about where to listen.
	if u.Scheme == "https" {
		return "", nil, errors.New("the hook webhook must be an http address on this machine")
	}
	u.Host = net.JoinHostPort(u.Hostname(), port)
	u.RawQuery, u.Fragment = "", ""
	return net.JoinHostPort(host, port), u, nil
}

func (w *webhooks) register(r *receiver) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.receivers[r.path] = r
}

// forget ends a receiver. What still comes for it is taken, and not kept: an executor must not be made to try again.
func (w *webhooks) forget(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.receivers[path]; r != nil {
		close(r.gone)
		r.release()
	}
	w.receivers[path] = nil
}

// find finds the receiver whose name is part of a path: what the operator's proxy puts before it and what the executor
// puts behind it is for the suites to judge. own is the path of the receiver itself; empty: there is none.
func (w *webhooks) find(path string) (r *receiver, own string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for segment := range strings.SplitSeq(path, "/") {
		if r, known := w.receivers["/"+segment]; known {
			return r, "/" + segment
		}
	}
	return nil, ""
}

func (w *webhooks) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.server != nil {
		w.server.Close()
	}
}

// ServeHTTP hands a delivery to the receiver it is meant for. One that is never answered is taken when its test is over: an
// executor that delivers one after the other would have to wait for its own limit otherwise, and try again.
func (w *webhooks) ServeHTTP(answer http.ResponseWriter, got *http.Request) {
	if conn, is := got.Context().Value(connectionKey{}).(net.Conn); is {
		w.intake.begun(conn)
	}
	r, path := w.find(got.URL.EscapedPath())
	if lines(got.Header) > mostLines {
		if r != nil {
			r.missed()
		}
		w.intake.refuse(tooManyLines)
		answer.WriteHeader(http.StatusRequestHeaderFieldsTooLarge)
		return
	}
	if path == "" {
		http.NotFound(answer, got)
		return
	}
	status := 0
	w.traffic.begin()
	defer func() { w.traffic.end(path, status) }()
	if r == nil {
		io.Copy(io.Discard, io.LimitReader(got.Body, mostDelivery))
		status = http.StatusOK
		return
	}
	at := time.Now()
	body, done, err := w.intake.read(got.Body)
	if errors.Is(err, errTooMuch) {
		done()
		r.missed()
		answer.Header().Set("Connection", "close")
		status = http.StatusServiceUnavailable
		answer.WriteHeader(status)
		return
	}
	wanted, n := r.tookGuarded(got, body, err, at)
	done()
	if errors.Is(err, wire.ErrTooLong) {
		wanted = http.StatusRequestEntityTooLarge
	}
	if r.silent {
		select {
		case <-r.gone:
			wanted = http.StatusOK
		case <-got.Context().Done():
			r.left(n, time.Now())
			panic(http.ErrAbortHandler)
		}
	}
	status = wanted
	answer.WriteHeader(status)
}

// connectionKey is under which the context of a delivery has its connection.
type connectionKey struct{}

// tookGuarded is took, whose panic the HTTP server would swallow.
func (r *receiver) tookGuarded(got *http.Request, body []byte, problem error, at time.Time) (status, n int) {
	status, n = http.StatusInternalServerError, -1
	defer r.player.run.Guard("taking a delivery")
	return r.took(got, body, problem, at)
}
