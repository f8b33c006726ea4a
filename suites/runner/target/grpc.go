// SPDX-License-Identifier: Apache-2.0

package target

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/a2agrpc"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// grpcAddress is the address of a gRPC interface as a URL: cards say host:port, or a URL whose authority is used (AMB-27).
// Public hosts are asked over TLS, whatever the scheme (section 10.1); "" when it is no address.
func grpcAddress(declared string) string {
	given := declared
	if !strings.Contains(given, "://") {
		given = "//" + given
	}
	u, err := url.Parse(given)
	if err != nil || !isHost(u) {
		return ""
	}
	scheme, port := "http", "80"
	if u.Scheme == "https" || u.Scheme == "grpcs" || isPublic(declared) {
		scheme, port = "https", "443"
	}
	if u.Port() != "" {
		port = u.Port()
	}
	return scheme + "://" + net.JoinHostPort(u.Hostname(), port)
}

// isHost says whether a connection can be made to the host and port of a URL (RFC 3986 section 3.2.2): package url takes
// any text with colons for a host, and what percent escapes stand for.
func isHost(u *url.URL) bool {
	host := u.Hostname()
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
	}
	if strings.Contains(u.Host, "[") || strings.Contains(host, ":") {
		at, err := netip.ParseAddr(host)
		return err == nil && at.Is6() && at.Zone() == "" && strings.HasPrefix(u.Host, "[")
	}
	return host != "" && !strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune("\"%/<>?@[\\]^`{|}", r) })
}

// grpcForm is the operation as a call of gRPC (section 10). The body is what a person reads; what goes out is the message.
func (a *Agent) grpcForm(c *Call, q *Request) error {
	q.Method, q.URL = http.MethodPost, c.At.URL+"/"+a2agrpc.Service+"/"+c.Operation
	q.Route = a.Route(q.Method, q.URL, nil)
	params := c.Params
	if params == nil {
		params = map[string]any{}
	}
	var err error
	if q.Body, err = jsontext.Marshal(params); err != nil {
		return err
	}
	message, err := a2agrpc.Encode(c.Operation, params)
	q.GRPC = &wire.GRPCCall{Operation: c.Operation, Message: message}
	return asSkipped(err)
}

// AsMetadata is a header as it is sent with a gRPC call.
func AsMetadata(header []suites.Header) ([]suites.Header, error) {
	sent, err := a2agrpc.Metadata(header)
	return sent, asSkipped(err)
}

// asSkipped makes a reason to skip a test of what gRPC cannot say.
func asSkipped(err error) error {
	if no, is := errors.AsType[a2agrpc.Unsayable](err); is {
		return &Skipped{report.Reason{Code: "no-grpc-form", Detail: no.Error()}}
	}
	return err
}

// noGRPC is the reason not to judge over gRPC in a build that does not drive it.
var noGRPC = report.Reason{Code: "no-grpc", Detail: "the AgentCard declares an interface over gRPC, which this build does not drive; " +
	"a release does, and so does every build without the tag nogrpc"}

// IsGRPC says whether a request is a call of gRPC.
func (q *Request) IsGRPC() bool { return q.Call != nil && q.Call.At.Binding == readers.BindingGRPC }
