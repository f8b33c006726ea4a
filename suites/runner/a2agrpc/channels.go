// SPDX-License-Identifier: Apache-2.0

//go:build !nogrpc

package a2agrpc

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "google.golang.org/genproto/googleapis/rpc/errdetails" // the details of errors can be read
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// Driven says whether this build sends operations over gRPC.
const Driven = true

// Bounds of one call.
const (
	// longestCall is the deadline of a stream, which steps end long before.
	longestCall = time.Hour
	// firstMessage is how long a stream that has begun may be silent before it counts as begun without a message. Until
	// then its first message, or its end, says whether the call was refused.
	firstMessage = time.Second
	// longestMessage is that of an answer: one byte more than servers of the same library take, so that what the library
	// says of either can be told apart.
	longestMessage = wire.MaxBody + 1
)

// Channels are the connections over which gRPC calls are sent, one for each address.
type Channels struct {
	tls     *tls.Config // nil: the defaults
	connect time.Duration

	mu  sync.Mutex
	all map[string]*grpc.ClientConn
}

// NewChannels makes connections, over TLS as tls says, each within the time that connect is.
func NewChannels(tls *tls.Config, connect time.Duration) *Channels {
	return &Channels{tls: tls, connect: connect, all: map[string]*grpc.ClientConn{}}
}

// to is the channel to an address, over TLS where its scheme says so. It connects with the first call.
func (c *Channels) to(address *url.URL) (*grpc.ClientConn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := address.Scheme + "://" + address.Host
	if known := c.all[key]; known != nil {
		return known, nil
	}
	secured := insecure.NewCredentials()
	if address.Scheme == "https" {
		config := &tls.Config{MinVersion: tls.VersionTLS12}
		if c.tls != nil {
			config = c.tls.Clone()
		}
		secured = credentials.NewTLS(config)
	}
	made, err := grpc.NewClient("passthrough:///"+address.Host, grpc.WithTransportCredentials(secured), grpc.WithUserAgent(wire.UserAgent),
		grpc.WithDisableRetry(), grpc.WithDisableServiceConfig(), grpc.WithMaxHeaderListSize(wire.MaxHeader), grpc.WithStatsHandler(arrivals{}),
		grpc.WithConnectParams(grpc.ConnectParams{MinConnectTimeout: c.connect,
			Backoff: backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.5, MaxDelay: time.Second}}),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(bare{}), grpc.MaxCallRecvMsgSize(longestMessage)))
	if err != nil {
		return nil, err
	}
	c.all[key] = made
	return made, nil
}

// Close ends the connections.
func (c *Channels) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, channel := range c.all {
		_ = channel.Close()
	}
	c.all = map[string]*grpc.ClientConn{}
}

// bare leaves messages as they are: what is in them is read where its size is known.
type bare struct{}

// Marshal takes the bytes of a message.
func (bare) Marshal(v any) ([]byte, error) { return v.([]byte), nil }

// Unmarshal gives the bytes of a message.
func (bare) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = append([]byte(nil), data...)
	return nil
}

// Name is empty, so that the content type is application/grpc, which every server knows.
func (bare) Name() string { return "" }

// arrivals notes in the context of a call that the other side has ended it: a status that nobody sent is none.
type arrivals struct{}

type endedKey struct{}

// TagRPC leaves the context alone.
func (arrivals) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC notes the trailer.
func (arrivals) HandleRPC(ctx context.Context, s stats.RPCStats) {
	if _, is := s.(*stats.InTrailer); is {
		if ended, is := ctx.Value(endedKey{}).(*atomic.Bool); is {
			ended.Store(true)
		}
	}
}

// TagConn leaves the context alone.
func (arrivals) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn does nothing.
func (arrivals) HandleConn(context.Context, stats.ConnStats) {}

// Send makes a call, and shows its answer in the form in which those of other bindings come: the status is the one that
// HTTP has for the code of gRPC, the header is the metadata, and the body is ProtoJSON: the message, an error object, or an
// event stream.
func (c *Channels) Send(ctx context.Context, q *wire.Request) (*http.Response, time.Time, error) {
	address, err := url.Parse(q.URL)
	if err != nil {
		return nil, time.Time{}, err
	}
	channel, err := c.to(address)
	if err != nil {
		return nil, time.Time{}, err
	}
	ctx = metadata.NewOutgoingContext(ctx, metadataOf(q.Header))
	ctx = context.WithValue(ctx, endedKey{}, new(atomic.Bool))
	began := time.Now()
	if IsStreaming(q.GRPC.Operation) {
		answer, err := c.stream(ctx, channel, address.Path, q)
		return answer, began, err
	}
	var message []byte
	var header, trailer metadata.MD
	err = channel.Invoke(ctx, address.Path, q.GRPC.Message, &message, grpc.Header(&header), grpc.Trailer(&trailer))
	if err != nil {
		answer, err := callRefused(ctx, err, header, trailer)
		return answer, began, err
	}
	return callAnswered(fromProtobuf(q.GRPC.Operation, message), header, trailer), began, nil
}

// metadataOf is a header as metadata. What belongs to the transport is not for us to say.
func metadataOf(header []suites.Header) metadata.MD {
	md := metadata.MD{}
	for _, h := range header {
		if IsTransportHeader(h.Name) {
			continue
		}
		md.Append(h.Name, h.Value)
	}
	return md
}

// callAnswered is the answer to a call that was processed.
func callAnswered(r reading, header, trailer metadata.MD) *http.Response {
	said := "0 OK"
	if r.problem != nil {
		said += ", and what came is no such message: " + r.problem.Error()
	}
	return &http.Response{StatusCode: http.StatusOK, Proto: "gRPC", Status: said, Header: headerOf(header, trailer),
		Body: io.NopCloser(strings.NewReader(string(r.text)))}
}

// callRefused is the answer to a call that failed; an error, when it was not the other side that ended it.
func callRefused(ctx context.Context, err error, header, trailer metadata.MD) (*http.Response, error) {
	s := status.Convert(err)
	if err := unanswered(ctx, s); err != nil {
		return nil, err
	}
	name, http10 := readers.GRPCCode(int(s.Code()))
	e := map[string]any{"code": int(s.Code()), "status": name, "message": s.Message()}
	if details := detailsOf(s); len(details) > 0 {
		e["details"] = details
	}
	text, err := jsontext.Marshal(map[string]any{"error": e})
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http10, Proto: "gRPC", Status: fmt.Sprintf("%d %s", s.Code(), name),
		Header: headerOf(header, trailer), Body: io.NopCloser(strings.NewReader(string(text)))}, nil
}

// unanswered is why a call has no answer; nil when it has one: a status that the other side sent.
func unanswered(ctx context.Context, s *status.Status) error {
	if s.Code() == codes.ResourceExhausted {
		if !strings.Contains(s.Message(), fmt.Sprintf(" vs. %d)", longestMessage)) {
			return nil // the other side has no room
		}
		return wire.ErrAnswerTooLong
	}
	if ended, is := ctx.Value(endedKey{}).(*atomic.Bool); is && ended.Load() {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	switch s.Code() {
	case codes.DeadlineExceeded:
		return context.DeadlineExceeded
	case codes.Canceled:
		return context.Canceled
	case codes.Unavailable, codes.Internal:
		return plainly(s.Message())
	}
	return nil // what the library makes of an HTTP status
}

// plainly is why there is no connection, without what the library says around it.
func plainly(message string) error {
	for _, known := range []struct{ part, says string }{
		{"connection refused", "connection refused"},
		{"connection reset", "the connection was reset"},
		{"no such host", "no address for the host"},
		{"first record does not look like a TLS handshake", wire.TLSProblem + "the other side does not speak TLS"},
		{"missing selected ALPN property", wire.TLSProblem + "the other side does not agree on h2 (ALPN)"},
		{"certificate signed by unknown authority", wire.TLSProblem + "certificate signed by unknown authority; --cacert names a file with the authority to trust"},
	} {
		if strings.Contains(message, known.part) {
			return fmt.Errorf("%s", known.says)
		}
	}
	if at := strings.LastIndex(message, "authentication handshake failed: "); at >= 0 {
		return fmt.Errorf("%s%s", wire.TLSProblem, strings.Trim(message[at+len("authentication handshake failed: "):], `"`))
	}
	return fmt.Errorf("gRPC: %s", strings.TrimPrefix(message, "connection error: desc = "))
}

// detailsOf are the details of a status; one of a type that is not known here is shown as its bytes.
func detailsOf(s *status.Status) []any {
	var details []any
	for _, detail := range s.Proto().GetDetails() {
		var v any
		text, err := jsonOf(detail)
		if err == nil {
			err = json.Unmarshal(text, &v)
		}
		if err != nil {
			v = map[string]any{"@type": detail.GetTypeUrl(), "value": base64.StdEncoding.EncodeToString(detail.GetValue())}
		}
		details = append(details, v)
	}
	return details
}

// headerOf is metadata as a header; what is binary is shown as it stood on the wire.
func headerOf(all ...metadata.MD) http.Header {
	header := http.Header{}
	for _, md := range all {
		for name, lines := range md {
			for _, line := range lines {
				if strings.HasSuffix(name, "-bin") {
					line = base64.RawStdEncoding.EncodeToString([]byte(line))
				}
				name := textproto.CanonicalMIMEHeaderKey(name)
				header[name] = append(header[name], line)
			}
		}
	}
	return header
}
