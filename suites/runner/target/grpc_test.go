// SPDX-License-Identifier: Apache-2.0

package target

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// Cards say host:port or a URL (AMB-27). TLS is spoken where the card says so, and to everybody outside.
func TestAddressesOfGRPC(t *testing.T) {
	t.Parallel()
	for declared, want := range map[string]string{
		"127.0.0.1:5000":                "http://127.0.0.1:5000",
		"localhost:5000":                "http://localhost:5000",
		"http://127.0.0.1:5000/a2a":     "http://127.0.0.1:5000",
		"https://127.0.0.1:5000":        "https://127.0.0.1:5000",
		"grpc://agent:5000":             "http://agent:5000",
		"grpcs://agent:5000":            "https://agent:5000",
		"[::1]:5000":                    "http://[::1]:5000",
		"agent.internal":                "http://agent.internal:80",
		"agent.acme.com:5000":           "https://agent.acme.com:5000",
		"http://agent.acme.com":         "https://agent.acme.com:443",
		"https://agent.acme.com/grpc/x": "https://agent.acme.com:443",
		"":                              "",
		"/grpc":                         "",
		"http://":                       "",
		"a b:1":                         "",
		"127.0.0.1:x":                   "",
		"127.0.0.1:0":                   "",
		"127.0.0.1:65536":               "",
		"http://[::1]:5000/x":           "http://[::1]:5000",
		"https://[2001:db8::1]":         "https://[2001:db8::1]:443",
		"::":                            "", // without brackets the last colon would part a host of one colon from no port
		"::1":                           "",
		"::1:5000":                      "",
		"[::1":                          "",
		"[]":                            "",
		"[fe80::1%25eth0]:1":            "",
		"[:]:5000":                      "",
		"[127.0.0.1]:5000":              "",
		":5000":                         "",
		"a%00b:1":                       "",
		"a%2fb:1":                       "",
	} {
		if got := grpcAddress(declared); got != want {
			t.Errorf("%q is asked at %q, want %q", declared, got, want)
		}
	}
}

func TestHeadersAsMetadata(t *testing.T) {
	t.Parallel()
	got, err := AsMetadata([]suites.Header{{Name: "A2A-Version", Value: "1.0"}, {Name: "Accept", Value: "x/y"}, {Name: "Content-Type", Value: "x/y"},
		{Name: "Authorization", Value: "Bearer t"}, {Name: "grpc-timeout", Value: "1S"}})
	want := []suites.Header{{Name: "content-type", Value: "application/grpc"}, {Name: "a2a-version", Value: "1.0"}, {Name: "authorization", Value: "Bearer t"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := AsMetadata([]suites.Header{{Name: "A2A-Extensions", Value: "ü"}}); err == nil || !strings.Contains(err.Error(), "no printable ASCII") {
		t.Errorf("a value that metadata cannot have: %v", err)
	}
}

func FuzzAddressesOfGRPC(f *testing.F) {
	f.Add("host:1")
	f.Add("https://[::1]/x")
	f.Add("::")
	f.Fuzz(func(t *testing.T, declared string) {
		got := grpcAddress(declared)
		if got == "" {
			return
		}
		u, err := url.Parse(got)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("%q is asked at %q: %v", declared, got, err)
		}
		host, port, err := net.SplitHostPort(u.Host)
		if n, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil || n == 0 {
			t.Errorf("%q is asked at %q, which has no port: %v %v", declared, got, err, wrong)
		}
		if at, err := netip.ParseAddr(host); strings.Contains(host, ":") && (err != nil || !at.Is6()) {
			t.Errorf("%q is asked at %q, which has no host: %v", declared, got, err)
		}
		if again := grpcAddress(got); again != got && !isPublic(got) {
			t.Errorf("%q is asked at %q, and that at %q", declared, got, again)
		}
	})
}
