// SPDX-License-Identifier: Apache-2.0

package webhooks

import (
	"net"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/budget"
)

// The listener for webhooks is open at the address that the operator gave, and at no other of this machine.
func TestWhereWebhooksAreListenedFor(t *testing.T) {
	t.Parallel()
	for given, want := range map[string][2]string{
		"":                         {"127.0.0.1:0", "http://127.0.0.1:0"},
		"http://192.0.2.7:18080":   {"192.0.2.7:18080", "http://192.0.2.7:18080"},
		"192.0.2.7:18080":          {"192.0.2.7:18080", "http://192.0.2.7:18080"},
		"http://192.0.2.7/in?a#b":  {"192.0.2.7:0", "http://192.0.2.7:0/in"},
		"http://[2001:db8::7]:1":   {"[2001:db8::7]:1", "http://[2001:db8::7]:1"},
		"http://gate.example:1808": {"gate.example:1808", "http://gate.example:1808"},
		"http://localhost:1808":    {"127.0.0.1:1808", "http://localhost:1808"},
		"http://[::1]:1808":        {"[::1]:1808", "http://[::1]:1808"},
		"http://0.0.0.0:1808":      {"0.0.0.0:1808", "http://0.0.0.0:1808"}, // who says all gets all
	} {
		bind, outside, err := listenAddress(given)
		if err != nil || bind != want[0] || outside.String() != want[1] {
			t.Errorf("%q: listens at %q for %v, %v, want %q for %q", given, bind, outside, err, want[0], want[1])
		}
	}
	for _, given := range []string{"http://", ":18080", "https://192.0.2.7:18080", "http://a b"} {
		if bind, _, err := listenAddress(given); err == nil {
			t.Errorf("%q: listens at %q, want an error", given, bind)
		}
	}
}

// An address that is none of this machine is an error that says what to do, not a listener at all addresses.
func TestAnAddressOfAnotherMachineIsNotListenedAt(t *testing.T) {
	t.Parallel()
	var w Listener
	base, err := w.Open("http://192.0.2.7:0", "") // TEST-NET-1, RFC 5737
	if w.server != nil {
		defer w.server.Close()
	}
	if err == nil || !strings.Contains(err.Error(), `listen: "0.0.0.0:PORT"`) {
		t.Errorf("listens for %q, %v, want an error with what to do", base, err)
	}
	var forwarded Listener
	base, err = forwarded.Open("http://192.0.2.7:18080", "127.0.0.1:0")
	if err != nil || base != "http://192.0.2.7:18080" {
		t.Fatalf("behind a forwarded port: %q, %v", base, err)
	}
	forwarded.server.Close()
	// The same port of another address stays free; others on this machine may take it now and then.
	for range 5 {
		var own Listener
		if base, err = own.Open("127.0.0.2:0", ""); err != nil {
			t.Skipf("this machine has one loopback address only: %v", err)
		}
		_, port, _ := net.SplitHostPort(strings.TrimPrefix(base, "http://"))
		other, err := net.Listen("tcp", "127.0.0.1:"+port)
		own.server.Close()
		if err == nil {
			other.Close()
			return
		}
	}
	t.Errorf("a listener for %s takes the port at 127.0.0.1 as well", base)
}

func TestListenAddress(t *testing.T) {
	t.Parallel()
	for given, want := range map[string][2]string{
		"":                       {"127.0.0.1:0", "http://127.0.0.1:0"},
		"http://10.1.2.3:9000":   {"10.1.2.3:9000", "http://10.1.2.3:9000"},
		"ci.example:9000":        {"ci.example:9000", "http://ci.example:9000"},
		"http://ci.example/hook": {"ci.example:0", "http://ci.example:0/hook"},
		"http://127.0.0.1:9000/": {"127.0.0.1:9000", "http://127.0.0.1:9000/"},
		"http://[::1]:9000":      {"[::1]:9000", "http://[::1]:9000"},
	} {
		bind, outside, err := listenAddress(given)
		if err != nil || bind != want[0] || outside.String() != want[1] {
			t.Errorf("%q listens at %s as %s: %v", given, bind, outside, err)
		}
	}
	for _, given := range []string{"https://ci.example", "http://", "::"} {
		if _, _, err := listenAddress(given); err == nil {
			t.Errorf("%q is taken", given)
		}
	}
}

// A path is known as long as the listener is, whatever stands before and behind its name.
func TestPathsAreKnownWhenNobodyLooksAnyMore(t *testing.T) {
	t.Parallel()
	l := New(budget.Of(maxOfAll))
	l.receivers = map[string]*Receiver{}
	r := l.Listen(Terms{})
	if found, own := l.find("/before" + r.Path + "/behind"); found != r || own != r.Path {
		t.Errorf("found %v, %q", found, own)
	}
	l.Forget(r.Path)
	if found, own := l.find("/before" + r.Path + "/behind"); found != nil || own != r.Path {
		t.Errorf("found %v, %q", found, own)
	}
	if _, own := l.find("/y"); own != "" {
		t.Error("a path that nobody gave out is known")
	}
	select {
	case <-r.gone:
	default:
		t.Error("it is not told that it is gone")
	}
}

// What a receiver answers is said for the first deliveries, for every one, or not at all.
func TestWhatAReceiverAnswers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		terms Terms
		want  string
	}{
		"nothing said":  {Terms{}, "200 200 200"},
		"the first two": {Terms{Status: []int{500, 503}}, "500 503 200"},
		"every one":     {Terms{Always: 500}, "500 500 500"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			terms := row.terms
			terms.Guard = func(string) {}
			_, address := receiving(t, terms)
			var got []string
			for range 3 {
				got = append(got, post(t, address, nil, "{}"))
			}
			if seen := strings.Join(got, " "); seen != row.want {
				t.Errorf("answers are %s, want %s", seen, row.want)
			}
		})
	}
}
