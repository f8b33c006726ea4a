// SPDX-License-Identifier: Apache-2.0

//go:build !nogrpc

package runner

import (
	"bytes"
	"net"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// asBytes leaves messages as they are.
type asBytes struct{}

// Marshal takes the bytes of a message.
func (asBytes) Marshal(v any) ([]byte, error) { return v.([]byte), nil }

// Unmarshal gives the bytes of a message.
func (asBytes) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}

// Name is empty: the content type is application/grpc.
func (asBytes) Name() string { return "" }

// aGRPC serves whatever is called with one function, and returns its address.
func aGRPC(t *testing.T, answer func(method string, message []byte, stream grpc.ServerStream) error) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.ForceServerCodec(asBytes{}), grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		var message []byte
		if err := stream.RecvMsg(&message); err != nil {
			return err
		}
		method, _ := grpc.MethodFromServerStream(stream)
		return answer(method, message, stream)
	}))
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func overGRPC(address string) *a2aFake {
	return &a2aFake{card: `{"name":"n","capabilities":{"streaming":true},"supportedInterfaces":[{"url":"` + address +
		`","protocolBinding":"GRPC","protocolVersion":"1.0","tenant":"acme"}]}`}
}

// aTask is the field of a message that holds a Task with an id.
func aTask(id string) []byte {
	task := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), id)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), task)
}

// What an operation shows over gRPC, in the words in which suites ask for it.
func TestOperationsOverGRPC(t *testing.T) {
	t.Parallel()
	refuse := func(code codes.Code, reason string) error {
		s, err := status.New(code, "no").WithDetails(&errdetails.ErrorInfo{Reason: reason, Domain: "a2a-protocol.org"})
		if err != nil {
			t.Error(err)
		}
		return s.Err()
	}
	for name, row := range map[string]struct {
		answer func(method string, message []byte, stream grpc.ServerStream) error
		step   string
		want   string
	}{
		"a task": {func(_ string, _ []byte, stream grpc.ServerStream) error { return stream.SendMsg(aTask("t")) },
			`request: SendMessage, params: {message: {messageId: m}}, expect: {outcome: processed, result.task.id: t, status: 200}`, ""},
		"what is sent": {func(method string, message []byte, stream grpc.ServerStream) error {
			md, _ := metadata.FromIncomingContext(stream.Context())
			if method != "/lf.a2a.v1.A2AService/GetTask" || strings.Join(md.Get("a2a-version"), "") != "1.0" || md.Get("accept") != nil ||
				!strings.HasPrefix(strings.Join(md.Get("content-type"), ""), "application/grpc") ||
				!bytes.Equal(message, []byte("\n\x04acme\x12\x01t\x18\x00")) {
				return status.Errorf(codes.DataLoss, "%s %v %q", method, md, message)
			}
			return stream.SendMsg([]byte{})
		}, `request: GetTask, params: {id: t, historyLength: 0}, expect: {outcome: processed}`, ""},
		"a member that is not known": {func(_ string, message []byte, stream grpc.ServerStream) error {
			if !bytes.Contains(message, protowire.AppendString(protowire.AppendTag(nil, 1000, protowire.BytesType), `"x"`)) {
				return status.Errorf(codes.DataLoss, "%q", message)
			}
			return stream.SendMsg([]byte{})
		}, `request: GetTask, params: {id: t, unheardOf: x}, expect: {outcome: processed}`, ""},
		"what cannot be said": {nil, `request: GetTask, params: {id: t, historyLength: many}, expect: {outcome: processed}`, " no-grpc-form"},
		"both of a union": {nil, `request: SendMessage, params: {message: {parts: [{text: a, url: b}]}}, expect: {outcome: processed}`,
			" no-grpc-form"},
		"an error": {func(string, []byte, grpc.ServerStream) error {
			return refuse(codes.FailedPrecondition, "TASK_NOT_CANCELABLE")
		},
			`request: CancelTask, params: {id: t}, fails_with: TaskNotCancelable, expect: {failure.code: 9, failure.json.status: FAILED_PRECONDITION,
			 failure.domain: a2a-protocol.org, failure.message: "no", failure.status: 400}`, ""},
		"metadata": {func(_ string, _ []byte, stream grpc.ServerStream) error {
			stream.SetTrailer(metadata.Pairs("a2a-extensions", "https://x.example/1"))
			return stream.SendMsg([]byte{})
		}, `request: GetTask, params: {id: t}, expect: {header.A2A-Extensions: "https://x.example/1"}`, ""},
		"lists have what is required": {func(_ string, _ []byte, stream grpc.ServerStream) error { return stream.SendMsg([]byte{}) },
			`request: ListTasks, params: {}, expect: {result: {equals: {tasks: [], nextPageToken: "", pageSize: 0, totalSize: 0}}}`, ""},
		"the other side is not available": {func(string, []byte, grpc.ServerStream) error { return status.Error(codes.Unavailable, "later") },
			`request: GetTask, params: {id: t}, expect: {outcome: server, failure.code: 14}`, ""},
		"the other side has no room": {func(string, []byte, grpc.ServerStream) error {
			return status.Error(codes.ResourceExhausted, "grpc: received message larger than max (5000000 vs. 4194304)")
		}, `request: GetTask, params: {id: t}, expect: {outcome: client, failure.code: 8}`, ""},
		"no message of protobuf": {func(_ string, _ []byte, stream grpc.ServerStream) error { return stream.SendMsg([]byte("\xff\xff")) },
			`request: GetTask, params: {id: t}, expect: {result: {is_a: object}}`, "; : result is missing, want an object"},
		"a message that is too long": {func(_ string, _ []byte, stream grpc.ServerStream) error {
			return stream.SendMsg(aTask(strings.Repeat("x", wire.MaxBody+1)))
		}, `request: GetTask, params: {id: t}, expect: {result: {is_a: object}}`, "blocked"},
		"a message with too many fields": {func(_ string, _ []byte, stream grpc.ServerStream) error {
			return stream.SendMsg(bytes.Repeat([]byte{0x22, 0}, jsontext.MaxValues+1))
		}, `request: GetTask, params: {id: t}, expect: {result: {is_a: object}}`, "; : result is missing, want an object"},
		"a stream": {func(_ string, _ []byte, stream grpc.ServerStream) error {
			_ = stream.SendMsg(aTask("t"))
			return stream.SendMsg(aTask("u"))
		}, `stream: SendStreamingMessage, params: {message: {messageId: m}}, until: closed, expect: {outcome: processed, "events[0].item.task.id": t,
			"events[1].item.task.id": u, events: {length: 2}, closed.clean: true, closed.by: executor}`, ""},
		"a stream that is refused": {func(string, []byte, grpc.ServerStream) error { return refuse(codes.NotFound, "TASK_NOT_FOUND") },
			`stream: SubscribeToTask, params: {id: t}, until: closed, fails_with: TaskNotFound, expect: {events: {absent: true}}`, ""},
		"a stream that is refused after its header": {func(_ string, _ []byte, stream grpc.ServerStream) error {
			_ = stream.SendHeader(metadata.Pairs("x", "y"))
			return refuse(codes.NotFound, "TASK_NOT_FOUND")
		}, `stream: SubscribeToTask, params: {id: t}, until: closed, fails_with: TaskNotFound, expect: {events: {absent: true}}`, ""},
		"a stream that ends badly": {func(_ string, _ []byte, stream grpc.ServerStream) error {
			_ = stream.SendMsg(aTask("t"))
			return status.Error(codes.Canceled, "that is it")
		}, `stream: SendStreamingMessage, params: {message: {messageId: m}}, until: closed, expect: {closed.clean: true}`,
			"; : closed.clean is false, want true (the stream ended with CANCELLED: that is it)"},
		"a stream without a message": {func(string, []byte, grpc.ServerStream) error { return nil },
			`stream: SendStreamingMessage, params: {message: {messageId: m}}, until: closed, expect: {outcome: envelope, events: {length: 0}, closed.clean: true}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := aGRPC(t, func(method string, message []byte, stream grpc.ServerStream) error {
				// The preflight asks for a task whose id is a UUID.
				if len(message) > 40 && method == "/lf.a2a.v1.A2AService/GetTask" {
					return status.Error(codes.NotFound, "")
				}
				return row.answer(method, message, stream)
			})
			got, _ := playA2A(t, overGRPC(address), "tests:\n  - {id: T-1, test: one, must: m, steps: [{"+row.step+"}]}\n")
			want := "T-1 pass"
			switch {
			case row.want == "blocked":
				want = "T-1 blocked blocked"
			case strings.HasPrefix(row.want, ";"):
				want = "T-1 fail" + row.want
			case row.want != "":
				want = "T-1 skip" + row.want
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A watch sees streams of gRPC as it sees others: what their events carry, and what was asked with.
func TestStreamsOverGRPCAreWatched(t *testing.T) {
	t.Parallel()
	address := aGRPC(t, func(method string, message []byte, stream grpc.ServerStream) error {
		if strings.HasSuffix(method, "GetTask") {
			return status.Error(codes.NotFound, "")
		}
		_ = stream.SendMsg(aTask("t"))
		return stream.SendMsg(aTask("u"))
	})
	got, _ := playA2A(t, overGRPC(address), `tests:
  - {id: T-1, test: one, must: m, steps: [{stream: SendStreamingMessage, params: {message: {messageId: m}}, until: closed}]}
  - id: T-2
    test: two
    must: m
    last: true
    steps:
      - watch: streams
        where: {request.over: GRPC, request.operation: SendStreamingMessage, request.header.A2A-Version: "1.0", closed.by: executor}
        expect: {"events[*].item.task.id": {equals: [t, u]}}
`)
	if want := "T-1 pass\nT-2 pass"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Where nobody answers, there is no failure of the other side either.
