// SPDX-License-Identifier: Apache-2.0

//go:build !nogrpc

package a2agrpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// stream begins a call that is answered with a stream. Its answer is known with the first message: a server may refuse a
// call after it has sent its header.
func (c *Channels) stream(ctx context.Context, channel *grpc.ClientConn, method string, q *wire.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	began, err := channel.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, method)
	if err == nil {
		err = began.SendMsg(q.GRPC.Message)
		if errors.Is(err, io.EOF) {
			err = nil // the status comes with what is received
		}
	}
	if err == nil {
		err = began.CloseSend()
	}
	if err != nil {
		defer cancel()
		return callRefused(ctx, err, nil, nil)
	}
	m := &messages{ctx: ctx, cancel: cancel, stream: began, operation: q.GRPC.Operation, next: make(chan message)}
	headed := make(chan struct{})
	go m.receive(headed)
	var silent <-chan time.Time
	for {
		select {
		case first := <-m.next:
			header, _ := began.Header()
			if first.err != nil && !errors.Is(first.err, io.EOF) {
				defer cancel()
				return callRefused(ctx, first.err, header, began.Trailer())
			}
			m.begin(first)
			return m.answer(header), nil
		case <-headed:
			headed = nil
			timer := time.NewTimer(firstMessage)
			defer timer.Stop()
			silent = timer.C
		case <-silent:
			header, _ := began.Header()
			return m.answer(header), nil
		case <-ctx.Done():
			defer cancel()
			return nil, ctx.Err()
		}
	}
}

// A message is one of a stream, or why there is no further one.
type message struct {
	bytes []byte
	err   error
}

// messages are those of a stream, as an event stream that can be read.
type messages struct {
	ctx       context.Context
	cancel    context.CancelFunc
	stream    grpc.ClientStream
	operation string
	next      chan message
	text      []byte // what is to be read before the next one
	over      error  // nil: there may be more
}

// receive hands on what comes, until nobody reads it any more.
func (m *messages) receive(headed chan<- struct{}) {
	if header, err := m.stream.Header(); err == nil && header != nil {
		close(headed)
	}
	for {
		var one message
		one.err = m.stream.RecvMsg(&one.bytes)
		select {
		case m.next <- one:
		case <-m.ctx.Done():
			return
		}
		if one.err != nil {
			return
		}
	}
}

func (m *messages) answer(header map[string][]string) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Proto: "gRPC", Status: "stream", Header: headerOf(header), Body: m}
}

// begin takes a message apart.
func (m *messages) begin(one message) {
	switch {
	case errors.Is(one.err, io.EOF):
		m.over = io.EOF
	case one.err != nil:
		s := status.Convert(one.err)
		if m.over = unanswered(m.ctx, s); m.over == nil {
			name, _ := readers.GRPCCode(int(s.Code()))
			m.over = fmt.Errorf("the stream ended with %s: %s", name, s.Message())
		}
	default:
		r := fromProtobuf(m.operation, one.bytes)
		if r.problem != nil {
			r.text = []byte("a message that is no StreamResponse: " + r.problem.Error())
		}
		m.text = append(append(append(m.text, "data: "...), r.text...), "\n\n"...)
	}
}

// Read gives the next part of the stream.
func (m *messages) Read(b []byte) (int, error) {
	for len(m.text) == 0 {
		if m.over != nil {
			return 0, m.over
		}
		select {
		case one := <-m.next:
			m.begin(one)
		case <-m.ctx.Done():
			return 0, m.ctx.Err()
		}
	}
	n := copy(b, m.text)
	m.text = m.text[n:]
	return n, nil
}

// Close ends the call.
func (m *messages) Close() error {
	m.cancel()
	return nil
}
