// SPDX-License-Identifier: Apache-2.0

// Package webhooks receives what a target delivers: one listener of a run, with a path of its own for each receiver. It keeps what
// came, within bounds, answers as it was told to, and knows whether more will come. What a delivery has to be is for suites to judge.
package webhooks

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

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// A Listener is the one listener of a run. It is opened when first needed.
type Listener struct {
	mu        sync.Mutex
	server    *http.Server
	base      string
	problem   error
	receivers map[string]*Receiver // by path; nil: nobody looks any more
	traffic   deliveries
	intake    intake
}

// New is a listener that takes no more in than there is room for in a budget.
func New(held *budget.Budget) *Listener {
	return &Listener{intake: intake{arriving: held.Part(maxArriving), kept: held.Part(maxKept)}}
}

// Open opens the listener, unless it is open already. address is how the target reaches it, as the operator gave it; at is
// where to listen when that is another address ("0.0.0.0:18080" behind a forwarded port), empty otherwise.
func (l *Listener) Open(address, at string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server != nil || l.problem != nil {
		return l.base, l.problem
	}
	bind, outside, err := listenAddress(address)
	if err != nil {
		l.problem = err
		return "", err
	}
	listener, err := net.Listen("tcp", cmp.Or(at, bind))
	if err != nil && at == "" && !target.IsLoopback("http://"+bind) {
		err = fmt.Errorf("%w; where the target reaches this machine under an address that is not its own, say where to listen: webhook: {value: {url: %q, listen: \"0.0.0.0:PORT\"}}", err, address)
	}
	if err != nil {
		l.problem = err
		return "", err
	}
	if outside.Port() == "0" {
		_, port, _ := net.SplitHostPort(listener.Addr().String())
		outside.Host = net.JoinHostPort(outside.Hostname(), port)
	}
	l.base = strings.TrimRight(outside.String(), "/")
	l.receivers = map[string]*Receiver{}
	l.server = &http.Server{Handler: l, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeaderBytes, ConnState: l.intake.follow,
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connectionKey{}, conn)
		}}
	go l.server.Serve(&bouncer{Listener: listener, intake: &l.intake, places: make(chan struct{}, maxSenders)})
	return l.base, nil
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

// Listen begins to receive, at a path of its own below the address of the listener, which is open.
func (l *Listener) Listen(t Terms) *Receiver {
	r := &Receiver{Terms: t, Path: "/" + uuid.NewString(), intake: &l.intake, gone: make(chan struct{}), began: time.Now(), changed: make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.receivers[r.Path] = r
	return r
}

// Discard is a new path of the listener, which is open. What comes there is taken, and not kept.
func (l *Listener) Discard() (path string) {
	path = "/" + uuid.NewString()
	l.Forget(path)
	return path
}

// Forget ends a receiver. What still comes for it is taken, and not kept: an executor must not be made to try again.
func (l *Listener) Forget(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.receivers[path]; r != nil {
		close(r.gone)
		r.release()
	}
	l.receivers[path] = nil
}

// find finds the receiver whose name is part of a path: what the operator's proxy puts before it and what the executor
// puts behind it is for the suites to judge. own is the path of the receiver itself; empty: there is none.
func (l *Listener) find(path string) (r *Receiver, own string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for segment := range strings.SplitSeq(path, "/") {
		if r, known := l.receivers["/"+segment]; known {
			return r, "/" + segment
		}
	}
	return nil, ""
}

// Close ends the listener, whatever is under way.
func (l *Listener) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server != nil {
		l.server.Close()
	}
}

// ServeHTTP hands a delivery to the receiver it is meant for. One that is never answered is taken when its test is over: an
// executor that delivers one after the other would have to wait for its own limit otherwise, and try again.
func (l *Listener) ServeHTTP(answer http.ResponseWriter, got *http.Request) {
	if conn, is := got.Context().Value(connectionKey{}).(net.Conn); is {
		l.intake.begun(conn)
	}
	r, path := l.find(got.URL.EscapedPath())
	if lines(got.Header) > maxLines {
		if r != nil {
			r.missed()
		}
		l.intake.refuse(tooManyLines)
		answer.WriteHeader(http.StatusRequestHeaderFieldsTooLarge)
		return
	}
	if path == "" {
		http.NotFound(answer, got)
		return
	}
	status := 0
	l.traffic.begin()
	defer func() { l.traffic.end(path, status) }()
	if r == nil {
		io.Copy(io.Discard, io.LimitReader(got.Body, maxDelivery))
		status = http.StatusOK
		return
	}
	at := time.Now()
	body, done, err := l.intake.read(got.Body)
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
	if r.Silent {
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

// opened says whether there has been a listener at all.
func (l *Listener) opened() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.server != nil
}
