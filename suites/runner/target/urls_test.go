// SPDX-License-Identifier: Apache-2.0

package target

import (
	"net/url"
	"testing"
)

// Addresses that look like the target's, or are taken for it by whoever folds letters or reads the wrong part of them, are
// another's: no credentials go there.
func TestOtherOrigins(t *testing.T) {
	t.Parallel()
	s := &Target{Place: Place{Root: "https://victim.example:8443", Base: "https://victim.example:8443/agents/a", Admin: "https://admin.example/api"}}
	for address, is := range map[string]bool{
		"https://victim.example:8443/x": true, "wss://VICTIM.example:8443": true, "https://admin.example:443": true, "https://x:y@victim.example:8443": true,
		"https://v\u0130ctim.example:8443": false, "https://vict\u0131m.example:8443": false, "https://victim.example.:8443": false,
		"https://victim.example": false, "http://victim.example:8443": false, "https://victim.example:8443@evil.example": false, "https://evil.example#victim.example:8443": false,
		"https://evil.example\\@victim.example:8443": false, "//victim.example:8443": false, "https:victim.example:8443": false, "https://victim.example:8443:443": false,
		"https://victim.example:08443": false, "https://victim.example%3a8443": false, "https://\uff56ictim.example:8443": false, "ftp://victim.example:8443": false, "": false,
	} {
		if got := s.IsTarget(address); got != is {
			t.Errorf("%q leads to the target: %t, want %t", address, got, is)
		}
	}
}

func TestAllowedHosts(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		entry, to, root string
		want            bool
	}{
		{"agent.example", "https://agent.example/a", "https://cards.example", true},
		{"AGENT.example", "https://agent.example:8443", "https://cards.example", true},
		{"agent.example:8443", "https://agent.example:8443", "https://cards.example", true},
		{"agent.example:443", "https://agent.example", "https://cards.example", true},
		{"agent.example:8443", "https://agent.example", "https://cards.example", false},
		{"agent.example", "https://agent.example.evil.example", "https://cards.example", false},
		{"agent.example", "http://agent.example", "https://cards.example", false}, // in the clear only where an origin says so
		{"http://agent.example", "http://agent.example", "https://cards.example", true},
		{"https://agent.example", "http://agent.example", "http://cards.example", false},
		{"agent.example", "http://agent.example", "http://cards.example", true},
		{"victim.example", "http://v\u0130ctim.example", "http://cards.example", false},
		{"sKe.example", "http://s\u212ae.example", "http://cards.example", false},
		{"agent.example", "http://agent.example.", "http://cards.example", false},
		{"agent.example", "http://agent.example@evil.example", "http://cards.example", false},
		{"[::1]", "http://[::1]:90", "http://cards.example", true},
		{"::1", "http://[::1]:90", "http://cards.example", true},
	} {
		to, err := url.Parse(row.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := allows(row.entry, to, row.root); got != row.want {
			t.Errorf("--allow-host %s, for %s beside %s: %t, want %t", row.entry, row.to, row.root, got, row.want)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for given, want := range map[string][2]string{
		"http://h/agents/i":           {"http://h", "i"},
		"https://h:1/p/agents/i/v1/x": {"https://h:1/p", "i"},
		"http://h/agents/a/agents/b":  {"http://h/agents/a", "b"},
		"http://h":                    {"http://h", ""},
		"http://h/agents/":            {"http://h/agents", ""},
		"http://agents/x":             {"http://agents/x", ""},
	} {
		root, iid, is := SplitInstance(PlainURL(given))
		if root != want[0] || iid != want[1] || is != (iid != "") {
			t.Errorf("%s is %q and %q", given, root, iid)
		}
	}
	for given, want := range map[string]string{"http://u:p@h/x/?q#f": "http://h/x", "h:8080": "http://h:8080", " http://h// ": "http://h", "": ""} {
		if got := PlainURL(given); got != want {
			t.Errorf("%q is %q", given, got)
		}
	}
	for _, same := range [][2]string{{"http://h:80/x", "http://H/y"}, {"wss://h/x", "https://h:443"}, {"ws://h:8", "http://h:8"}} {
		if Origin(same[0]) != Origin(same[1]) {
			t.Errorf("%s and %s differ", same[0], same[1])
		}
	}
	if Origin("http://h") == Origin("https://h") || Origin("x") != "" {
		t.Error("origins are confused")
	}
}

func TestPublicHosts(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://agent.example.org/a2a": true, "agent.example.org:443": true, "http://93.184.216.34/": true,
		"http://localhost:80/": false, "http://127.0.0.1/": false, "http://[::1]/": false, "http://10.1.2.3/": false, "http://169.254.1.1/": false,
		"https://box/": false, "https://x.internal": false, "https://x.local.": false, "https://x.test/": false, "https://x.example/": false, "": false, "::": false,
	} {
		if got := isPublic(address); got != want {
			t.Errorf("%q: %v, want %v", address, got, want)
		}
	}
}

func TestSentPath(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://h/a/v1/messages:send":       "http://h/a/v1/messages:send",
		"http://h/a/v1/messages:send#t1":    "http://h/a/v1/messages:send",
		"http://h/a/v1/tasks?limit=1#t1":    "http://h/a/v1/tasks",
		"http://h/a/v1/messages:send#t1?x=": "http://h/a/v1/messages:send",
	} {
		if got := SentPath(address); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}
