// SPDX-License-Identifier: Apache-2.0

//go:build !nogrpc

package plain

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/anypb"
)

// ServesGRPC says whether this build serves the binding GRPC.
const ServesGRPC = true

// A grpcServer serves the operations of a server over gRPC.
type grpcServer struct {
	s        *Server
	url      string // as the card declares it
	listener net.Listener
	server   *grpc.Server
}

// openGRPC opens the port of gRPC, beside that of everything else.
func openGRPC(s *Server) (*grpcServer, error) {
	host, _, err := net.SplitHostPort(s.listener.Addr().String())
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	g := &grpcServer{s: s, listener: listener}
	options := []grpc.ServerOption{grpc.ForceServerCodec(asIs{}), grpc.MaxRecvMsgSize(longestBody), grpc.UnknownServiceHandler(g.handle)}
	scheme := "http://"
	if c := s.config.Certificate; c != nil {
		scheme = "https://"
		options = append(options, grpc.Creds(credentials.NewTLS(s.b.security.tls(&tls.Config{Certificates: []tls.Certificate{*c}, MinVersion: tls.VersionTLS12}))))
	}
	g.server = grpc.NewServer(options...)
	g.url = listener.Addr().String()
	if s.config.PublicURL != "" {
		g.url = s.config.PublicURL
	} else if s.config.Seed%2 == 0 || scheme == "https://" {
		g.url = scheme + g.url // both forms are in use
	}
	return g, nil
}

func (g *grpcServer) serve() error {
	if err := g.server.Serve(g.listener); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return err
	}
	return nil
}

func (g *grpcServer) shutdown(ctx context.Context) {
	defer context.AfterFunc(ctx, g.server.Stop)()
	g.server.GracefulStop()
}

// asIs leaves messages to us.
type asIs struct{}

// Marshal takes the bytes of a message.
func (asIs) Marshal(v any) ([]byte, error) { return v.([]byte), nil }

// Unmarshal gives the bytes of a message.
func (asIs) Unmarshal(data []byte, v any) error {
	*v.(*[]byte) = bytes.Clone(data)
	return nil
}

// Name is what the messages are.
func (asIs) Name() string { return "proto" }

// handle answers a call.
func (g *grpcServer) handle(_ any, stream grpc.ServerStream) error {
	full, _ := grpc.MethodFromServerStream(stream)
	service, method, _ := strings.Cut(strings.TrimPrefix(full, "/"), "/")
	c := &call{s: g.s, binding: BindingGRPC, op: g.s.b.grpc.finds(service, method)}
	if c.op == nil {
		return status.Error(codes.Unimplemented, "there is no such method")
	}
	var message []byte
	if err := stream.RecvMsg(&message); err != nil {
		return err
	}
	header := http.Header{}
	given, _ := metadata.FromIncomingContext(stream.Context())
	for name, lines := range given {
		for _, line := range lines {
			header.Add(name, line)
		}
	}
	c.r = (&http.Request{Method: http.MethodPost, URL: &url.URL{Path: full}, Header: g.s.b.grpc.reads(header)}).WithContext(stream.Context())
	return c.serveGRPC(stream, message)
}

// serveGRPC answers the call of a known method.
func (c *call) serveGRPC(stream grpc.ServerStream, message []byte) (err error) {
	defer func() {
		if trouble := recover(); trouble != nil {
			c.s.log.Error("bug: a handler panicked", "path", c.r.URL.Path, "panic", trouble)
			err = c.statusOf(fail(internal, panicked)).Err()
		}
	}()
	o, f := c.grpcOutcome(message)
	header := http.Header{}
	c.s.b.extensions.names(c, header)
	if f != nil {
		for name, lines := range f.header {
			header[name] = lines
		}
		stream.SetTrailer(metadataOf(header))
		return c.statusOf(f).Err()
	}
	if err := stream.SetHeader(metadataOf(header)); err != nil {
		return err
	}
	answers := methodTable[c.op.name].answers
	if o.stream == nil {
		return stream.SendMsg(toWire(answers, members(c.s.b.grpc.result(c, o.result))))
	}
	if o.stream.w != nil {
		defer c.s.unwatch(o.stream.w)
	}
	st := &eventStream{c: c}
	st.message = func(v any) {
		_ = stream.SendMsg(toWire(answers, members(c.s.b.grpc.item(c, v, st.sent)))) // the client may be gone
		st.sent++
	}
	st.run(o.stream)
	if ends := c.s.b.grpc.ends(c); ends != "OK" {
		return status.Error(codeNamed(ends), "the stream has ended")
	}
	return nil
}

func (c *call) grpcOutcome(message []byte) (outcome, *failure) {
	if f := c.s.b.security.authenticates(c); f != nil {
		return outcome{}, f
	}
	if f := c.s.b.versions.refuses(c); f != nil {
		return outcome{}, f
	}
	if f := c.admit(); f != nil {
		return outcome{}, f
	}
	params, unknown, err := fromWire(methodTable[c.op.name].takes, message)
	if err != nil {
		return outcome{}, fail(malformed, err.Error())
	}
	c.params = params
	if len(unknown) > 0 {
		if f := c.s.b.grpc.unknown(c, unknown); f != nil {
			return outcome{}, f
		}
	}
	return c.perform()
}

// statusOf is an error as gRPC says it.
func (c *call) statusOf(f *failure) *status.Status {
	b := &c.s.b.grpc
	s := &spb.Status{Code: int32(codeNamed(b.code(c, f))), Message: c.s.b.errors.message(c, f)}
	for _, detail := range b.details(c, f, c.details(f)) {
		o := members(detail)
		kind, _ := o["@type"].(string)
		s.Details = append(s.Details, &anypb.Any{TypeUrl: kind, Value: toWire(kind[strings.LastIndex(kind, ".")+1:], o)})
	}
	return status.FromProto(s)
}

// codeNamed is a code by the name that the protocol gives it.
func codeNamed(name string) codes.Code {
	var code codes.Code
	if err := code.UnmarshalJSON([]byte(`"` + name + `"`)); err != nil {
		panic("bug: " + err.Error())
	}
	return code
}

// members are those of a value as JSON has them.
func members(v any) object {
	text, err := json.Marshal(v)
	if err != nil {
		panic("bug: " + err.Error())
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var o object
	if err := decoder.Decode(&o); err != nil {
		return object{} // a result that is no object cannot be said
	}
	return o
}

// metadataOf is a header as metadata.
func metadataOf(header http.Header) metadata.MD {
	md := metadata.MD{}
	for name, lines := range header {
		md.Append(name, lines...)
	}
	return md
}
