// SPDX-License-Identifier: Apache-2.0

//go:build !nogrpc

package a2agrpc

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// neverAnswers listens for calls that it never answers, until the test is over, and returns its address.
func neverAnswers(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{}) // not the end of the call's time, which the server is told and might answer before
	server := grpc.NewServer(grpc.ForceServerCodec(bare{}), grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error {
		<-over
		return nil
	}))
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	t.Cleanup(func() { close(over) })
	return listener.Addr().String()
}

func TestNobodyAnswersOverGRPC(t *testing.T) {
	t.Parallel()
	address := "127.0.0.1:1" // nobody listens there
	c := NewChannels(nil, 5*time.Second)
	defer c.Close()
	q := &wire.Request{URL: "http://" + address + "/lf.a2a.v1.A2AService/GetTask", GRPC: &wire.GRPCCall{Operation: "GetTask", Message: []byte{}}}
	if _, _, err := c.Send(t.Context(), q); err == nil || err.Error() != "connection refused" {
		t.Errorf("nobody listens: %v", err)
	}
	silent := neverAnswers(t)
	q.URL = strings.Replace(q.URL, address, silent, 1)
	within, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := c.Send(within, q); wire.Why(err, time.Second) != "no answer within 1s" {
		t.Errorf("nobody answers: %v", err)
	}
	plain := "https://" + silent
	q.URL = plain + "/lf.a2a.v1.A2AService/GetTask"
	if _, _, err := c.Send(t.Context(), q); err == nil || err.Error() != wire.TLSProblem+"the other side does not speak TLS" {
		t.Errorf("no TLS: %v", err)
	}
}

func FuzzFromProtobuf(f *testing.F) {
	task := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "t")
	f.Add("SendMessage", protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), task))
	f.Add("ListTasks", []byte{0x0a, 0x00})
	f.Add("GetExtendedAgentCard", []byte{0x42, 0x00})
	f.Fuzz(func(t *testing.T, operation string, message []byte) {
		if methodNamed(operation) == nil {
			return
		}
		if r := fromProtobuf(operation, message); r.problem == nil && jsontext.Parse(r.text) == nil {
			t.Errorf("%q became %q", message, r.text)
		}
	})
}
